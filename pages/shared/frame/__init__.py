"""Frame: what every page has around its lesson."""
