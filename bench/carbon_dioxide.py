"""Twenty years of monthly CO2 at Mauna Loa ahead: RMSE, log density and coverage of Gaussian processes that learn from the nineteen before.

usage: BENCH_THREADS=2 python bench/carbon_dioxide.py [--data ../shared/data]

One line of a Markdown table for each kernel: log evidence of the training years, and what it reaches on the years after. Beside Mercer's,
the kernel made by hand in scikit-learn's example of these data, fitted by scikit-learn.
"""

import argparse
import pathlib
import sys
import time
import warnings

import threads  # noqa: F401  (before numpy)

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ExpSineSquared, RationalQuadratic, WhiteKernel

import mercer

#: A trend, the season that may change slowly, and what deviates from both for some months.
KERNELS = (
    "auto*rbf + auto*rbf*periodic(period=1) + auto*rational_quadratic",
    "auto*centre(linear) + auto*rbf*periodic(period=1) + auto*rational_quadratic",
    "auto*centre(linear)^2 + auto*centre(linear) + auto*rbf*periodic(period=1) + auto*rational_quadratic",
)
AHEAD = 20


def line(name, evidence, mean, deviation, truth, seconds):
    density = np.mean(-0.5 * np.log(2 * np.pi * deviation**2) - 0.5 * ((truth - mean) / deviation) ** 2)
    held = np.mean(np.abs(truth - mean) <= 1.6449 * deviation)
    rmse = np.sqrt(np.mean((truth - mean) ** 2))
    print(f"| {name} | {evidence:.1f} | {rmse:.2f} | {density:.2f} | {100 * held:.0f}% | {seconds:.1f} |")


def by_hand():
    long = 50.0**2 * RBF(50.0)
    seasonal = 2.0**2 * RBF(100.0) * ExpSineSquared(1.0, 1.0, periodicity_bounds="fixed")
    irregular = 0.5**2 * RationalQuadratic(1.0, 1.0)
    noise = 0.1**2 * RBF(0.1) + WhiteKernel(0.1**2, (1e-5, 1e5))
    return long + seasonal + irregular + noise


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"))
    path = asked.parse_args().data / "mauna_loa_co2" / "mauna_loa_co2.csv"
    if not path.exists():
        sys.exit(f"{path} is absent: nothing to measure")
    year, co2 = np.loadtxt(path, delimiter=",", skiprows=1).T
    learning = year < year.max() - AHEAD
    (x, y), (new, truth) = (year[learning], co2[learning]), (year[~learning], co2[~learning])
    print(f"{len(y)} months to learn from, {len(truth)} ahead\n")
    print("| kernel | log evidence | RMSE, ppm | log density | in 90% intervals | seconds |")
    print("|---|---|---|---|---|---|")
    for kernel in KERNELS:
        start = time.perf_counter()
        model = mercer.Learner("gp", kernel).fit({"year": x}, y)
        mean, deviation = model.predict({"year": new}, std=True)
        line(f"`{kernel}`", model.summary["evidence"], mean, deviation, truth, time.perf_counter() - start)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        process = GaussianProcessRegressor(by_hand()).fit(x[:, None], y - y.mean())
    mean, deviation = process.predict(new[:, None], return_std=True)
    seconds = time.perf_counter() - start
    line("scikit-learn's example, by scikit-learn", process.log_marginal_likelihood_value_, mean + y.mean(), deviation, truth, seconds)


if __name__ == "__main__":
    main()
