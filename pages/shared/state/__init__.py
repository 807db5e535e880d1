"""State: what one visitor has set, its link, and the widgets and equations that change it."""
