"""Codes: for each page the code that computes what it shows, in both layouts. One page a file."""
