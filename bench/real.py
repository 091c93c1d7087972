"""`mercer compare` on real tables beside scikit-learn's equivalents: nested cross-validation on both sides.

usage: bench/real.py [--again] [TABLE ...]

Prints one line of a Markdown table per table and estimator. scikit-learn's results are kept in target/bench/real and
taken from there unless --again is given; ours are always computed. The tables lie in the folder $MERCER_SHARED/data
(or ../shared/data beside the checkout).
"""

import csv
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

# scikit-learn's grid uses the cores for several settings at once; threads inside each of them would be in the way.
os.environ["BENCH_THREADS"] = "1"
import threads  # noqa: F401  (before numpy)

import numpy as np
import record
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.svm import SVC, SVR

HERE = Path(__file__).resolve().parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
SHARED = Path(os.environ.get("MERCER_SHARED", HERE.parent.parent / "shared"))
CORES = 2
OUTER, INNER, SEED = 5, 4, 0
#: scikit-learn tunes on as many rows as Mercer does for ridge and gp; its grids over 2000 rows take hours.
TUNING_ROWS, PROCESS_ROWS = 1000, 1000
#: A row is a shortfall if ours is worse by more standard errors than this.
MOST = 2.0

#: name -> (file, target column, further arguments of mercer compare)
TABLES = {
    "banana": ("banana/banana.csv", "target", []),
    "pima_ripley": ("pima_ripley/pima_tr.csv", "type", []),
    "ionosphere": ("ionosphere/ionosphere.csv", "target", []),
    "boston_housing": ("boston_housing/boston_housing.csv", "MEDV", []),
    "wine_red": ("wine_red/wine_red.csv", "quality", []),
    "splice_junctions": ("splice_junctions/splice.csv", "target", ["--kernel", "on(sequence, normalise(spectrum(k=3)))"]),
}


class Indicators(ClassifierMixin, BaseEstimator):
    """Classification by kernel ridge on targets of -1 and +1, one column per class."""

    def __init__(self, kernel="rbf", alpha=1.0, gamma=None):
        self.kernel, self.alpha, self.gamma = kernel, alpha, gamma

    def fit(self, x, y):
        self.classes_ = np.unique(y)
        targets = np.where(y[:, None] == self.classes_[None], 1.0, -1.0)
        self.fitted_ = KernelRidge(kernel=self.kernel, alpha=self.alpha, gamma=self.gamma).fit(x, targets)
        return self

    def predict(self, x):
        return self.classes_[self.fitted_.predict(x).argmax(1)]


def ours(name):
    """Seconds of the whole comparison, and what it wrote."""
    file, target, more = TABLES[name]
    written = TARGET / "bench/real" / f"{name}.mercer.json"
    command = [TARGET / "release/mercer", "compare", SHARED / "data" / file, "--target", target, "--json", written, *more]
    clock = time.perf_counter()
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "RAYON_NUM_THREADS": str(CORES)})
    return time.perf_counter() - clock, json.loads(written.read_text())


def table(name):
    """Inputs, targets, and whether they are classes; sequences become counts of 3 letters, scaled to unit length."""
    file, target, _ = TABLES[name]
    with open(SHARED / "data" / file, newline="") as f:
        rows = list(csv.DictReader(f))
    y = np.array([r[target] for r in rows])
    if name == "splice_junctions":
        counts = CountVectorizer(analyzer="char", ngram_range=(3, 3), lowercase=False)
        return normalize(counts.fit_transform([r["sequence"].strip() for r in rows]).astype(float)), y, True
    x = np.array([[float(v) for c, v in r.items() if c != target] for r in rows])
    if name in ("boston_housing", "wine_red"):
        return x, y.astype(float), False
    return x, y, True


def candidates(classes, sequences, dim):
    """estimator -> (model, grid): the equivalents on standardised columns (and numbers as targets), searched over about as
    many settings as ours. A grid of `None` means that the model learns its parameters itself."""
    kernel = "linear" if sequences else "rbf"
    width = {} if sequences else {"gamma": np.geomspace(0.01, 10, 6) / dim}
    c, alpha = np.geomspace(0.1, 1000, 7), np.geomspace(1e-4, 10, 9)
    neighbours = [1, 3, 5, 7, 9, 11, 15, 21, 31, 45]
    # Lengths are 1 already, and zeros must stay.
    before = [] if sequences else [StandardScaler()]

    def entry(model, **parameters):
        step = type(model).__name__.lower()
        whole = make_pipeline(*before, model)
        if classes:
            return whole, {f"{step}__{k}": v for k, v in parameters.items()}
        scaled = TransformedTargetRegressor(whole, transformer=StandardScaler())
        return scaled, {f"regressor__{step}__{k}": v for k, v in parameters.items()}

    if classes:
        return {
            "ridge": entry(Indicators(kernel), alpha=alpha, **width),
            "svc": entry(SVC(kernel=kernel, cache_size=500), C=c, **width),
            "knn": entry(KNeighborsClassifier(), n_neighbors=neighbours),
            "baseline": (DummyClassifier(), {}),
        }
    process = ConstantKernel(1.0, (1e-3, 1e3)) * RBF(np.sqrt(dim / 2), (1e-2, 1e3)) + WhiteKernel(0.1, (1e-5, 10))
    return {
        "ridge": entry(KernelRidge(kernel=kernel), alpha=alpha, **width),
        "gp": (make_pipeline(StandardScaler(), GaussianProcessRegressor(process, normalize_y=True)), None),
        "svr": entry(SVR(kernel=kernel, cache_size=500), C=c, **width),
        "knn": entry(KNeighborsRegressor(), n_neighbors=neighbours),
        "baseline": (DummyRegressor(), {}),
    }


