"""Lessons: the code that only one page needs, with a package for each page. Two pages use `match`."""
