"""Mean integrated squared errors of bandwidths on the fifteen densities of Marron & Wand (1992): `ise.py [--rows 100 1000] [--samples 50]`.

Every rule and every peer's rule sees the same samples; the density itself is Mercer's for all, so that bandwidths alone are
compared. Prints one JSON line per size and rule: the mean over the densities of the mean error, each as a multiple of the least
that any one bandwidth has on the same sample, and the worst density.
"""

import argparse
import json

import threads  # noqa: F401  (before numpy)

import numpy as np
import record
from scipy.optimize import minimize_scalar

import mercer

try:
    from KDEpy.bw_selection import improved_sheather_jones
except ImportError:
    improved_sheather_jones = None

RULES = ["normal_reference", "silverman", "scott", "sheather_jones", "isj", "cross_validation", "least_squares"]

# Weights, means and standard deviations, table 1 of the paper.
MIXTURES = {
    "gaussian": [(1, 0, 1)],
    "skewed unimodal": [(1 / 5, 0, 1), (1 / 5, 1 / 2, 2 / 3), (3 / 5, 13 / 12, 5 / 9)],
    "strongly skewed": [(1 / 8, 3 * ((2 / 3) ** k - 1), (2 / 3) ** k) for k in range(8)],
    "kurtotic unimodal": [(2 / 3, 0, 1), (1 / 3, 0, 1 / 10)],
    "outlier": [(1 / 10, 0, 1), (9 / 10, 0, 1 / 10)],
    "bimodal": [(1 / 2, -1, 2 / 3), (1 / 2, 1, 2 / 3)],
    "separated bimodal": [(1 / 2, -3 / 2, 1 / 2), (1 / 2, 3 / 2, 1 / 2)],
    "skewed bimodal": [(3 / 4, 0, 1), (1 / 4, 3 / 2, 1 / 3)],
    "trimodal": [(9 / 20, -6 / 5, 3 / 5), (9 / 20, 6 / 5, 3 / 5), (1 / 10, 0, 1 / 4)],
    "claw": [(1 / 2, 0, 1)] + [(1 / 10, k / 2 - 1, 1 / 10) for k in range(5)],
    "double claw": [(49 / 100, -1, 2 / 3), (49 / 100, 1, 2 / 3)] + [(1 / 350, (k - 3) / 2, 1 / 100) for k in range(7)],
    "asymmetric claw": [(1 / 2, 0, 1)] + [(2 ** (1 - k) / 31, k + 1 / 2, 2**-k / 10) for k in range(-2, 3)],
    "asymmetric double claw": [(46 / 100, 2 * k - 1, 2 / 3) for k in range(2)]
    + [(1 / 300, -k / 2, 1 / 100) for k in range(1, 4)]
    + [(7 / 300, k / 2, 7 / 100) for k in range(1, 4)],
    "smooth comb": [(2 ** (5 - k) / 63, (65 - 96 / 2**k) / 21, (32 / 63) / 2**k) for k in range(6)],
    "discrete comb": [(2 / 7, (12 * k - 15) / 7, 2 / 7) for k in range(3)] + [(1 / 21, 2 * k / 7, 1 / 21) for k in range(8, 11)],
}


def normal(x, s):
    return np.exp(-0.5 * (x / s) ** 2) / (s * np.sqrt(2 * np.pi))


def squared_error(x, h, mixture):
    """The integral of (f_h - f)^2 in closed form: integrals of products of Gaussians are Gaussians of differences."""
    w, m, s = (np.array(c, float) for c in zip(*mixture, strict=True))
    own = normal(x[:, None] - x, np.sqrt(2) * h).mean()
    both = (normal(x[:, None] - m, np.hypot(h, s)) * w).sum(axis=1).mean()
    truth = (normal(m[:, None] - m, np.hypot(s[:, None], s)) * np.outer(w, w)).sum()
    return own - 2 * both + truth


def least(x, mixture):
    """The least error of any bandwidth."""
    grid = np.geomspace(0.01, 1.5, 24)
    k = int(np.argmin([squared_error(x, h, mixture) for h in grid]))
    bounds = np.log([grid[max(k - 1, 0)], grid[min(k + 1, 23)]])
    return minimize_scalar(lambda log: squared_error(x, np.exp(log), mixture), bounds=bounds, method="bounded", options={"xatol": 0.01}).fun


def bandwidths(x):
    """What every rule says of a sample."""
    column = x[:, None]
    found = {f"mercer {rule}": float(mercer.KernelDensity(bandwidth=rule).fit(column).bandwidth_) for rule in RULES}
    n = len(x)
    # scikit-learn's own rules know no scale.
    found["scikit-learn scott"] = n**-0.2
    found["scikit-learn silverman"] = (n * 0.75) ** -0.2
    found["scipy scott"] = n**-0.2 * x.std(ddof=1)
    if improved_sheather_jones:
        found["KDEpy ISJ"] = float(improved_sheather_jones(column))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[100, 1000])
    parser.add_argument("--samples", type=int, default=50)
    options = parser.parse_args()
    for rows in options.rows:
        ratios = {}
        for at, (name, mixture) in enumerate(MIXTURES.items()):
            draw = np.random.default_rng([rows, at])
            w, m, s = (np.array(c, float) for c in zip(*mixture, strict=True))
            errors, best = {}, []
            for _ in range(options.samples):
                part = draw.choice(len(w), size=rows, p=w / w.sum())
                x = draw.normal(m[part], s[part])
                best.append(least(x, mixture))
                for rule, h in bandwidths(x).items():
                    errors.setdefault(rule, []).append(squared_error(x, h, mixture))
            for rule, of_rule in errors.items():
                ratios.setdefault(rule, {})[name] = float(np.mean(of_rule) / np.mean(best))
        for rule, of_rule in ratios.items():
            worst = max(of_rule, key=of_rule.get)
            row = {"rows": rows, "rule": rule, "mean": round(float(np.mean(list(of_rule.values()))), 3)}
            best = sum(of_rule[name] <= 1.02 * min(r[name] for r in ratios.values()) for name in MIXTURES)
            print(json.dumps({**row, "within 2% of the best on": best, "worst": round(of_rule[worst], 2), "on": worst}), flush=True)
            record.figure(rule, f"error over the least, {rows:,} rows", f"{row['mean']:.3g}, worst {of_rule[worst]:.2g}")


if __name__ == "__main__":
    main()
