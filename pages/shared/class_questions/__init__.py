"""The questions for a class, the outcome of each answer, and how often each outcome occurred."""
