"""How many threads an estimator uses."""

import os
from numbers import Integral

from joblib import cpu_count, parallel

from ..errors import ExpressionError


def _jobs_of_context():
    """The n_jobs of an enclosing ``joblib.parallel_config``, None outside of one or where it names none."""
    config = getattr(getattr(parallel, "_backend", None), "config", None) or {}
    jobs = config.get("n_jobs")
    return jobs if isinstance(jobs, Integral) else None


def threads(n_jobs):
    """n_jobs, that of an enclosing ``joblib.parallel_config``, or all cores that the process may use but no more than OMP_NUM_THREADS,
    which joblib sets in its workers; 0 is all."""
    jobs = _jobs_of_context() if n_jobs is None else n_jobs
    if jobs is None:
        allowed = os.environ.get("OMP_NUM_THREADS", "")
        return int(allowed) if allowed.isdigit() else 0
    if not isinstance(jobs, Integral) or jobs == 0:
        raise ExpressionError(f"n_jobs={jobs!r}: expected a number of threads, or None or -1 for all cores")
    return int(jobs) if jobs > 0 else max(1, cpu_count() + 1 + jobs)
