"""Home: why there is attention at all."""
