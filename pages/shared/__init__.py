"""What several pages share, in packages. `pages/README.md` lists them. Each imports only from those above it."""

import os

# This is set before NumPy is imported, because NumPy reads it then. Matrices are small here, and many visitors share
# the cores. If BLAS divided a product among several threads, these would wait for each other, and a run would take up
# to twenty times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
