"""A visitor’s sentence."""
