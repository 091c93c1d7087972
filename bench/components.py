"""Kernel PCA through the Python class beside scikit-learn's, leading components alone: `components.py [--rounds 5] [--rows 5000]`.

Five normal clusters in twenty columns, rbf with gamma = 0.02, ten components. Fits in turns; medians of wall and processor seconds and the
greatest relative difference of the eigenvalues, one line of JSON per solver of scikit-learn.
"""

import argparse
import json
import statistics
import time

import threads  # noqa: F401  (before numpy)

import numpy as np
import record
from sklearn.decomposition import KernelPCA

import mercer

COMPONENTS, GAMMA = 10, 0.02


def rows(count, columns=20, clusters=5):
    random = np.random.default_rng(5)
    means = random.normal(0, 2.0, (clusters, columns))
    return means[random.integers(0, clusters, count)] + random.normal(size=(count, columns))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=5000)
    asked = parser.parse_args()
    x = rows(asked.rows)

    def theirs(solver):
        return KernelPCA(COMPONENTS, kernel="rbf", gamma=GAMMA, eigen_solver=solver, random_state=0).fit(x).eigenvalues_

    runs = {
        "mercer": lambda: mercer.KernelPCA(COMPONENTS, kernel="rbf", gamma=GAMMA).fit(x).eigenvalues_,
        "arpack": lambda: theirs("arpack"),
        "randomized": lambda: theirs("randomized"),
    }
    wall, processor, values = ({name: [] for name in runs} for _ in range(3))
    for _ in range(asked.rounds):
        for name, run in runs.items():
            clock, used = time.perf_counter(), time.process_time()
            values[name] = run()
            wall[name].append(time.perf_counter() - clock)
            processor[name].append(time.process_time() - used)
    for name in runs:
        line = {"solver": name, "wall": statistics.median(wall[name]), "processor": statistics.median(processor[name])}
        line |= {"ratio": line["wall"] / statistics.median(wall["mercer"]), "least": min(wall[name]) / min(wall["mercer"])}
        apart = np.abs(np.asarray(values[name]) / np.asarray(values["mercer"]) - 1)
        print(json.dumps(line | {"apart": float(np.max(apart))}), flush=True)
    took = {"mercer": wall["mercer"]} | {f"scikit-learn, {name}": wall[name] for name in ("arpack", "randomized")}
    record.beside("ten components", "fit", {name: statistics.median(runs) for name, runs in took.items()})


if __name__ == "__main__":
    main()
