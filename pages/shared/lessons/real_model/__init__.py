"""A real model with mistakes or without some heads: the measurements, and its answers to a visitor's text."""
