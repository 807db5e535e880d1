"""Reading: a pasted text as a matrix."""
