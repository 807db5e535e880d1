"""The site: all pages, their menu, and links between them."""
