"""Lessons: what one page alone shows, a room a page."""
