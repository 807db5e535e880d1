"""A real model with mistakes in its layers or heads cut: the measurements, and its answers to a visitor's words."""
