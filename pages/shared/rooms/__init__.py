"""Rooms: what a class is asked and what it answers, kept in a database."""
