"""Nystroem and random features against scikit-learn's pipelines, in turns: `low_rank.py [--rounds 3] [--rows 100000]`.

The workload is that of ``nystroem_m1000_ridge_n100000``: a smooth function of 20 columns with noise, rbf with gamma = 0.05,
lambda = 0.1. Only fit and predict are inside the clock. One line of JSON per library.
"""

import argparse
import json
import resource
import statistics
import time

import numpy as np
import record


def workload(rows, columns=20, seed=13):
    draw = np.random.default_rng(seed)
    x, new = draw.normal(size=(rows, columns)), draw.normal(size=(10_000, columns))
    w = draw.normal(size=(columns, 6)) / np.sqrt(columns)

    def truth(z):
        return np.sin(z @ w).sum(1) + 0.5 * np.tanh(z[:, 0] * z[:, 1])

    return x, truth(x) + 0.1 * draw.normal(size=rows), new, truth(new)


def mercer_fit(kernel):
    import mercer

    learner = mercer.Learner("ridge(lambda=0.1)", kernel, standardise=False)
    return lambda x, y: learner.fit(x, y)


def scikit_fit(features):
    from sklearn.kernel_approximation import Nystroem, RBFSampler
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    maps = {
        "nystroem": lambda: Nystroem(kernel="rbf", gamma=0.05, n_components=1000, random_state=0),
        "fourier": lambda: RBFSampler(gamma=0.05, n_components=1000, random_state=0),
    }
    return lambda x, y: make_pipeline(maps[features](), Ridge(alpha=0.1)).fit(x, y)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    x, y, new, truth = workload(options.rows)
    length = float(np.sqrt(1 / (2 * 0.05)))
    runs = {
        "mercer nystroem": mercer_fit(f"nystroem(rbf(length_scale={length}), rank=1000)"),
        "scikit-learn nystroem": scikit_fit("nystroem"),
        "mercer fourier": mercer_fit(f"fourier(rbf(length_scale={length}), count=1000)"),
        "scikit-learn fourier": scikit_fit("fourier"),
    }
    times = {name: ([], []) for name in runs}
    errors = {}
    for _ in range(options.rounds):
        for name, fit in runs.items():
            clock = time.perf_counter()
            model = fit(x, y)
            times[name][0].append(time.perf_counter() - clock)
            clock = time.perf_counter()
            predicted = model.predict(new)
            times[name][1].append(time.perf_counter() - clock)
            errors[name] = float(np.sqrt(np.mean((np.asarray(predicted) - truth) ** 2)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    for name, (fits, predictions) in times.items():
        row = {"library": name, "rows": options.rows, "fit": statistics.median(fits), "predict": statistics.median(predictions)}
        print(json.dumps({**row, "rmse": errors[name]}))
    print(json.dumps({"peak_bytes_of_all": peak}))
    for map_, work in (("nystroem", "nystroem(rbf, rank=1000)"), ("fourier", "fourier(rbf, count=1000)")):
        names = {library: f"{library} {map_}" for library in ("mercer", "scikit-learn")}
        for which, measured in enumerate(("fit", "predict 10,000")):
            record.beside(work, measured, {library: statistics.median(times[name][which]) for library, name in names.items()})
        record.beside(work, "RMSE", {library: errors[name] for library, name in names.items()}, "")


if __name__ == "__main__":
    main()
