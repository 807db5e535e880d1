"""A pasted result: it is read, posed as a problem, and diagnosed."""
