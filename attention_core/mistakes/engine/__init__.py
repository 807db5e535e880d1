"""What makes a mistake run: the named steps of a right computation, an edit of their lines, and the trace after it."""
