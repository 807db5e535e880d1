"""Cross-attention: why one text attends to another, and why the chosen word attends to certain words."""
