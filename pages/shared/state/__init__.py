"""Everything that one visitor has set, its link, and how widgets and equations change it.

The course that a lecturer has made is stored in this folder and not in `lecture`, because `address.py` needs the course
to open a scene.
"""
