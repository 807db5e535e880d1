"""Mistakes that have a switch on the page of their concept, each with its wrong formula."""
