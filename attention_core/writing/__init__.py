"""Writing: from a row to the next word, by a model of one head that is made by hand; and how much a cache saves."""
