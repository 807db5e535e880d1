"""Positions: what there is to see of them, one view a function, for the page of positional encoding."""
