"""Mistakes without a switch on a page: only the diagnosis names them, the usual ones in pairs as well."""
