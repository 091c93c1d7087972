"""Support vector machines through the Python classes, default arguments, beside scikit-learn and scikit-learn-intelex.

usage: python bench/svm.py [--rounds 3] [WORK ...]

The same arrays, parameters, tolerance and threads for all; the libraries take turns, of five calls each where one takes less
than 0.1 s: the first of them finds the caches full of another library's numbers. The other two get cache_size=1000.
Prints one JSON line per work and library: median seconds of fit and prediction, what they are in Mercer's, and how far the
dual objective lies from Mercer's as a share of it. Real tables lie in the folder $MERCER_SHARED/data.
"""

import argparse
import json
import os
import statistics
import time
import warnings
from pathlib import Path

import threads  # noqa: F401  (before numpy)

import data
import numpy as np
import record
import sklearn.svm
from sklearn import datasets
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

import mercer

try:
    from sklearnex import svm as intelex
except ImportError:
    intelex = None

HERE = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("MERCER_SHARED", HERE.parent.parent / "shared"))
KERNELS = {
    "rbf": lambda x, z, p: rbf_kernel(x, z, gamma=p["gamma"]),
    "linear": lambda x, z, p: linear_kernel(x, z),
    "poly": lambda x, z, p: polynomial_kernel(x, z, degree=3, gamma=p["gamma"], coef0=0.0),
}


def table(name, target=-1):
    """Number columns (others as codes) and labels of a real table; `None` where it is not there."""
    path = SHARED / "data" / name / f"{name}.csv"
    if not path.exists():
        return None
    rows = np.genfromtxt(path, delimiter=",", dtype=str)[1:]
    coded = [c.astype(float) if _is_number(c) else np.unique(c, return_inverse=True)[1].astype(float) for c in rows.T]
    x = np.column_stack([c for i, c in enumerate(coded) if i != target % len(coded)])
    return x, np.unique(rows[:, target], return_inverse=True)[1]


def _is_number(column):
    try:
        column.astype(float)
        return True
    except ValueError:
        return False


def held(x, y, **how):
    x, xt, y, yt = train_test_split(x, y, random_state=0, **how)
    return {"x": x, "y": y, "xt": xt, "yt": yt}


def scaled(x):
    return StandardScaler().fit_transform(x)


def letter():
    found = table("letter")
    return found and held(scaled(found[0]), found[1], train_size=15000)


def usps():
    """Its own split of rows; labels come first, pixels lie in 0..1."""
    folder = SHARED / "data" / "usps"
    if not folder.exists():
        return None
    train, new = (np.loadtxt(folder / f"usps_{part}.csv.gz", delimiter=",") for part in ("train", "test"))
    return {"x": train[:, 1:].copy(), "y": train[:, 0], "xt": new[:, 1:].copy(), "yt": new[:, 0]}


def unscaled():
    found = table("segment")
    return found and held(found[0][:846], found[1][:846], test_size=0.2)


def small_classes():
    return data.two_classes(600, d=10, new=600)


def small_numbers():
    return data.friedman(600, 10, new=600, noise=0.5)


def iris():
    x, y = datasets.load_iris(return_X_y=True)
    return {"x": x, "y": y, "xt": x[:1], "yt": y[:1]}


def large_iris():
    x, y = datasets.load_iris(return_X_y=True)
    return {"x": x * 1e3, "y": y, "xt": x * 1e3, "yt": y}


def digits():
    return held(*datasets.load_digits(return_X_y=True), test_size=0.3)


def svc(arrays, **parameters):
    return "SVC", arrays, {"kernel": "rbf", **parameters}


def svr(arrays, **parameters):
    return "SVR", arrays, {"kernel": "rbf", **parameters}


WORKS = {
    "n5000_c1": svc(lambda: data.two_classes(5000), C=1, gamma=1 / 30),
    "n20000_c1": svc(lambda: data.two_classes(20000), C=1, gamma=1 / 30),
    "n20000_c100": svc(lambda: data.two_classes(20000), C=100, gamma=1 / 30),
    "letter": svc(letter, C=10, gamma=0.1),
    "usps": svc(usps, C=10, gamma=0.03),
    "digits": svc(digits, C=10, gamma=0.001),
    **{f"svc600_c{c}": svc(small_classes, C=c, gamma=0.1) for c in (1, 40, 1000)},
    **{f"svr600_c{c}": svr(small_numbers, C=c, gamma=0.1) for c in (1, 40, 1000)},
    "svr10000": svr(lambda: data.friedman(10000, 10), C=1, gamma=0.1),
    "iris": svc(iris, C=1, gamma=0.5),
    "linear_unscaled": ("SVC", unscaled, {"kernel": "linear", "C": 1}),
    "poly_large_numbers": ("SVC", large_iris, {"kernel": "poly", "gamma": 1.0, "C": 1}),
}


def libraries(which):
    found = {"mercer": (getattr(mercer, which), {}), "scikit-learn": (getattr(sklearn.svm, which), {"cache_size": 1000})}
    if intelex:
        found["scikit-learn-intelex"] = (getattr(intelex, which), {"cache_size": 1000})
    return found


