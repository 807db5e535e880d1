"""Several heads: why, and what they do."""
