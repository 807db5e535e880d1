"""State: everything that one visitor has set, its link, and how widgets and equations change it.

A course of a visitor's own stands here and not in `lecture`, since the address needs it to open a scene.
"""
