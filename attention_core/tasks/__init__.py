"""Practice: tasks from a seed."""
