"""The next word: from a row to a word, by hand and in a real model."""
