"""The code of the page “Check my matrix”: it reads a pasted result, and says which mistake gives it."""
