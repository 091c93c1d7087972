"""Class probabilities of every classifier beside scikit-learn's calibrated ones: calibration error and log loss.

usage: bench/probabilities.py [--folds N] [--rows N] [--tables TABLE ...] [CLASSIFIER ...]

Five folds of eight tables, at most 1000 rows of each, standardised by the training rows; what a classifier leaves open it tunes.
Calibration error (ECE, 15 bins of the probability of the predicted class) and log loss, means over folds. A peer is scikit-learn's nearest
estimator at its defaults in CalibratedClassifierCV, by sigmoids and by isotonic regression; the lower log loss of the two counts. Methods
with a kernel that scikit-learn lacks are its linear ones on 200 Nystroem features. `--folds 1` tests the first of
the folds alone. Prints one Markdown table. The tables lie in $MERCER_SHARED/data (or ../shared/data beside the checkout); breast_cancer
is the one of scikit-learn.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import mercer
import numpy as np
import record
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MERCER_SHARED", HERE.parent.parent / "shared")) / "data"
TABLES = ["heart_statlog", "ionosphere", "pima_diabetes", "breast_cancer", "german", "phoneme", "segment", "vowel"]
#: Nystroem features.
FEATURES = 200
#: Columns that are no measurement.
IGNORED = {"vowel": ["Train_or_Test", "Speaker_Number", "Sex"]}


def on_features(estimator):
    """The estimator on features whose products are the values of a Gaussian kernel."""

    def made(rows, columns):
        return make_pipeline(Nystroem(gamma=1 / columns, n_components=min(rows, FEATURES), random_state=0), estimator())

    return made


def alone(estimator):
    return lambda rows, columns: estimator()


#: Ours, and scikit-learn's nearest estimator for so many rows and columns.
CLASSIFIERS = {
    "knn": ("knn", alone(KNeighborsClassifier)),
    "knn(k=1)": ("knn(k=1)", alone(lambda: KNeighborsClassifier(1))),
    "nadaraya_watson": ("nadaraya_watson", alone(lambda: KNeighborsClassifier(weights="distance"))),
    "discriminant": ("discriminant", on_features(lambda: LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"))),
    "svc": ("svc(probabilities=true)", alone(SVC)),
    "ridge": ("ridge(probabilities=true)", on_features(RidgeClassifier)),
    "perceptron": ("perceptron(probabilities=true)", on_features(Perceptron)),
    "rbf_network": ("rbf_network", on_features(LogisticRegression)),
    "logistic": ("logistic", on_features(LogisticRegression)),
    "l1vm": ("l1vm", on_features(lambda: OneVsRestClassifier(LogisticRegression(penalty="l1", solver="liblinear")))),
    "l2vm": ("l2vm", on_features(LogisticRegression)),
    "rvm": ("rvm", alone(SVC)),
    "gp": ("gp", lambda rows, columns: GaussianProcessClassifier(RBF(columns**0.5), optimizer=None)),
}


def table(name, most):
    if name == "breast_cancer":
        X, y = load_breast_cancer(return_X_y=True)
    else:
        frame = pd.read_csv(DATA / name / f"{name}.csv").drop(columns=IGNORED.get(name, []))
        X = pd.get_dummies(frame.iloc[:, :-1]).to_numpy(float)
        _, y = np.unique(frame.iloc[:, -1].to_numpy(), return_inverse=True)
    if len(y) > most:
        X, _, y, _ = train_test_split(X, y, train_size=most, random_state=0, stratify=y)
    return X, y


def calibration_error(p, y, bins=15):
    stated, right = p.max(axis=1), p.argmax(axis=1) == y
    which = np.clip(np.ceil(stated * bins).astype(int), 1, bins)
    return sum(abs((right[which == k] - stated[which == k]).sum()) for k in range(1, bins + 1)) / len(y)


def measured(classifier, X, y, folds):
    """Calibration error and log loss of all tested rows; the better log loss of the peer, and how it was calibrated."""
    text, peer = CLASSIFIERS[classifier]
    truth, ours, theirs = [], [], {"sigmoid": [], "isotonic": []}
    for train, test in list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))[:folds]:
        scaler = StandardScaler().fit(X[train])
        A, B = scaler.transform(X[train]), scaler.transform(X[test])
        ours.append(mercer.MercerClassifier(text, standardise=False).fit(A, y[train]).predict_proba(B))
        truth.append(y[test])
        for method, made in theirs.items():
            model = CalibratedClassifierCV(peer(len(train) * 4 // 5, X.shape[1]), method=method, ensemble=False)
            made.append(model.fit(A, y[train]).predict_proba(B))
    truth, ours = np.concatenate(truth), np.concatenate(ours)
    labels = np.arange(y.max() + 1)
    losses = {method: log_loss(truth, np.concatenate(made), labels=labels) for method, made in theirs.items()}
    best = min(losses, key=losses.get)
    return calibration_error(ours, truth), log_loss(truth, ours, labels=labels), losses[best], best


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("classifiers", nargs="*", default=list(CLASSIFIERS))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    tables = {name: table(name, args.rows) for name in args.tables}
    print(f"| ECE / log loss (scikit-learn's) | {' | '.join(tables)} | mean ECE | mean log loss | scikit-learn's | s |")
    print("|---" * (len(tables) + 5) + "|")
    for classifier in args.classifiers:
        begin = time.perf_counter()
        found = [measured(classifier, X, y, args.folds) for X, y in tables.values()]
        cells = [f"{error:.3f} / {ours:.3f} ({theirs:.3f})" for error, ours, theirs, _ in found]
        error, ours, theirs = np.mean([f[:3] for f in found], axis=0)
        seconds = time.perf_counter() - begin
        print(f"| {classifier} | {' | '.join(cells)} | {error:.3f} | {ours:.3f} | {theirs:.3f} | {seconds:.0f} |", flush=True)
        for name, (error_, ours_, theirs_, _) in zip(tables, found, strict=True):
            record.figure(f"{classifier}: {name}", "ECE / log loss", f"{error_:.3f} / {ours_:.3f}", "", "scikit-learn", float(f"{theirs_:.3f}"))
        record.figure(f"{classifier}: mean", "ECE / log loss", f"{error:.3f} / {ours:.3f}", "", "scikit-learn", float(f"{theirs:.3f}"))
