"""Experiments: what the pages measure, draw, shuffle and rewire around the formulas."""