def tuned(model, grid, x, y, classes):
    """The model with its settings chosen on the training rows, fitted on all of them."""
    if grid == {}:
        return model.fit(x, y)
    some = np.random.default_rng(SEED).permutation(x.shape[0])[: PROCESS_ROWS if grid is None else TUNING_ROWS]
    if grid is None:
        model.fit(x[some], y[some])
        if len(some) < x.shape[0]:
            process = model.steps[-1][1]
            process.set_params(kernel=process.kernel_, optimizer=None)
            model.fit(x, y)
        return model
    splitter = (StratifiedKFold if classes else KFold)(INNER, shuffle=True, random_state=SEED)
    scoring = "accuracy" if classes else "neg_root_mean_squared_error"
    search = GridSearchCV(model, grid, cv=splitter, scoring=scoring, refit=False, n_jobs=CORES).fit(x[some], y[some])
    return clone(model).set_params(**search.best_params_).fit(x, y)


def theirs(name):
    """{estimator: {"mean", "se", "seconds"}} by nested cross-validation."""
    x, y, classes = table(name)
    splits = list((StratifiedKFold if classes else KFold)(OUTER, shuffle=True, random_state=SEED).split(x, y))
    out = {}
    for estimator, (model, grid) in candidates(classes, name == "splice_junctions", x.shape[1]).items():
        clock = time.perf_counter()
        scores = []
        for train, test in splits:
            found = tuned(model, grid, x[train], y[train], classes).predict(x[test])
            scores.append(float(np.mean(found == y[test]) if classes else np.sqrt(np.mean((found - y[test]) ** 2))))
        se = float(np.std(scores, ddof=1) / np.sqrt(len(scores)))
        out[estimator] = {"mean": float(np.mean(scores)), "se": se, "seconds": time.perf_counter() - clock}
        print(f"{name}: scikit-learn {estimator} {out[estimator]}", file=sys.stderr)
    return out


def kept(name, again):
    file = TARGET / "bench/real" / f"{name}.scikit-learn.json"
    if again or not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(theirs(name)))
    return json.loads(file.read_text())


def main():
    warnings.filterwarnings("ignore")
    wanted = [a for a in sys.argv[1:] if not a.startswith("--")]
    worse = []
    print("| table | score | estimator | mercer | scikit-learn | standard errors better (+) or worse (-) | seconds, mercer | seconds, scikit-learn |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in wanted or TABLES:
        if not (SHARED / "data" / TABLES[name][0]).exists():
            print(f"{name}: no such file under {SHARED}", file=sys.stderr)
            continue
        peers = kept(name, "--again" in sys.argv)
        seconds, found = ours(name)
        total = sum(p["seconds"] for p in peers.values())
        for row in found["rows"]:
            estimator, metrics = row["estimator"].split("(")[0], row["metrics"]
            metric = "accuracy" if "accuracy" in metrics else "rmse"
            if metric not in metrics:
                print(f"{name}: {row}", file=sys.stderr)
                continue
            ours_, peer = metrics[metric], peers.get(estimator)
            cells = [name, metric, estimator, f"{ours_['mean']:.4f} ± {ours_['se']:.4f}"]
            if peer:
                spread = float(np.hypot(ours_["se"], peer["se"]))
                gain = (ours_["mean"] - peer["mean"]) * (1 if metric == "accuracy" else -1)
                units = gain / spread if spread > 0 else 0.0
                if units < -MOST:
                    worse.append(f"{name} {estimator}")
                cells += [f"{peer['mean']:.4f} ± {peer['se']:.4f}", f"{units:+.1f}"]
            else:
                cells += ["", ""]
            fit = row.get("fit_seconds")
            what = "accuracy" if metric == "accuracy" else "RMSE"
            if peer:
                record.figure(f"{name}: {estimator}", what, cells[3], "", "scikit-learn", cells[4], note=f"better by {units:+.1f} standard errors")
            else:
                record.figure(f"{name}: {estimator}", what, cells[3])
            print("| " + " | ".join([*cells, "" if fit is None else f"{fit:.2f} (one fit)", f"{peer['seconds']:.1f} (all)" if peer else ""]) + " |")
        print(f"| {name} | | all | | | | {seconds:.1f} | {total:.1f} |", flush=True)
    print(f"\nWorse by more than {MOST:g} standard errors: {', '.join(worse) if worse else 'none'}.")


if __name__ == "__main__":
    main()
