"""Lecture: scenes that a lecturer opens one after the other with keys, the presenter view, and courses of one's own."""
