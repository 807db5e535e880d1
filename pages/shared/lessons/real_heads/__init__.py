"""Real heads: a text as a language model reads it, the wall of all its heads, one of them in numbers, their roles."""
