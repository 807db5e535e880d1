"""A real model with mistakes in its layers and heads cut: what was measured, and what it says to a visitor's words."""
