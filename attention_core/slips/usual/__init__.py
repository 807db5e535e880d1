"""Usual mistakes without a switch: the diagnosis names them, alone and any two of them together."""
