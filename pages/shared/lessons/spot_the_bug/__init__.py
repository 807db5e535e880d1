"""Exhibits: a cell of code with one wrong line."""
