"""Writing: from a row to the next word in a handmade model of one head, and how much a cache saves."""
