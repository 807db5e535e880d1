"""A real language model of the Llama family, run by the functions of this core; NumPy and the file alone."""
