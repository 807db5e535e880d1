"""Files to take home with what is on the screen: script, notebook, PyTorch, LaTeX, tables, worksheet.

Also “In code”.
"""
