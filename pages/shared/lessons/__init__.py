"""Lessons: the code that only one page needs, with one package for each page. Two pages share the module `match`."""
