"""Files to take home, of what is on the screen: script, notebook, PyTorch, LaTeX, tables, worksheet; and “In code”."""
