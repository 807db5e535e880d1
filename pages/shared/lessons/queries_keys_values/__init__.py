"""Queries, keys, values: why each of them, as arrows, and what one matrix for all would lose."""
