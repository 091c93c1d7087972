"""Class probabilities beside scikit-learn's: SVC(probability=True) and CalibratedClassifierCV, same C and gamma.

usage: bench/calibration.py [--seeds N] [TABLE ...]

Halves of each table, standardised by the training half: log loss and calibration error (ECE, ten bins) on the other half, means
over seeds, and seconds of the processor with probabilities over those without, on one thread. Also ridge and neighbours of
Mercer. Prints one line of a Markdown table per table. The tables lie in $MERCER_SHARED/data (or ../shared/data beside the
checkout); iris is the one of scikit-learn.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

os.environ["BENCH_THREADS"] = "1"
import threads  # noqa: F401  (before numpy)

import mercer
import numpy as np
import record
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MERCER_SHARED", HERE.parent.parent / "shared")) / "data"
TABLES = ["iris", "glass", "vowel", "segment", "ecoli", "wine_red", "sonar", "ionosphere", "pima_diabetes", "heart_statlog", "banknote", "phoneme", "letter"]
#: Training rows at most.
MOST = 4000
#: A class needs so many rows to stand on both sides of a split and in every fold of scikit-learn.
LEAST = 10


def table(name):
    if name == "iris":
        return load_iris(return_X_y=True)
    frame = pd.read_csv(DATA / name / f"{name}.csv")
    X = pd.get_dummies(frame.iloc[:, :-1]).to_numpy(float)
    _, y = np.unique(frame.iloc[:, -1].to_numpy(), return_inverse=True)
    kept = np.isin(y, np.nonzero(np.bincount(y) >= LEAST)[0])
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


def calibration_error(p, y):
    stated, right = p.max(axis=1), p.argmax(axis=1) == y
    bins = np.clip(np.ceil(stated * 10).astype(int), 1, 10)
    return sum(abs((right[bins == k] - stated[bins == k]).sum()) for k in range(1, 11)) / len(y)


def clocked(work):
    """Seconds of the processor, the least of a few runs where they are short."""
    best, spent = np.inf, 0.0
    while spent < 0.3:
        start = time.process_time()
        out = work()
        taken = time.process_time() - start
        best, spent = min(best, taken), spent + taken
        if taken > 0.3:
            break
    return out, best


def run(name, seeds):
    X, y = table(name)
    found = {}
    contradictions = 0
    for seed in range(seeds):
        train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed, stratify=y)
        train, test = train[:MOST], test[:MOST]
        scaler = StandardScaler().fit(X[train])
        A, B, a, b = scaler.transform(X[train]), scaler.transform(X[test]), y[train], y[test]
        gamma = float(1 / (A.shape[1] * A.var()))
        rbf = f"rbf(gamma={gamma!r})"
        asked = [
            ("svc", lambda: mercer.SVC(gamma=gamma, probability=True, n_jobs=1), lambda: mercer.SVC(gamma=gamma, n_jobs=1)),
            ("ridge", lambda: mercer.KernelRidgeClassifier(kernel=rbf, probability=True, n_jobs=1), lambda: mercer.KernelRidgeClassifier(kernel=rbf, n_jobs=1)),
            ("knn", lambda: mercer.MercerClassifier("knn(k=10, calibrated=true)", rbf, standardise=False), None),
            ("SVC(probability)", lambda: SVC(gamma=gamma, probability=True, random_state=seed), lambda: SVC(gamma=gamma)),
            ("CalibratedClassifierCV", lambda: CalibratedClassifierCV(SVC(gamma=gamma), ensemble=False), lambda: SVC(gamma=gamma)),
        ]
        for label, make, plain in asked:
            model, seconds = clocked(lambda: make().fit(A, a))
            p = model.predict_proba(B)
            ratio = seconds / clocked(lambda: plain().fit(A, a))[1] if plain else np.nan
            if not label.startswith(("SVC", "Cal")):
                contradictions += int((np.asarray(model.predict(B)) != model.classes_[p.argmax(axis=1)]).sum())
            found.setdefault(label, []).append((log_loss(b, p, labels=np.arange(y.max() + 1)), calibration_error(p, b), ratio))
    cells = []
    for values in found.values():
        loss, error, ratio = np.mean(values, axis=0)
        cells.append(f"{loss:.4f} / {error:.3f}" + ("" if np.isnan(ratio) else f" / {ratio:.1f}x"))
    print(f"| {name}, {len(train)} rows, {y.max() + 1} classes | " + " | ".join(cells) + f" | {contradictions} |", flush=True)
    means = {label: np.mean(values, axis=0) for label, values in found.items()}
    work, peer = f"{name}, {len(train)}, {y.max() + 1}", means["SVC(probability)"]
    for label in ("svc", "ridge", "knn"):
        loss, error, ratio = means[label]
        record.figure(f"{work}: {label}", "log loss / ECE", f"{loss:.4f} / {error:.3f}", "", "scikit-learn", f"{peer[0]:.4f} / {peer[1]:.3f}")
        if label == "svc":
            record.figure(f"{name}: svc", "fit with probabilities over one without", float(ratio), "", "scikit-learn", float(peer[2]))
        elif label == "ridge":
            record.figure(f"{name}: ridge", "fit with probabilities over one without", float(ratio))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("tables", nargs="*", default=TABLES)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| log loss / calibration error / time over a fit without | svc | ridge | knn | SVC(probability=True) | CalibratedClassifierCV | predict is not argmax (ours) |")
    print("|---|---|---|---|---|---|---|")
    for name in args.tables:
        run(name, args.seeds)
