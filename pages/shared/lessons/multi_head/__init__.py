"""Several heads: why there are several, and what they do."""
