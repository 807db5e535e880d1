"""Writing: from a row to the next word, by a model of one head that is made by hand; and what a cache saves."""
