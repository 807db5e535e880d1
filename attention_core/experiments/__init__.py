"""Experiments on attention that the pages show: measurements, random draws, shuffled tokens and changed heads."""
