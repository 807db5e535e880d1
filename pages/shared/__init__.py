"""What the pages share, in packages. Each package imports only from itself and from packages below it."""

import os

# Before NumPy is imported, which reads it then. Matrices are small here, and many visitors share the cores: where BLAS
# cuts a product up among threads of its own, these wait for each other, and a run takes up to twenty times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
