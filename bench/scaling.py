"""How times grow: slopes of log seconds against log size of fits and predictions, beside what the tables of complexity say.

usage: python bench/scaling.py [--rounds 3] [--rows 1000 2000 4000 8000] [--columns 50 100 200 400] [WORK ...]

Each work is run at several sizes, the fastest of the rounds counts. Prints one JSON line per work: the sizes, seconds at each, the
slope, and the exponent of the table. Measured slopes lie below the exponent where sizes are so small that parts of a lower order
count, and where larger matrices use the processor better. `cargo test -p mercer --test costs slopes` holds slopes of counted
operations against the same exponents.
"""

import argparse
import json
import time

import threads  # noqa: F401  (before numpy)

import numpy as np

import mercer

COLUMNS = 10
"""Columns of tables whose rows vary."""
PRIMAL_ROWS = 20_000
"""Rows of tables whose columns vary."""


def table(rows, columns, seed=0):
    """Standard normal columns, and a wave of the first two with noise."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((rows, columns))
    return x, np.sin(x[:, 0]) + 0.5 * x[:, 1] + 0.1 * random.standard_normal(rows)


def dual(name, **parameters):
    """A fit by kernel values, by rows."""

    def work(rows):
        x, y = table(rows, COLUMNS)
        y = np.sign(y) if name == "SVC" else y
        return lambda: getattr(mercer, name)(kernel="rbf(gamma=0.05)", **parameters).fit(x, y)

    return work


def predicted(name, **parameters):
    """The prediction of 500 rows by a model of so many."""

    def work(rows):
        x, y = table(rows, COLUMNS)
        model = getattr(mercer, name)(kernel="rbf(gamma=0.05)", **parameters).fit(x, y)
        new, _ = table(500, COLUMNS, seed=1)
        deviation = {"return_std": True} if name == "GaussianProcessRegressor" else {}
        return lambda: model.predict(new, **deviation)

    return work


def primal(rows, columns):
    """A least squares fit by the features of the linear kernel."""
    x, y = table(rows, columns)
    return lambda: mercer.KernelRidge(kernel="linear", alpha=1.0).fit(x, y)


def gram(columns):
    """The Gram matrix of 1,000 rows: a value is O(D)."""
    x, _ = table(1000, columns)
    kernel = mercer.Kernel("polynomial(degree=2, gamma=1, offset=1)")
    return lambda: kernel(x)


def explicit(columns):
    """The features of a quadratic map for 1,000 rows: O(D^2) each."""
    x, _ = table(1000, columns)
    first, second = np.triu_indices(columns)
    return lambda: x[:, first] * x[:, second]


WORKS = {
    "ridge_fit_rows": ("rows", 3, dual("KernelRidge", alpha=0.1)),
    "gp_fit_rows": ("rows", 3, dual("GaussianProcessRegressor", alpha=0.1, optimizer=None)),
    "svc_fit_rows": ("rows", 2, dual("SVC", C=1.0)),
    "ridge_predict_rows": ("rows", 1, predicted("KernelRidge", alpha=0.1)),
    "gp_variance_rows": ("rows", 2, predicted("GaussianProcessRegressor", alpha=0.1, optimizer=None)),
    "linear_ridge_fit_rows": ("rows", 1, lambda rows: primal(10 * rows, 50)),
    "linear_ridge_fit_columns": ("columns", 2, lambda columns: primal(PRIMAL_ROWS, columns)),
    "polynomial_gram_columns": ("columns", 1, gram),
    "quadratic_map_columns": ("columns", 2, explicit),
}


def fastest(run, rounds):
    """Seconds of the fastest of the rounds; the first, which warms up, does not count."""
    run()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("works", nargs="*", help="those whose names begin so; all")
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--rows", type=int, nargs="*", default=[1000, 2000, 4000, 8000])
    asked.add_argument("--columns", type=int, nargs="*", default=[50, 100, 200, 400])
    asked = asked.parse_args()
    for name, (by, exponent, work) in WORKS.items():
        if asked.works and not any(name.startswith(w) for w in asked.works):
            continue
        sizes = getattr(asked, by)
        seconds = [fastest(work(size), asked.rounds) for size in sizes]
        slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0] if len(sizes) > 1 else float("nan")
        line = {
            "work": name,
            by: sizes,
            "seconds": [float(f"{s:.3g}") for s in seconds],
            "slope": round(float(slope), 2),
            "exponent": exponent,
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