def dual(model, parameters, classes):
    """The dual objective to be maximised, in f64, for two classes and for numbers; `None` of more classes."""
    if classes and len(model.classes_) > 2:
        return None
    kept, coef = model.support_vectors_, np.asarray(model.dual_coef_).ravel()
    value = -0.5 * coef @ KERNELS[parameters["kernel"]](kept, kept, parameters) @ coef
    return value + np.abs(coef).sum() if classes else value


def timed(call):
    start = time.perf_counter()
    out = call()
    return time.perf_counter() - start, out


def median_of_turn(call):
    """Seconds of a call, the median of five where it is short, and what it returned."""
    took, out = timed(call)
    return statistics.median([took] + [timed(call)[0] for _ in range(4 if took < 0.1 else 0)]), out


def measure(name, rounds):
    which, arrays, parameters = WORKS[name]
    a = arrays()
    if a is None:
        print(f"{name}: its table is not there")
        return
    found = {library: {"fit": [], "predict": []} for library in libraries(which)}
    for turn in range(rounds + 1):
        for library, (made, more) in libraries(which).items():
            seconds, model = median_of_turn(lambda: made(**parameters, **more).fit(a["x"], a["y"]))
            predicting, _ = median_of_turn(lambda: model.predict(a["xt"]))
            if turn > 0:
                found[library]["fit"].append(seconds)
                found[library]["predict"].append(predicting)
            if turn == rounds:
                found[library]["dual"] = dual(model, parameters, which == "SVC")
                found[library]["score"] = model.score(a["xt"], a["yt"])
    ours = found["mercer"]
    for library, f in found.items():
        fit, predict = statistics.median(f["fit"]), statistics.median(f["predict"])
        line = {
            "work": name,
            "library": library,
            "fit": round(fit, 5),
            "predict": round(predict, 5),
            "fit_ratio": round(fit / statistics.median(ours["fit"]), 2),
            "predict_ratio": round(predict / statistics.median(ours["predict"]), 2),
            "score": round(f["score"], 4),
        }
        if f["dual"] is not None and which == "SVC":
            line["dual_apart"] = float(f"{(f['dual'] - ours['dual']) / abs(ours['dual']):.1e}")
        print(json.dumps(line), flush=True)
    for measured in ("fit", "predict"):
        record.beside(name, measured, {library: statistics.median(f[measured]) for library, f in found.items()})


def guide():
    """The table of LIBSVM's guide."""
    path = SHARED / "data" / "svmguide1" / "svmguide1"
    if not path.exists():
        return None
    x, y = datasets.load_svmlight_file(str(path))
    return x.toarray(), y


GRIDS = {"grid": lambda: datasets.load_breast_cancer(return_X_y=True), "guide_grid": guide}


def grid(work, rounds):
    """The grid of LIBSVM's guide, 110 cells and five folds: Mercer's search, and scikit-learn's around each class."""
    found = GRIDS[work]()
    if found is None:
        print(f"{work}: its table is not there")
        return
    x, y = scaled(found[0]), found[1]
    cells = {"C": [2.0**k for k in range(-5, 16, 2)], "gamma": [2.0**k for k in range(-15, 4, 2)]}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    searches = {"mercer.GridSearchCV": lambda: mercer.GridSearchCV(mercer.SVC(), cells, cv=folds, refit=False)}
    for library, (made, _) in libraries("SVC").items():
        searches[f"GridSearchCV, {library}"] = lambda made=made: GridSearchCV(made(), cells, cv=folds, n_jobs=2, refit=False)
    seconds, found = {}, {}
    for turn in range(rounds + 1):
        for name, made in searches.items():
            took, search = timed(lambda: made().fit(x, y))
            # The first round starts the workers.
            seconds.setdefault(name, []).extend([took] if turn > 0 else [])
            found[name] = np.array([search.cv_results_[f"split{k}_test_score"] for k in range(5)])
    ours, scores = statistics.median(seconds["mercer.GridSearchCV"]), found["mercer.GridSearchCV"]
    for name, runs in seconds.items():
        took, differ = statistics.median(runs), int((np.abs(found[name] - scores) > 1e-12).sum())
        print(json.dumps({"work": work, "library": name, "fit": round(took, 3), "fit_ratio": round(took / ours, 2), "scores_that_differ": differ}))
    record.beside(work, "fit", {name: statistics.median(runs) for name, runs in seconds.items()}, ours="mercer.GridSearchCV")


def main():
    warnings.filterwarnings("ignore")
    asked = argparse.ArgumentParser()
    asked.add_argument("works", nargs="*")
    asked.add_argument("--rounds", type=int, default=3)
    asked = asked.parse_args()
    for name in WORKS:
        if not asked.works or any(name.startswith(w) for w in asked.works):
            measure(name, asked.rounds)
    for work in GRIDS:
        if not asked.works or work in asked.works:
            grid(work, asked.rounds)


if __name__ == "__main__":
    main()
