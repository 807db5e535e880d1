"""A real language model on a page: whether it is at hand, a text as its tokens, and what it answers, in turn."""
