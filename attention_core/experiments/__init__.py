"""Experiments: what the pages measure, draw at random, shuffle and rewire."""
