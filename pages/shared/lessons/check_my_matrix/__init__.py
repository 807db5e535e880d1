"""A pasted result: read, posed as a problem, diagnosed."""
