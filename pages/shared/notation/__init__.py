"""Notation: how matrices, numbers and words are written, with tokens as rows or as columns."""
