"""The code of the home page, which says why there is attention at all."""
