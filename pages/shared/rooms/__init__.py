"""Rooms: the questions and answers of a class, stored in a database."""
