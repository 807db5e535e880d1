"""Mistakes without a switch on a page. The diagnosis names them, and also tries pairs of the usual ones."""
