"""Lecture: scenes, walked through by keys, and the presenter view."""
