"""How many threads every library gets. Imported before numpy, which reads it once."""

import os

THREADS = os.environ.get("BENCH_THREADS", "2")
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[_name] = THREADS
