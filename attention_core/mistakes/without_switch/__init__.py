"""Mistakes without a switch on a page: the diagnosis names them, and the usual ones in pairs as well."""
