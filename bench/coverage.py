"""Coverage and width of 90% intervals on held-out halves of tables: conformal ones of several estimators beside the normal ones of gp.

usage: bench/coverage.py [--seeds N] [--level P] [--rows N] [TABLE ...]

Each table is cut in halves (at most 1,000 rows to learn from), once for each seed; of tables of classes the sets of svc and knn are
measured, their width in classes. An interval is to hold the level of the other half: a
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
#: Twenty-two tables, two of them made; the target is the last column of numbers that has ten different values or more.
TABLES = [
    "abalone", "auto_mpg", "banknote", "boston_housing", "california_housing", "ecoli", "energy", "faithful", "glass", "kin40k",
    "mauna_loa_co2", "mcycle", "phoneme", "pima_diabetes", "power_plant", "segment", "vowel", "wine_red", "wine_white", "yacht",
    "made: heavy tails", "made: unequal noise",
]  # fmt: skip
#: Tables whose last column holds classes.
CLASSES = ["banana", "banknote", "ecoli", "glass", "segment", "vowel"]
ESTIMATORS = ["ridge", "knn", "svr", "gp", "rvm"]
CLASSIFIERS = ["svc", "knn"]


def file_of(name):
    """The file of a table, packed or not; None where there is none."""
    return next((path for ending in ("csv", "csv.gz") if (path := DATA / name / f"{name}.{ending}").exists()), None)


def made(name):
    """A smooth function of two of four columns, with noise of Student's t of 2 degrees of freedom or of a deviation that rises tenfold."""
    draw = np.random.default_rng(5)
    X = draw.uniform(-1, 1, size=(4000, 4))
    noise = draw.standard_t(2, size=len(X)) if name == "made: heavy tails" else draw.normal(size=len(X)) * 10 ** X[:, 0]
    return {f"x{j}": X[:, j] for j in range(4)}, np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + 0.2 * noise


def table(name):
    """Numbers of a table without missing cells, and the target."""
    if name.startswith("made: "):
        return made(name)
    frame = pd.read_csv(file_of(name)).select_dtypes("number").dropna()
    target = [column for column in frame if frame[column].nunique() >= 10][-1]
    X = frame.drop(columns=target)
    return {str(column): X[column].to_numpy(float) for column in X}, frame[target].to_numpy(float)


def classes(name):
    """Numbers of a table, and its classes in words."""
    frame = pd.read_csv(file_of(name)).dropna()
    X = frame.iloc[:, :-1].select_dtypes("number")
    return {str(column): X[column].to_numpy(float) for column in X}, frame.iloc[:, -1].astype(str).to_numpy()


def halves(rows, seed, most):
    order = np.random.default_rng(seed).permutation(rows)
    half = min(most, rows // 2)
    return order[:half], order[half : half + most]


def of_numbers(estimator, X, y, new, truth, level):
    """Whether each interval holds its number, and widths in deviations, by what made the intervals; gp also by the normal distribution."""
    learner = mercer.Learner(estimator)
    models = {estimator: learner.fit(X, y, intervals=True, tell=False)}
    if estimator == "gp":
        models["gp, normal"] = learner.fit(X, y, intervals=False, tell=False)
    ends = {label: model.predict_interval(new, level) for label, model in models.items()}
    return {label: ((low <= truth) & (truth <= high), high - low) for label, (low, high) in ends.items()}


def of_classes(estimator, X, y, new, truth, level):
    """Whether each set holds its class, and numbers of classes in the sets."""
    model = mercer.Learner(estimator).fit(X, y, intervals=True, tell=False)
    sets, names = model.predict_set(new, level), np.asarray(model.classes)
    held = (sets & (names[None, :] == truth[:, None])).any(axis=1)
    return {f"{estimator}, sets": (held, sets.sum(axis=1))}


def run(X, y, asked, estimators, measure):
    """Share held, mean width, rows and scores by estimator."""
    spread = y.std() if measure is of_numbers else 1.0
    found = {}
    for seed in range(asked.seeds):
        train, test = halves(len(y), seed, asked.rows)
        take = lambda rows: {column: values[rows] for column, values in X.items()}  # noqa: E731
        for estimator in estimators:
            for label, (held, width) in measure(estimator, take(train), y[train], take(test), y[test], asked.level).items():
                found.setdefault(label, []).append((held.mean(), width.mean() / spread, len(test), len(train)))
    return {label: np.mean(rows, axis=0) for label, rows in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--level", type=float, default=0.9)
    parser.add_argument("--rows", type=int, default=1000, help="rows to learn from, and to predict, at most")
    parser.add_argument("tables", nargs="*")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| table | intervals of | held % | width / sd | within error |")
    print("|---|---|---|---|---|")
    pooled = {}
    works = [(name, table, ESTIMATORS, of_numbers) for name in TABLES] + [(name, classes, CLASSIFIERS, of_classes) for name in CLASSES]
    for name, read, estimators, measure in works:
        if asked.tables and name not in asked.tables:
            continue
        if not name.startswith("made: ") and file_of(name) is None:
            print(f"{name}: no such table in {DATA}; left out")
            continue
        for label, (held, width, tested, scored) in run(*read(name), asked, estimators, measure).items():
            error = np.sqrt(asked.level * (1 - asked.level) * (1 / tested + 1 / scored))
            within = abs(held - asked.level) <= 3 * error
            print(f"| {name} | {label} | {100 * held:.1f} | {width:.2f} | {'yes' if within else 'no'} |", flush=True)
            pooled.setdefault(label, []).append((held, tested, within, width))
            record.figure(f"{name}: {label}", "coverage / mean width in deviations", f"{held:.3f} / {width:.2f}", "")
    for label, rows in pooled.items():
        held, weights, within, widths = map(np.array, zip(*rows))
        mean = np.average(held, weights=weights)
        print(f"pooled over {len(rows)} tables, {label}: {100 * mean:.1f}%, width {widths.mean():.2f}, {within.sum()} tables within their error")


if __name__ == "__main__":
    main()
