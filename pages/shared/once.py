"""Once: what follows from numbers alone is computed once, for all runs and visitors, while it is among the last asked.

It is the arguments themselves that are recognised, an example or a trace by its identity: none of them ever changes,
and what is returned must not be changed either.
"""

from functools import lru_cache

once = lru_cache(maxsize=64)
