"""A real language model on a page: whether it is on this machine, a text as tokens, and answers to visitors in turn."""
