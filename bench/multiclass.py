"""The ways in which `svc` separates several classes, on twelve tables: error, seconds and support vectors of each.

usage: BENCH_THREADS=2 python bench/multiclass.py [--rows 2000] [--folds 5] [--again] [--tables TABLE ...] [WAY ...]

C and gamma of each way are chosen by three folds of the training rows among 4 x 4 values; the outer folds are the same for all ways. The
tables lie in the folder $MERCER_SHARED/data (or ../shared/data beside the checkout). Prints one line of a Markdown table per table; the
best way is bold, and so is every other whose error is within one standard error of the difference over the folds. The last line counts how
often a way is bold. Crammer and Singer's linear problem is also solved by LIBLINEAR (scikit-learn's LinearSVC): seconds and objectives of
both on letter, C = 1.
"""

import argparse
import os
import statistics
import time
import warnings
from pathlib import Path

import threads  # noqa: F401  (before numpy)

import numpy as np
import pandas as pd
import record
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import mercer

SHARED = Path(os.environ.get("MERCER_SHARED", Path(__file__).resolve().parent.parent.parent / "shared")) / "data"
WAYS = ["pairs", "dag", "one_vs_rest", "codes", "weston_watkins", "crammer_singer"]
#: name -> (file, target column, columns that are no inputs)
TABLES = {
    "ecoli": ("ecoli/ecoli.csv", "target", []),
    "glass": ("glass/glass.csv", "target", []),
    "vowel": ("vowel/vowel.csv", "target", ["Train_or_Test", "Speaker_Number", "Sex"]),
    "segment": ("segment/segment.csv", "target", []),
    "oil_flow_100": ("oil_flow_100/oil_flow_100.csv", "phase", []),
    "wine_red": ("wine_red/wine_red.csv", "quality", []),
    "wine_white": ("wine_white/wine_white.csv", "quality", []),
    "abalone": ("abalone/abalone.csv", "sex", []),
    "auto_mpg": ("auto_mpg/auto_mpg.csv", "origin", []),
    "letter": ("letter/letter.csv", "target", []),
    "shuttle": ("shuttle/shuttle.csv.gz", "target", []),
    "usps": ("usps/usps_train.csv.gz", 0, []),
}
GRID = {"svc__C": [0.5, 4.0, 32.0, 256.0], "svc__gamma": [0.25, 1.0, 4.0, 16.0]}
SEED = 0


def table(name, rows):
    """Inputs and classes; of classes with fewer than ten rows nothing is kept."""
    file, target, left_out = TABLES[name]
    data = pd.read_csv(SHARED / file, header=None if target == 0 else "infer", na_values="?")
    y = data[target].astype(str).to_numpy()
    x = data.drop(columns=[target, *left_out]).to_numpy(dtype=float)
    known = np.isfinite(x).all(axis=1)
    names, counts = np.unique(y[known], return_counts=True)
    known &= np.isin(y, names[counts >= 10])
    chosen = np.flatnonzero(known)
    if len(chosen) > rows:
        chosen = np.random.default_rng(SEED).permutation(chosen)[:rows]
        names, counts = np.unique(y[chosen], return_counts=True)
        chosen = chosen[np.isin(y[chosen], names[counts >= 10])]
    return x[chosen], y[chosen]


def errors(way, x, y, folds):
    """The error of each fold, seconds of the fits at the chosen settings, and the mean share of support vectors."""
    error, seconds, support = [], 0.0, []
    scale = 1.0 / x.shape[1]
    grid = {**GRID, "svc__gamma": [scale * factor for factor in GRID["svc__gamma"]]}
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=SEED).split(x, y):
        inner = StratifiedKFold(3, shuffle=True, random_state=SEED)
        machines = Pipeline([("scale", StandardScaler()), ("svc", mercer.SVC(multiclass=way))])
        found = GridSearchCV(machines, grid, cv=inner).fit(x[train], y[train])
        start = time.perf_counter()
        model = found.best_estimator_.fit(x[train], y[train])
        seconds += time.perf_counter() - start
        error.append(1.0 - model.score(x[test], y[test]))
        support.append(len(model[-1].support_) / len(train))
    return np.array(error), seconds, statistics.mean(support)


def linear():
    """Crammer and Singer's linear problem by both libraries."""
    x, y = table("letter", 2000)
    x = x / 15.0

    def objective(coef, intercept, classes):
        f = x @ coef.T + intercept
        own = (classes == y[:, None]).astype(float)
        return (coef**2).sum() / 2 + ((f + 1 - own).max(axis=1) - (f * own).sum(axis=1)).sum()

    models = {
        "mercer": mercer.SVC(kernel="linear", multiclass="crammer_singer", tol=1e-3),
        "LIBLINEAR": LinearSVC(multi_class="crammer_singer", intercept_scaling=100, tol=1e-3, max_iter=10**5),
    }
    took = {}
    for library, model in models.items():
        start = time.process_time()
        model.fit(x, y)
        took[library] = time.process_time() - start
        value = objective(model.coef_, model.intercept_, model.classes_)
        print(f"letter 2,000 rows, linear, C = 1: {library} {took[library]:.2f} s, objective {value:.3f}", flush=True)
    record.beside("crammer_singer_linear", "fit", took)


def main():
    warnings.filterwarnings("ignore")
    asked = argparse.ArgumentParser()
    asked.add_argument("--rows", type=int, default=2000)
    asked.add_argument("--folds", type=int, default=5)
    asked.add_argument("--tables", nargs="*", default=list(TABLES))
    asked.add_argument("ways", nargs="*", default=WAYS)
    asked = asked.parse_args()
    ways = asked.ways or WAYS
    print("| table | rows | classes | " + " | ".join(ways) + " |")
    print("|" + "---|" * (3 + len(ways)))
    best = dict.fromkeys(ways, 0)
    for name in asked.tables:
        x, y = table(name, asked.rows)
        found = {way: errors(way, x, y, asked.folds) for way in ways}
        least = min(ways, key=lambda way: found[way][0].mean())
        cells = []
        for way in ways:
            error, seconds, support = found[way]
            apart = error - found[least][0]
            ties = apart.mean() <= apart.std(ddof=1) / len(apart) ** 0.5
            best[way] += ties
            shown = f"{100 * error.mean():.1f}%"
            cells.append(f"{'**' + shown + '**' if ties else shown} ({seconds:.1f} s, {100 * support:.0f}%)")
        print(f"| {name} | {len(y):,} | {len(np.unique(y))} | " + " | ".join(cells) + " |", flush=True)
    print("| best or tied | | | " + " | ".join(str(best[way]) for way in ways) + " |")
    linear()


if __name__ == "__main__":
    main()
