"""Predict and write the next word with a handmade model of one head, and count what a cache saves."""
