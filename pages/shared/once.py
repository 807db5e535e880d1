"""Once: what follows from some numbers is computed once, for all runs and visitors, while it is among the last asked.

A function under it takes what its result depends on, and nothing else: all that a visitor has set would also say
which cell is selected. An example or a trace is recognised by its identity, since none ever changes; nor may what is
returned.
"""

from functools import lru_cache

once = lru_cache(maxsize=16)  # the traces of the widest example take megabytes
