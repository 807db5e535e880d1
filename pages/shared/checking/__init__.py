"""Checking a pasted result: the texts read, the problem that they pose, and the diagnosis in words."""
