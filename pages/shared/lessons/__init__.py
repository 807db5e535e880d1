"""Lessons: what one page alone shows, a room a page; `match` is said by two of them."""
