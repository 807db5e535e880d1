"""Cross-attention: why one text asks another, and why the word that is chosen takes what it takes."""
