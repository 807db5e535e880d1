"""State: everything that one visitor has set, its link, and how widgets and equations change it.

The course that a visitor has made is here and not in `lecture`, because the address needs it to open a scene.
"""
