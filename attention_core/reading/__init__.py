"""Read a matrix from a text or file that a visitor gives."""
