"""A real language model of the Llama family, which the functions of this core run from its file."""
