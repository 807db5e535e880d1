"""The code of the page “Cross-attention”: why one text attends to another, and why a word attends to certain words."""
