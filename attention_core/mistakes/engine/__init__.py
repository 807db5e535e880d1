"""Run a mistake: the named steps of a right computation, an edit of their lines, and the trace that results."""
