"""The code of the page “Spot the bug”. It has exhibits: short pieces of code, each with one wrong line."""
