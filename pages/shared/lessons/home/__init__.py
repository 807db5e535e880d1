"""Home: why attention at all."""
