"""k medoids under a Gaussian kernel through the Python class beside fasterpam of the package kmedoids (the crate fasterpam).

usage: python bench/clusters.py [--rounds 5] [--rows 3000] [--clusters 10]

Rows of ten overlapping normal clusters in ten columns; distances in the feature space of rbf(gamma=0.05); one thread. Mercer begins with
the rows; the peer with the distances, whose seconds by numpy are told beside. In turns; prints one JSON line for each: median seconds of
processor, what they are in Mercer's, and the loss. The peer is given random starts, as is its usual, and Mercer's greedy one (build).
"""

import argparse
import json
import statistics
import time

import threads  # noqa: F401  (before numpy)

import kmedoids
import numpy as np
import record

import mercer

GAMMA = 0.05


def rows(count, clusters):
    random = np.random.default_rng(15)
    means = random.normal(0, 1.2, (clusters, 10))
    return means[random.integers(0, clusters, count)] + random.normal(size=(count, 10))


def distances(x):
    squares = (x**2).sum(1)
    apart = np.sqrt(np.maximum(2 - 2 * np.exp(-GAMMA * np.maximum(squares[:, None] + squares[None] - 2 * x @ x.T, 0)), 0))
    np.fill_diagonal(apart, 0)
    return apart


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--clusters", type=int, default=10)
    asked = parser.parse_args()
    x, count = rows(asked.rows, asked.clusters), asked.clusters
    apart = distances(x)

    def theirs(start, seed):
        return float(kmedoids.fasterpam(apart, count, max_iter=100, init=start, random_state=seed, n_cpu=1).loss)

    runs = {
        "mercer, from rows": lambda _: mercer.KMedoids(count, gamma=GAMMA, n_jobs=1).fit(x).inertia_,
        "fasterpam, from distances, random start": lambda seed: theirs("random", seed),
        "fasterpam, from distances, build": lambda seed: theirs("build", seed),
        "numpy, distances": lambda _: float(distances(x)[0, 1]),
    }
    seconds, losses = {name: [] for name in runs}, {name: [] for name in runs}
    for seed in range(asked.rounds):
        for name, run in runs.items():
            start = time.process_time()
            losses[name].append(run(seed))
            seconds[name].append(time.process_time() - start)
    ours = statistics.median(seconds["mercer, from rows"])
    for name in runs:
        median = statistics.median(seconds[name])
        print(json.dumps({"library": name, "seconds": round(median, 4), "in_mercers": round(median / ours, 2), "loss": [round(min(losses[name]), 4), round(max(losses[name]), 4)]}), flush=True)
    took = {name: statistics.median(runs) for name, runs in seconds.items()}
    for peer, start in (("random starts", "random start"), ("BUILD", "build")):
        theirs = took["numpy, distances"] + took[f"fasterpam, from distances, {start}"]
        record.figure("3,000 rows, ten clusters", "rows to medoids", ours, "s", f"numpy and kmedoids, {peer}", theirs)


if __name__ == "__main__":
    main()
