"""State: everything that one visitor has set, its link, and how widgets and equations change it."""
