"""A real language model of the Llama family. The functions of this core run it, from its file alone."""
