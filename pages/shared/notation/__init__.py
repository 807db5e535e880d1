"""Notation: write matrices, numbers and words, with tokens as rows or as columns."""
