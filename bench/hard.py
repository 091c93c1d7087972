"""Hard settings of support vector machines beside scikit-learn: large penalties, linear and polynomial kernels on raw columns.

usage: python bench/hard.py [--rounds 3] [TABLE ...]

Twenty settings for each table, default arguments, one after the other in turns. Prints one JSON line per setting where Mercer
takes longer, and one per table: settings, how many were slower, the geometric mean of scikit-learn's time over ours, and the
largest violation of either. Tables lie in the folder $MERCER_SHARED/data.
"""

import argparse
import json
import math
import statistics
import warnings

import threads  # noqa: F401  (before numpy)

import numpy as np
import sklearn.svm
from svm import scaled, table, timed

import mercer

TABLES = ("german", "segment", "vowel", "ionosphere")
KERNELS = (
    {"kernel": "rbf", "gamma": 0.01},
    {"kernel": "rbf", "gamma": 1.0},
    {"kernel": "linear"},
    {"kernel": "poly", "gamma": 0.1, "coef0": 1.0},
)
SETTINGS = [{**kernel, "C": c} for kernel in KERNELS for c in (1.0, 1e2, 1e4)] + [
    {**kernel, "C": c, "raw": True} for kernel in ({"kernel": "rbf"}, {"kernel": "linear"}, {"kernel": "poly"}, {"kernel": "sigmoid"}) for c in (1.0, 1e2)
]


def seconds(made, setting, x, y, rounds):
    took = [timed(lambda: made(**setting).fit(x, y)) for _ in range(rounds)]
    return statistics.median(s for s, _ in took), took[-1][1]


def main():
    warnings.filterwarnings("ignore")
    asked = argparse.ArgumentParser()
    asked.add_argument("tables", nargs="*")
    asked.add_argument("--rounds", type=int, default=3)
    asked = asked.parse_args()
    for name in asked.tables or TABLES:
        found = table(name)
        if found is None:
            print(f"{name}: its table is not there")
            continue
        ratios, slower = [], 0
        for setting in SETTINGS:
            setting = dict(setting)
            x = found[0] if setting.pop("raw", False) else scaled(found[0])
            # A linear kernel of raw columns at a large penalty takes LIBSVM hours.
            if x is found[0] and setting["kernel"] == "linear" and np.abs(x).max() > 100:
                setting["C"] = min(setting["C"], 1.0)
            ours, model = seconds(mercer.SVC, setting, x, found[1], asked.rounds)
            theirs, _ = seconds(lambda **k: sklearn.svm.SVC(cache_size=1000, **k), setting, x, found[1], asked.rounds)
            ratios.append(theirs / ours)
            if theirs < ours:
                slower += 1
                summary = model.model_.summary
                line = {"table": name, **setting, "ours": round(ours, 4), "ratio": round(theirs / ours, 2), "converged": summary["converged"]}
                print(json.dumps(line), flush=True)
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(json.dumps({"table": name, "settings": len(ratios), "slower": slower, "mean_ratio": round(mean, 2)}), flush=True)


if __name__ == "__main__":
    main()
