"""Notation: write matrices, numbers and words for the page, with tokens as rows or as columns."""
