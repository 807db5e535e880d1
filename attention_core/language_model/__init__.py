"""A real language model of the Llama family, which the functions of this package run from its file."""
