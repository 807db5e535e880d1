"""What is on the screen as files to take home: script, notebook, PyTorch, LaTeX, tables, worksheet; “In code”."""
