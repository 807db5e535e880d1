"""Real heads: a text as a language model reads it, a wall with all its heads, one head in numbers, and their roles."""
