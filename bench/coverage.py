"""Coverage and width of 90% intervals on held-out halves of tables: conformal ones of several estimators beside the normal ones of gp.

usage: bench/coverage.py [--seeds N] [--level P] [TABLE ...]

Each table is cut in halves (at most 1,000 rows to learn from), once for each seed. An interval is to hold the level of the other half: a
table is within its error where the share differs by no more than three standard deviations of a share of so many rows by so many scores.
Widths are means in standard deviations of the target. Prints one line of a Markdown table for each estimator and table, and the
coverage pooled over all tables. The tables lie in $MERCER_SHARED/data (or ../shared/data beside the checkout).
"""

import argparse
import os
import warnings
from pathlib import Path

os.environ.setdefault("BENCH_THREADS", "1")
import threads  # noqa: F401  (before numpy)

import mercer
import numpy as np
import pandas as pd
import record

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MERCER_SHARED", HERE.parent.parent / "shared")) / "data"
#: Twenty tables; the target is the last column of numbers that has ten different values or more.
TABLES = [
    "abalone", "auto_mpg", "banknote", "boston_housing", "california_housing", "ecoli", "energy", "faithful", "glass", "kin40k",
    "mauna_loa_co2", "mcycle", "phoneme", "pima_diabetes", "power_plant", "segment", "vowel", "wine_red", "wine_white", "yacht",
]  # fmt: skip
ESTIMATORS = ["ridge", "knn", "svr", "gp", "rvm"]
#: Rows to learn from, and to predict, at most.
MOST = 1000


def file_of(name):
    """The file of a table, packed or not; None where there is none."""
    return next((path for ending in ("csv", "csv.gz") if (path := DATA / name / f"{name}.{ending}").exists()), None)


def table(name):
    """Numbers of a table without missing cells, and the target."""
    frame = pd.read_csv(file_of(name)).select_dtypes("number").dropna()
    target = [column for column in frame if frame[column].nunique() >= 10][-1]
    X = frame.drop(columns=target)
    return {str(column): X[column].to_numpy(float) for column in X}, frame[target].to_numpy(float)


def halves(rows, seed):
    order = np.random.default_rng(seed).permutation(rows)
    half = min(MOST, rows // 2)
    return order[:half], order[half : half + MOST]


def covered(model, X, y, level):
    low, high = model.predict_interval(X, level)
    return (low <= y) & (y <= high), high - low


def run(name, seeds, level):
    """Share held, mean width, rows and scores by estimator; gp also by the normal distribution."""
    X, y = table(name)
    spread = y.std()
    found = {}
    for seed in range(seeds):
        train, test = halves(len(y), seed)
        take = lambda rows: {column: values[rows] for column, values in X.items()}  # noqa: E731
        for estimator in ESTIMATORS:
            learner = mercer.Learner(estimator)
            models = {estimator: learner.fit(take(train), y[train], intervals=True, tell=False)}
            if estimator == "gp":
                models["gp, normal"] = learner.fit(take(train), y[train], intervals=False, tell=False)
            for label, model in models.items():
                held, width = covered(model, take(test), y[test], level)
                found.setdefault(label, []).append((held.mean(), width.mean() / spread, len(test), len(train)))
    return {label: np.mean(rows, axis=0) for label, rows in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--level", type=float, default=0.9)
    parser.add_argument("tables", nargs="*", default=TABLES)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| table | intervals of | held % | width / sd | within error |")
    print("|---|---|---|---|---|")
    pooled = {}
    for name in asked.tables:
        if file_of(name) is None:
            print(f"{name}: no such table in {DATA}; left out")
            continue
        for label, (held, width, tested, scored) in run(name, asked.seeds, asked.level).items():
            error = np.sqrt(asked.level * (1 - asked.level) * (1 / tested + 1 / scored))
            within = abs(held - asked.level) <= 3 * error
            print(f"| {name} | {label} | {100 * held:.1f} | {width:.2f} | {'yes' if within else 'no'} |", flush=True)
            pooled.setdefault(label, []).append((held, tested, within))
            record.figure(f"{name}: {label}", "coverage / mean width in deviations", f"{held:.3f} / {width:.2f}", "")
    for label, rows in pooled.items():
        held = np.average([share for share, _, _ in rows], weights=[tested for _, tested, _ in rows])
        print(f"pooled over {len(rows)} tables, {label}: {100 * held:.1f}%, {sum(w for *_, w in rows)} tables within their error")


if __name__ == "__main__":
    main()
