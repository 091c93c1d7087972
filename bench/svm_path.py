"""The regularisation path of a support vector machine: seconds of the whole path, and of cold fits along it.

usage: BENCH_THREADS=2 python bench/svm_path.py [--runs 5] [N ...]

Two overlapping normal clouds in the plane under rbf(gamma=1), as svmpath's examples are, for N = 200 and 1,000 rows. Prints one line of a
Markdown table per N: breakpoints, the median and the least seconds of the path, those of 20 cold fits of scikit-learn's SVC at tolerance
1e-3 at values of C along it, and the greatest difference of their decision values from the path at tolerance 1e-8. svmpath itself is a
package of R.
"""

import argparse
import statistics
import time

import threads  # noqa: F401  (before numpy)

import numpy as np
import record
from sklearn.svm import SVC

import mercer

#: C beyond which cold fits take long.
MOST = 1e3


def rows(n, seed=0):
    draw = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return draw.normal(size=(n, 2)) + np.where(y == 1, 0.7, -0.7)[:, None], np.where(y == 1, "b", "a")


def timed(work, runs):
    seconds = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        found = work()
        seconds.append(time.perf_counter() - start)
    return found, seconds[1:]


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("sizes", nargs="*", type=int, default=[200, 1000])
    asked.add_argument("--runs", type=int, default=5)
    args = asked.parse_args()
    print("| N | breakpoints | exact to C | path, median s | least s | 20 cold fits, s | greatest difference |")
    print("|---|---|---|---|---|---|---|")
    for n in args.sizes:
        x, y = rows(n)
        path, seconds = timed(lambda: mercer.svm_path(x, y, "rbf(gamma=1)", standardise=False), args.runs)
        penalties = np.geomspace(path.C[0], min(path.C[-1], MOST), 20)
        _, cold = timed(lambda: [SVC(C=c, gamma=1.0).fit(x, y) for c in penalties], 1)
        tight = [SVC(C=c, gamma=1.0, tol=1e-8).fit(x, y).decision_function(x) for c in penalties[::4]]
        off = max(np.abs(f - path.decision_function(x, c)).max() for f, c in zip(tight, penalties[::4]))
        median = statistics.median(seconds)
        print(f"| {n} | {len(path.C)} | {path.max_C:.2g} | {median:.4f} | {min(seconds):.4f} | {cold[0]:.3f} | {off:.1e} |")
        record.figure(f"svm_path_n{n}", "whole path", median, "s")


if __name__ == "__main__":
    main()
