"""A real language model on a page: whether it is at hand, a text as its tokens, and its answers, in turn."""
