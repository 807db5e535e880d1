"""The code of the page “Induction head”: models that are shipped or trained by visitors, their equations and texts."""
