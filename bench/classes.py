"""Gaussian process classification by Laplace's approximation through the Python classes beside scikit-learn's, and kernel logistic
regression for its own sake.

usage: BENCH_THREADS=1 python bench/classes.py [--rounds 3] [--rows 1000]

The same arrays and the same kernel objects, one length scale per column, learnt from the same start; the libraries take turns. Prints
one JSON line per work and library: median seconds of the processor, what they are in Mercer's, log marginal likelihood, and accuracy
and log loss on 1,000 further rows.
"""

import argparse
import json
import statistics
import time
import warnings

import threads  # noqa: F401  (before numpy)

import numpy as np
import record
import sklearn.gaussian_process
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.metrics import log_loss

import mercer


def rows_of(count, columns=5, seed=4):
    """Classes by a curve in five columns, with noise."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(count, columns))
    f = 2 * np.sin(1.5 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.5 * x[:, 3]
    return x, (random.uniform(size=count) < 1 / (1 + np.exp(-2 * f))).astype(int)


def main():
    warnings.filterwarnings("ignore")
    asked = argparse.ArgumentParser()
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--rows", type=int, default=1000)
    asked = asked.parse_args()
    x, y = rows_of(asked.rows + 1000)
    train, test = slice(0, asked.rows), slice(asked.rows, None)

    def kernel():
        return ConstantKernel(1.0, (1e-3, 1e3)) * RBF([5**0.5] * 5, (1e-2, 1e3))

    works = {
        "gpc": {
            "mercer": lambda: mercer.GaussianProcessClassifier(kernel()),
            "scikit-learn": lambda: sklearn.gaussian_process.GaussianProcessClassifier(kernel()),
        },
        "gpc_three": {"mercer": lambda: mercer.GaussianProcessClassifier(kernel())},
        "logistic": {"mercer": lambda: mercer.KernelLogisticRegression(kernel="rbf(ard=true)")},
        "l2vm": {"mercer": lambda: mercer.L2VectorClassifier(kernel="rbf(ard=true)")},
    }
    for work, libraries in works.items():
        target = y if work != "gpc_three" else y + (x[:, 4] > 0.5)
        seconds, fitted = {library: [] for library in libraries}, {}
        for _ in range(asked.rounds):
            for library, made in libraries.items():
                model = made()
                start = time.process_time()
                fitted[library] = model.fit(x[train], target[train])
                seconds[library].append(time.process_time() - start)
        ours = statistics.median(seconds["mercer"])
        for library, model in fitted.items():
            p = model.predict_proba(x[test])
            evidence = getattr(model, "log_marginal_likelihood_value_", None)
            line = {
                "work": work,
                "library": library,
                "rows": asked.rows,
                "fit": round(statistics.median(seconds[library]), 3),
                "fit_ratio": round(statistics.median(seconds[library]) / ours, 2),
                "evidence": None if evidence is None else round(float(evidence), 4),
                "accuracy": round(float((model.predict(x[test]) == target[test]).mean()), 4),
                "log_loss": round(float(log_loss(target[test], p)), 4),
            }
            print(json.dumps(line), flush=True)
        record.beside(work, "fit", {library: statistics.median(took) for library, took in seconds.items()})


if __name__ == "__main__":
    main()
