"""Divisors, and thousands of draws."""
