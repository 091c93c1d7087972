"""Seconds of structured random features beside dense ones, by the number of columns: `structured_features.py [--rounds 5] [--rows 2000]`.

A ridge over 4,096 features of rbf is fitted to 200 rows; the clock runs while it predicts others, which is their features and one inner
product each. Prints one line of a Markdown table for each number of columns: medians of seconds, in turns.
"""

import argparse
import os
import statistics
import time

os.environ.setdefault("BENCH_THREADS", "1")
import threads  # noqa: F401  (before numpy)

import mercer
import numpy as np
import record

#: What is timed, by the options of the kernel.
WAYS = {"dense": "structured=false", "structured": "structured=true", "structured, not orthogonal": "structured=true, orthogonal=false"}
FEATURES = 4096


def fitted(columns, options):
    draw = np.random.default_rng(columns)
    x, y = draw.normal(size=(200, columns)), draw.normal(size=200)
    kernel = f"fourier(rbf(length_scale={np.sqrt(columns)}), count={FEATURES}, {options})"
    return mercer.Learner("ridge(lambda=1)", kernel, standardise=False).fit(x, y)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=2000)
    asked = parser.parse_args()
    print("| columns |", " | ".join(WAYS), "|\n|---|", "---|" * len(WAYS), sep="")
    for columns in (16, 64, 256, 1024, 4096, 16_384):
        new = np.random.default_rng(1).normal(size=(asked.rows, columns))
        models = {way: fitted(columns, options) for way, options in WAYS.items()}
        seconds = {way: [] for way in WAYS}
        for _ in range(asked.rounds):
            for way, model in models.items():
                clock = time.perf_counter()
                model.predict(new)
                seconds[way].append(time.perf_counter() - clock)
        medians = {way: statistics.median(each) for way, each in seconds.items()}
        print(f"| {columns} |", " | ".join(f"{median:.3f}" for median in medians.values()), "|", flush=True)
        record.figure(f"fourier of {columns} columns", "predict", medians["structured"], "s", "dense", medians["dense"], ratio=medians["dense"] / medians["structured"])


if __name__ == "__main__":
    main()
