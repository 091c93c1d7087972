"""Whole comparisons: their seconds beside what is aimed at, and beside nested grid searches of scikit-learn.

usage: python bench/comparisons.py MERCER SHARED [--aims] [TABLE ...]

MERCER is the binary, SHARED the folder that holds `data` and `messy`. With --aims each table of AIMS is compared with
default options on two threads and on one. Without it, on each table of TABLES `mercer compare` runs with its defaults, then
scikit-learn tunes an SVM (25 settings), kernel ridge (25, numbers only) and nearest neighbours (10) by four inner folds in
each of five outer ones, two processes at a time; rows that are copies stay in one fold on both sides. Prints one JSON line
per table.
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
import record
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelEncoder, StandardScaler
from sklearn.svm import SVC, SVR

#: Table -> (target, whether it holds classes).
TABLES = {
    "german/german.csv": ("target", True),
    "phoneme/phoneme.csv": ("target", True),
    "banana/banana.csv": ("target", True),
    "segment/segment.csv": ("target", True),
    "vowel/vowel.csv": ("target", True),
    "ionosphere/ionosphere.csv": ("target", True),
    "wine_red/wine_red.csv": ("quality", False),
    "boston_housing/boston_housing.csv": ("MEDV", False),
    "energy/energy.csv": ("heating_load", False),
    "auto_mpg/auto_mpg.csv": ("mpg", False),
    "glass/glass.csv": ("target", True),
    "ecoli/ecoli.csv": ("target", True),
    "sonar/sonar.csv": ("target", True),
    "pima_diabetes/pima_diabetes.csv": ("target", True),
    "banknote/banknote.csv": ("target", True),
    "heart_statlog/heart_statlog.csv": ("target", True),
    "pima_ripley/pima_tr.csv": ("type", True),
    "ripley_synth/synth_tr.csv": ("yc", True),
    "yacht/yacht.csv": ("resistance", False),
    "mcycle/mcycle.csv": ("accel", False),
}
#: Table -> (target, seconds on two threads); one thread may take ONE_THREAD times as long.
AIMS = {
    "example:iris": ("species", 1),
    "data/german/german.csv": ("target", 5),
    "data/vowel/vowel.csv": ("target", 20),
    "data/wine_white/wine_white.csv": ("quality", 15),
    "data/letter/letter.csv": ("target", 60),
    "data/california_housing/california_housing.csv.gz": ("medianHouseValue", 60),
}
ONE_THREAD = 2.2


def read(path, target):
    """Number columns and the target of a CSV file; other columns as codes."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    rows = np.genfromtxt(io.StringIO(text), delimiter=",", dtype=str, names=None)
    header, cells = [name.strip('"') for name in rows[0]], rows[1:]
    at = header.index(target)

    def numbers(column):
        try:
            return column.astype(float)
        except ValueError:
            return LabelEncoder().fit_transform(column).astype(float)

    X = np.column_stack([numbers(cells[:, j]) for j in range(len(header)) if j != at])
    return X, cells[:, at]


def mercer(binary, table, target, *more):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "o.json"
        named = [] if str(table).startswith("example:") else ["--target", target]
        start = time.perf_counter()
        subprocess.run([binary, "compare", str(table), *named, "--json", str(out), *more], check=True, capture_output=True)
        took = time.perf_counter() - start
        rows = json.loads(out.read_text())["rows"]
    best = next(r for r in rows if r["best"])
    name, value = next(iter(best["metrics"].items()))
    return {"seconds": round(took, 2), "best": best["estimator"], "metric": name, "score": value["mean"], "error": value["se"]}


def scikit_learn(X, y, classes):
    widths = np.geomspace(0.01, 1, 5) * 4 / X.shape[1]
    penalties = np.geomspace(0.1, 1000, 5)
    copies = np.unique(np.column_stack([X, y]), axis=0, return_inverse=True)[1].ravel()
    split = (StratifiedKFold if classes else KFold) if len(np.unique(copies)) == len(y) else GroupKFold
    folds = list(split(5, shuffle=True, random_state=0).split(X, y, copies))
    scoring = "accuracy" if classes else "neg_root_mean_squared_error"
    asked = [
        (SVC() if classes else SVR(), {"C": penalties, "gamma": widths}),
        (KNeighborsClassifier() if classes else KNeighborsRegressor(), {"n_neighbors": [1, 2, 3, 5, 7, 10, 15, 20, 30, 50]}),
    ]
    if not classes:
        asked.append((KernelRidge(kernel="rbf"), {"alpha": 1 / penalties, "gamma": widths}))
    start, found = time.perf_counter(), {}
    for machine, grid in asked:
        model = Pipeline([("scale", StandardScaler()), ("machine", machine)])
        search = GridSearchCV(model, {f"machine__{name}": values for name, values in grid.items()}, cv=4, n_jobs=2, scoring=scoring)
        found[type(machine).__name__] = cross_val_score(search, X, y, cv=folds, scoring=scoring)
    took = time.perf_counter() - start
    best = max(found, key=lambda name: found[name].mean())
    scores = np.abs(found[best])
    return {"seconds": round(took, 2), "best": best, "score": scores.mean(), "error": scores.std(ddof=1) / np.sqrt(5)}


def beside(binary, path, target, classes):
    X, y = read(path, target)
    y = LabelEncoder().fit_transform(y) if classes else y.astype(float)
    kind = ["--types", f"{target}=category"] if classes else []
    ours, theirs = mercer(binary, path, target, "--threads", "2", *kind), scikit_learn(X, y, classes)
    gain = (ours["score"] - theirs["score"]) * (1 if classes else -1) / theirs["error"]
    ratio = theirs["seconds"] / ours["seconds"]
    return {"mercer": ours, "scikit_learn": theirs, "ratio": round(ratio, 1), "standard_errors_better": round(gain, 2)}


def aims(binary, path, target, seconds):
    two, one = (mercer(binary, path, target, "--threads", threads) for threads in ("2", "1"))
    found = {"best": two["best"], "score": two["score"], "seconds": two["seconds"], "aim": seconds}
    return {**found, "one_thread": one["seconds"], "one_thread_aim": round(ONE_THREAD * seconds, 1)}


def main():
    binary, shared, *names = sys.argv[1:]
    against_aims = "--aims" in names
    names = [name for name in names if not name.startswith("--")]
    for name, told in (AIMS if against_aims else TABLES).items():
        if names and not any(n in name for n in names):
            continue
        path = Path(shared) / name if against_aims else Path(shared) / "data" / name
        if name.startswith("example:"):
            path = name
        elif not path.exists():
            print(f"{name}: no such file under {shared}", file=sys.stderr)
            continue
        found = (aims if against_aims else beside)(binary, path, *told)
        print(json.dumps({"table": name, **found}), flush=True)
        short = name.removeprefix("example:").split("/")[-2 if "/" in name else -1]
        if against_aims:
            record.figure(short, "compare", found["seconds"], "s", note=f"best {found['best']} {found['score']:.4g}; aim {found['aim']:g} s")
        else:
            ours, theirs = found["mercer"], found["scikit_learn"]
            record.figure(short, "compare beside nested grids", ours["seconds"], "s", "scikit-learn", theirs["seconds"])
            better = f"better by {found['standard_errors_better']:+.2g} of its standard errors"
            record.figure(short, "best score", f"{ours['best']} {ours['score']:.4g}", "", "scikit-learn", f"{theirs['best']} {theirs['score']:.4g}", note=better)


if __name__ == "__main__":
    main()
