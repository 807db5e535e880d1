"""Mistakes that have a switch on the page of their concept. Each mistake has its wrong formula."""
