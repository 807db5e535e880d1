"""Share: the link to give away, and the file of a state."""
