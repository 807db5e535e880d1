"""Site: the pages, their menu, and links between them."""
