"""The frame: everything that a page has around its lesson."""
