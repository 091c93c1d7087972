"""Relevance vector machines on 30 tables: evidence beside that of 20 starts, errors beside svc or svr and the baseline, intervals.

usage: bench/relevance.py [--starts N] [TABLE ...]

Each table is halved, standardised by the training half (400 rows at most), and fitted with `rbf` of the width that a search finds. One
line of a Markdown table for each: log evidence at the default and the best of N starts, errors on the other half (share of wrong classes,
or RMSE over the target's standard deviation) of rvm, of svc or svr as tuned by Mercer and of the baseline, coverage of 90% intervals,
seconds. The tables lie in $MERCER_SHARED/data (or ../shared/data beside the checkout), or are scikit-learn's or made.
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
from sklearn import datasets
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MERCER_SHARED", HERE.parent.parent / "shared")) / "data"
MOST = 400


def stored(name, classes):
    frame = pd.read_csv(DATA / name / f"{name}.csv").dropna()
    X = pd.get_dummies(frame.iloc[:, :-1]).to_numpy(float)
    y = frame.iloc[:, -1].to_numpy()
    if classes:
        kept = pd.Series(y).map(pd.Series(y).value_counts()).to_numpy() >= 4
        return X[kept], np.unique(y[kept], return_inverse=True)[1]
    return X, y.astype(float)


def sinc(noise):
    random = np.random.default_rng(0)
    x = random.uniform(-10, 10, 300)
    return x[:, None], np.sinc(x / np.pi) + noise * random.normal(size=300)


def hulls():
    random = np.random.default_rng(1)
    shapes, speeds = random.normal(size=(22, 5)), np.linspace(0.125, 0.45, 14)
    x = np.array([np.r_[shape, speed] for shape in shapes for speed in speeds])
    return x, np.exp(14 * (x[:, 5] - 0.15)) * (1 + 0.05 * x[:, 0])


def wave(offset):
    random = np.random.default_rng(3)
    x = random.uniform(0, 1, 200)
    return x[:, None], offset + np.sin(6 * x) + 0.05 * random.normal(size=200)


NUMBERS = {
    "sinc": lambda: sinc(0.1),
    "sinc_loud": lambda: sinc(0.4),
    "hulls": hulls,
    "wave": lambda: wave(0.0),
    "wave_far": lambda: wave(1e6),
    "friedman1": lambda: datasets.make_friedman1(400, noise=1.0, random_state=0),
    "friedman2": lambda: datasets.make_friedman2(400, noise=50.0, random_state=0),
    "diabetes": lambda: datasets.load_diabetes(return_X_y=True),
    **{name: (lambda name=name: stored(name, False)) for name in ["boston_housing", "auto_mpg", "yacht", "mcycle", "wine_red", "power_plant", "abalone"]},
}
CLASSES = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "wine": lambda: datasets.load_wine(return_X_y=True),
    "breast_cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "moons": lambda: datasets.make_moons(300, noise=0.3, random_state=0),
    "circles": lambda: datasets.make_circles(300, noise=0.2, factor=0.4, random_state=0),
    "blobs": lambda: datasets.make_blobs(300, centers=8, cluster_std=1.5, random_state=0),
    **{name: (lambda name=name: stored(name, True)) for name in ["glass", "ecoli", "sonar", "ionosphere", "pima_diabetes", "banana", "segment", "vowel"]},
}


def row(name, starts):
    numbers = name in NUMBERS
    X, y = (NUMBERS if numbers else CLASSES)[name]()
    split = {"train_size": min(MOST, len(y) // 2), "random_state": 0, "stratify": None if numbers else y}
    X, Xt, y, yt = train_test_split(X, y, **split)
    Xt, yt = Xt[:2000], yt[:2000]
    scaler = StandardScaler().fit(X)
    X, Xt = scaler.transform(X), scaler.transform(Xt)
    machine, other, nothing = (
        (mercer.RelevanceVectorRegressor, "svr", np.full(len(yt), y.mean()))
        if numbers
        else (mercer.RelevanceVectorClassifier, "svc", np.full(len(yt), np.bincount(y).argmax()))
    )
    start = time.perf_counter()
    model = machine().fit(X, y)
    seconds = time.perf_counter() - start
    again = machine(kernel=model.kernel_, n_init=starts).fit(X, y)
    peer = (mercer.MercerRegressor if numbers else mercer.MercerClassifier)(other).fit(X, y)

    def error(told):
        return np.sqrt(np.mean((told - yt) ** 2)) / yt.std() if numbers else np.mean(told != yt)

    covered = ""
    if numbers:
        mean, deviation = model.predict(Xt, return_std=True)
        covered = f"{np.mean(np.abs(yt - mean) <= 1.6449 * deviation):.1%}"
    evidence, best = model.log_marginal_likelihood_value_, max(again.log_marginal_likelihood_value_, model.log_marginal_likelihood_value_)
    return [
        name,
        f"{evidence:.1f}",
        f"{best - evidence:.2f}",
        *(f"{error(told):.3f}" for told in (model.predict(Xt), peer.predict(Xt), nothing)),
        covered,
        len(model.support_),
        f"{seconds:.1f}",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("tables", nargs="*", default=[*NUMBERS, *CLASSES])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| table | evidence | best of starts less it | rvm | svc or svr | baseline | 90% holds | rows | seconds |\n|---|---|---|---|---|---|---|---|---|")
    for name in given.tables:
        cells = row(name, given.starts)
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        _, evidence, short, *errors, covered, kept, seconds = cells
        errors = [float(error) for error in errors]
        for peer, theirs in zip(("svc or svr", "baseline"), errors[1:], strict=True):
            record.figure(name, "error", errors[0], "", peer, theirs)
        record.figure(name, "log evidence", float(evidence), "", f"best of {given.starts} starts", float(evidence) + float(short))
        if covered:
            record.figure(name, "targets in 90% intervals", covered)
        record.figure(name, f"fit, {kept} rows kept", float(seconds), "s")


if __name__ == "__main__":
    main()
