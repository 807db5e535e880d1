"""A real language model on a page: whether it is on this machine, a text as its tokens, and its answers, in turn."""
