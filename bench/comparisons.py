"""Whole comparisons beside nested grid searches of scikit-learn: same table, same number of folds, two processes each.

usage: python bench/comparisons.py MERCER DATA [TABLE ...]

MERCER is the binary, DATA the folder of real data sets. For each table `mercer compare` runs with its defaults, then
scikit-learn tunes an SVM (25 settings), kernel ridge (25) and nearest neighbours (10) by four inner folds in each of five
outer ones. Prints one JSON line per table: seconds of both, the best score of both with its standard error.
"""

import gzip
import io
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, StandardScaler
from sklearn.svm import SVC, SVR

# Table, target, whether it holds classes.
TABLES = {
    "german/german.csv": ("target", True),
    "phoneme/phoneme.csv": ("target", True),
    "banana/banana.csv": ("target", True),
    "segment/segment.csv": ("target", True),
    "vowel/vowel.csv": ("target", True),
    "ionosphere/ionosphere.csv": ("target", True),
    "wine_white/wine_white.csv": ("quality", False),
    "boston_housing/boston_housing.csv": ("MEDV", False),
    "energy/energy.csv": (None, False),
    "power_plant/power_plant.csv": (None, False),
}


def read(path, target):
    """Number columns and the target of a CSV file; other columns as codes."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    rows = np.genfromtxt(io.StringIO(text), delimiter=",", dtype=str, names=None)
    header, cells = [name.strip('"') for name in rows[0]], rows[1:]
    at = header.index(target) if target else len(header) - 1

    def numbers(column):
        try:
            return column.astype(float)
        except ValueError:
            return LabelEncoder().fit_transform(column).astype(float)

    X = np.column_stack([numbers(cells[:, j]) for j in range(len(header)) if j != at])
    return X, cells[:, at], header[at]


def mercer(binary, path, target):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "o.json"
        start = time.perf_counter()
        subprocess.run([binary, "compare", str(path), "--target", target, "--json", str(out)], check=True, capture_output=True)
        took = time.perf_counter() - start
        rows = json.loads(out.read_text())["rows"]
    best = next(r for r in rows if r["best"])
    name, value = next(iter(best["metrics"].items()))
    return {"seconds": took, "best": best["estimator"], "metric": name, "score": value["mean"], "error": value["se"]}


def scikit_learn(X, y, classes):
    widths = np.geomspace(0.01, 1, 5) * 4 / X.shape[1]
    penalties = np.geomspace(0.1, 1000, 5)
    near = {"m__n_neighbors": [1, 2, 3, 5, 7, 10, 15, 20, 30, 50]}
    outer = (StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=0)
    scoring = "accuracy" if classes else "neg_root_mean_squared_error"
    ridge = (KernelRidge(kernel="rbf"), {"m__alpha": 1 / penalties, "m__gamma": widths})
    asked = [
        (SVC() if classes else SVR(), {"m__C": penalties, "m__gamma": widths}),
        (KNeighborsClassifier() if classes else KNeighborsRegressor(), near),
        *([] if classes else [ridge]),
    ]
    start, found = time.perf_counter(), {}
    for machine, grid in asked:
        pipe = make_pipeline(StandardScaler(), machine)
        pipe.steps[-1] = ("m", machine)
        search = GridSearchCV(pipe, grid, cv=4, n_jobs=2, scoring=scoring)
        found[type(machine).__name__] = cross_val_score(search, X, y, cv=outer, scoring=scoring)
    took = time.perf_counter() - start
    best = max(found, key=lambda name: found[name].mean())
    scores = np.abs(found[best])
    return {"seconds": took, "best": best, "score": scores.mean(), "error": scores.std(ddof=1) / np.sqrt(5)}


def main():
    binary, folder, *names = sys.argv[1:]
    for name, (target, classes) in TABLES.items():
        path = Path(folder) / name
        if (names and not any(n in name for n in names)) or not path.exists():
            continue
        X, y, target = read(path, target)
        y = LabelEncoder().fit_transform(y) if classes else y.astype(float)
        ours, theirs = mercer(binary, path, target), scikit_learn(X, y, classes)
        ratio = theirs["seconds"] / ours["seconds"]
        print(json.dumps({"table": name, "mercer": ours, "scikit_learn": theirs, "ratio": round(ratio, 1)}), flush=True)


if __name__ == "__main__":
    main()
