"""The learner's path: its screens, their pictures, and the guesses of a visitor."""
