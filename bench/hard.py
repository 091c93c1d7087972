"""Hard settings of support vector machines beside scikit-learn: large penalties, linear and polynomial kernels on raw columns.

usage: python bench/hard.py [--rounds 3] [TABLE ...]

Twenty settings for each table, and twenty draws of a linear problem whose columns differ in size by a factor of 1e5 (`drawn`);
default arguments, one after the other in turns, each in a process of its own that is ended after 15 s. Prints one JSON line per
setting where Mercer takes longer or one of them does not end, and one per table: settings, how many were slower, and the geometric
mean of scikit-learn's time over ours, 15 s for what did not end. Tables lie in the folder $MERCER_SHARED/data.
"""

import argparse
import json
import math
import multiprocessing
import statistics
import warnings

import threads  # noqa: F401  (before numpy)

import numpy as np
import record
import sklearn.svm
from svm import scaled, table, timed

import mercer

TABLES = ("german", "segment", "vowel", "ionosphere", "drawn")
KERNELS = (
    {"kernel": "rbf", "gamma": 0.01},
    {"kernel": "rbf", "gamma": 1.0},
    {"kernel": "linear"},
    {"kernel": "poly", "gamma": 0.1, "coef0": 1.0},
)
SETTINGS = [{**kernel, "C": c} for kernel in KERNELS for c in (1.0, 1e2, 1e4)] + [
    {**kernel, "C": c, "raw": True} for kernel in ({"kernel": "rbf"}, {"kernel": "linear"}, {"kernel": "poly"}, {"kernel": "sigmoid"}) for c in (1.0, 1e2)
]


LIMIT = 15.0


def drawn(seed):
    """400 rows of normal noise in six columns of sizes .01 to 1,000 around 5; classes by two of them, with noise."""
    random = np.random.default_rng(seed)
    x, e = random.normal(size=(400, 6)), random.normal(size=400)
    return x * 10.0 ** (np.arange(6) - 2) + 5, x[:, 0] + x[:, 3] + 0.5 * e > 0


def works(name):
    """Settings of a table, each with its columns and classes; none where its file is not there."""
    if name == "drawn":
        return [({"kernel": "linear", "C": 1e4}, *drawn(seed)) for seed in range(20)]
    found = table(name)
    if found is None:
        return []
    columns = {False: scaled(found[0]), True: found[0]}
    return [({k: v for k, v in s.items() if k != "raw"}, columns["raw" in s], found[1]) for s in SETTINGS]


def seconds(library, setting, x, y, rounds):
    """Median seconds of a fit and whether it met its tolerance; the limit where it took longer."""
    receive, send = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.Process(target=fit, args=(send, library, setting, x, y, rounds))
    child.start()
    found = receive.recv() if receive.poll(LIMIT) else (LIMIT, False)
    child.kill()
    child.join()
    return found


def fit(send, library, setting, x, y, rounds):
    made = mercer.SVC if library == "mercer" else lambda **k: sklearn.svm.SVC(cache_size=1000, **k)
    warnings.filterwarnings("ignore")
    # The first is not counted: threads start, and a fit of seconds is not repeated.
    first, model = timed(lambda: made(**setting).fit(x, y))
    took = [first] if first > 1 else [timed(lambda: made(**setting).fit(x, y))[0] for _ in range(rounds)]
    send.send((statistics.median(took), model.fit_status_ == 0))


def main():
    warnings.filterwarnings("ignore")
    asked = argparse.ArgumentParser()
    asked.add_argument("tables", nargs="*")
    asked.add_argument("--rounds", type=int, default=3)
    asked = asked.parse_args()
    for name in asked.tables or TABLES:
        ratios, slower = [], 0
        for setting, x, y in works(name):
            (ours, met), (theirs, _) = (seconds(library, setting, x, y, asked.rounds) for library in ("mercer", "scikit-learn"))
            ratios.append(theirs / ours)
            slower += theirs < ours
            if theirs < ours or LIMIT in (ours, theirs):
                line = {"table": name, **setting, "ours": round(ours, 5), "theirs": round(theirs, 5), "tolerance_met": met}
                print(json.dumps(line), flush=True)
        if not ratios:
            print(f"{name}: its table is not there")
            continue
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(json.dumps({"table": name, "settings": len(ratios), "slower": slower, "mean_ratio": round(mean, 2)}), flush=True)
        record.figure(name, "mean ratio", None, peer="scikit-learn", ratio=mean)
        record.figure(name, "settings at which Mercer is slower", f"{slower} of {len(ratios)}")


if __name__ == "__main__":
    main()
