"""Linear support vector machines through the Python classes beside scikit-learn's, which run LIBLINEAR, on sparse rows.

usage: python bench/linear.py [--rounds 3] [--rows 10000 100000 1000000] [WORK ...]

The same arrays, losses, penalties and tolerances for both; the libraries take turns. Prints one JSON line per work, library
and number of rows: median seconds of the fit, what they are in Mercer's, and how far the primal objective lies from the lower
of the two as a share of it; then one line per work and library with the slope of log seconds against log rows.
"""

import argparse
import json
import statistics
import time
import warnings

import threads  # noqa: F401  (before numpy)

import data
import numpy as np
import record
import scipy.sparse as sp
import sklearn.svm

import mercer

WORKS = {
    "svc_squared_auto": ("LinearSVC", {"dual": "auto"}),
    "svc_squared_dual": ("LinearSVC", {"dual": True}),
    "svc_hinge": ("LinearSVC", {"loss": "hinge", "dual": True, "C": 0.1}),
    "svr_squared_auto": ("LinearSVR", {"loss": "squared_epsilon_insensitive", "epsilon": 0.1, "dual": "auto"}),
    "svr": ("LinearSVR", {"epsilon": 0.1, "dual": True, "C": 0.1}),
}


def objective(model, x, y, loss, C, epsilon=0.0):
    """The primal objective, the intercept penalised."""
    w, offset = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    f = x @ w + offset
    left = np.maximum(0, np.abs(y - f) - epsilon) if "epsilon" in loss else np.maximum(0, 1 - y * f)
    return 0.5 * (w @ w + offset**2) + C * np.sum(left**2 if "squared" in loss else left)


def measure(name, x, y, rounds):
    which, parameters = WORKS[name]
    target = np.sign(y) if which == "LinearSVC" else y
    libraries = {"mercer": getattr(mercer, which), "scikit-learn": getattr(sklearn.svm, which)}
    found = {library: [] for library in libraries}
    models = {}
    for _ in range(rounds):
        for library, made in libraries.items():
            model = made(**parameters)
            start = time.perf_counter()
            models[library] = model.fit(x, target)
            found[library].append(time.perf_counter() - start)
    asked = {"loss": models["mercer"].loss, "C": models["mercer"].C, "epsilon": getattr(models["mercer"], "epsilon", 0.0)}
    values = {library: objective(model, x, target, **asked) for library, model in models.items()}
    seconds = {library: statistics.median(runs) for library, runs in found.items()}
    for library in libraries:
        line = {
            "work": name,
            "library": library,
            "rows": x.shape[0],
            "fit": round(seconds[library], 4),
            "fit_ratio": round(seconds[library] / seconds["mercer"], 2),
            "objective": values[library],
            "above_lower": float(f"{values[library] / min(values.values()) - 1:.1e}"),
            "iterations": int(models[library].n_iter_),
            "score": round(float(models[library].score(x, target)), 4),
        }
        print(json.dumps(line), flush=True)
    record.beside(f"{name}, {x.shape[0]:,} rows", "fit", seconds)
    return seconds


def main():
    warnings.filterwarnings("ignore")
    asked = argparse.ArgumentParser()
    asked.add_argument("works", nargs="*")
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    asked = asked.parse_args()
    a = data.texts(max(asked.rows))
    whole = sp.csr_matrix((a["data"], a["indices"], a["indptr"]), shape=(max(asked.rows), a["columns"]))
    seconds = {}
    for rows in asked.rows:
        x, y = whole[:rows], a["y"][:rows]
        for name in WORKS:
            if not asked.works or any(name.startswith(w) for w in asked.works):
                for library, took in measure(name, x, y, asked.rounds).items():
                    seconds.setdefault((name, library), []).append(took)
    if len(asked.rows) > 1:
        for (name, library), took in seconds.items():
            slope = np.polyfit(np.log(asked.rows), np.log(took), 1)[0]
            print(json.dumps({"work": name, "library": library, "slope": round(float(slope), 3)}), flush=True)
            if library == "mercer":
                record.figure(name, "slope of log seconds", float(slope))


if __name__ == "__main__":
    main()
