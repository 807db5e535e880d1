"""Lessons: what only one page shows, with a room for each page. Two pages use `match`."""
