"""An induction head in training: models that are shipped or trained here, their equations and explanations."""
