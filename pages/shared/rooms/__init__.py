"""Rooms: the questions to a class and its answers, stored in a database."""
