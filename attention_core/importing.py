"""One lock for imports that wait until they are needed.

    with importing:
        from scipy.special import entr

The modules of a large package import each other in circles. Two threads that enter such a circle at different places
would wait for each other, and Python then gives one of them a module that is only half there. So one thread at a time
imports, and all of the package.
"""

from threading import RLock

importing = RLock()
