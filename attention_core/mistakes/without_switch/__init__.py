"""Mistakes without a switch on a page. The diagnosis names them, and also tries two usual mistakes together."""
