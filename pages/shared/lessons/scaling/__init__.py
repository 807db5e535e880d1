"""Divisors, and thousands of random scores."""
