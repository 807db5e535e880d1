"""The code of the page “The next word”: how a row becomes a word, in a small model made by hand and in a real one."""
