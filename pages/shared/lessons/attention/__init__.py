"""The code of the page “Attention, step by step”, which shows attention in ten steps."""
