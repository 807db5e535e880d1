"""Lecture: scenes that a lecturer opens one after the other by keys, and the presenter view."""
