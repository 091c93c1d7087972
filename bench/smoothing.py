"""Kernel densities through the Python class beside scipy's and scikit-learn's.

usage: python bench/smoothing.py [--rounds 3] [--rows 100000] [--queries 10000] [--share 0.1] [COLUMNS ...]

Standard normal rows, one bandwidth for all, the same for every library; one thread; fit and queries together, in turns. scipy sums over
every pair; scikit-learn takes rtol=1e-4; ours is asked for 1e-10. Peers are asked for a share of the queries and their seconds of
processor are scaled up. Prints one JSON line per number of columns and library: median seconds, what they are in Mercer's, and the
greatest relative difference of the densities from scipy's.
"""

import argparse
import json
import statistics
import time

import threads  # noqa: F401  (before numpy)

import numpy as np
import record
from scipy.special import logsumexp
from scipy.stats import gaussian_kde
from sklearn.neighbors import KernelDensity as Theirs

import mercer


def scipy_logs(x, q, h):
    """scipy's sum with the covariance h^2 I: the rows are whitened first, as it whitens them itself."""
    density = gaussian_kde(x.T, bw_method=1.0)
    # gaussian_kde multiplies the covariance of the rows: undo it, so that the bandwidth is h in every column.
    density._data_covariance = np.eye(x.shape[1])
    density._data_cho_cov = np.eye(x.shape[1])
    density.set_bandwidth(h)
    return density.logpdf(q.T)


def ours(x, q, h):
    return mercer.KernelDensity(bandwidth=h, rtol=1e-10, n_jobs=1).fit(x).score_samples(q)


def theirs(x, q, h):
    return Theirs(bandwidth=h, rtol=1e-4).fit(x).score_samples(q)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("columns", type=int, nargs="*", default=[1, 2, 5])
    asked = parser.parse_args()
    for dim in asked.columns:
        rng = np.random.default_rng(dim)
        x, q = rng.standard_normal((asked.rows, dim)), rng.standard_normal((asked.queries, dim))
        part = q[: max(1, int(asked.share * asked.queries))]
        h = (4 / ((dim + 2) * asked.rows)) ** (1 / (dim + 4))
        runs = {"mercer": (ours, q), "scipy": (scipy_logs, part), "scikit-learn": (theirs, part)}
        found, logs = {name: [] for name in runs}, {}
        for _ in range(asked.rounds):
            for name, (run, rows) in runs.items():
                start = time.process_time()
                logs[name] = run(x, rows, h)
                found[name].append((time.process_time() - start) * len(q) / len(rows))
        seconds = {name: statistics.median(all) for name, all in found.items()}
        # A few densities summed by the definition, in logarithms, judge all three.
        few = part[:20]
        apart = ((few[:, None, :] - x[None, :, :]) ** 2).sum(2) / (2 * h * h)
        exact = logsumexp(-apart, axis=1) - np.log(len(x)) - dim * np.log(h * np.sqrt(2 * np.pi))
        for name in runs:
            line = {
                "columns": dim,
                "library": name,
                "seconds": round(seconds[name], 4),
                "in_mercers": round(seconds[name] / seconds["mercer"], 2),
                "relative_error": float(np.max(np.abs(np.expm1(logs[name][:20] - exact)))),
            }
            print(json.dumps(line), flush=True)
        columns = f"{dim} column{'s' if dim != 1 else ''}"
        record.beside(columns, "density", {"scipy" if name.startswith("scipy") else name: took for name, took in seconds.items()})


if __name__ == "__main__":
    main()
