"""Lowess and local lines through the Python classes beside statsmodels'.

usage: python bench/curves.py [--rounds 3]

Lowess: 20,000 rows, frac .1, without and with three rounds against outliers. Local lines: rows of 1 and 2 columns, one bandwidth for
all, values at every row. Fits in turns; wall time, as many threads as each library takes. Prints one JSON line per workload and
library: median seconds, what they are in Mercer's, and the greatest difference of the values.
"""

import argparse
import json
import statistics
import time

import numpy as np
import record
from statsmodels.nonparametric.kernel_regression import KernelReg
from statsmodels.nonparametric.smoothers_lowess import lowess

import mercer


def waves(rows, columns):
    random = np.random.default_rng(columns)
    x = random.uniform(0, 10, (rows, columns))
    return x, np.sin(x).sum(axis=1) + 0.3 * random.standard_normal(rows)


def lowess_of(rounds):
    x, y = waves(20_000, 1)
    return {
        "mercer": lambda: mercer.Lowess(0.1, rounds).fit(x[:, 0], y).fitted_values_,
        "statsmodels": lambda: lowess(y, x[:, 0], frac=0.1, it=rounds, return_sorted=False),
    }


def lines_of(rows, columns, part):
    """statsmodels is asked for a part of the rows, and its seconds are scaled up."""
    x, y = waves(rows, columns)
    h = 0.3 * columns
    curve = mercer.LocalRegression(bandwidth=h).fit
    return {
        "mercer": lambda: curve(x, y).predict(x),
        "statsmodels": lambda: KernelReg(y, x, "c" * columns, reg_type="ll", bw=[h] * columns).fit(x[:part])[0],
    }


WORK = {
    "lowess_n20000_it0": lambda: lowess_of(0),
    "lowess_n20000_it3": lambda: lowess_of(3),
    "local_lines_n10000_d1": lambda: lines_of(10_000, 1, 500),
    "local_lines_n10000_d2": lambda: lines_of(10_000, 2, 500),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    for work, make in WORK.items():
        runs = make()
        seconds, values = {name: [] for name in runs}, {}
        for _ in range(rounds):
            for name, run in runs.items():
                start = time.perf_counter()
                values[name] = run()
                seconds[name].append((time.perf_counter() - start) * len(values["mercer"]) / len(values[name]))
        ours = statistics.median(seconds["mercer"])
        for name in runs:
            median = statistics.median(seconds[name])
            apart = float(np.max(np.abs(values[name] - values["mercer"][: len(values[name])])))
            print(json.dumps({"work": work, "library": name, "seconds": round(median, 4), "in_mercers": round(median / ours, 2), "apart": apart}), flush=True)
        record.beside(work, "time", {name: statistics.median(took) for name, took in seconds.items()})


if __name__ == "__main__":
    main()
