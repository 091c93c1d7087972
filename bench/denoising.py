"""Noise taken from the digits of usps by kernel components and by linear ones, as numbers and as a picture: `denoising.py OUT.svg`.

Mika, Schoelkopf, Smola, Mueller, Scholz & Raetsch (1999): components of digits without noise, pre-images of what they make of others
with noise. 1,000 digits for training, 200 others with normal noise; one line of JSON for each number of components: mean squared error
of the pixels, seconds. The picture holds ten digits: as they are, with noise, and by the best number of linear and of kernel components.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA

import mercer

DATA = Path(os.environ.get("MERCER_SHARED", "../shared")) / "data" / "usps"
SIDE, NOISE, GAMMA = 16, 0.5, 1 / 200
COUNTS = [8, 16, 32, 64, 128, 256]
METHODS = ["fixed_point", "distances"]


def digits():
    """Pixels from 0 to 1 of training and of other digits, ten classes in turn among the first of these."""
    train, new = (np.loadtxt(DATA / f"usps_{part}.csv.gz", delimiter=",") for part in ("train", "test"))
    first = [int(np.flatnonzero(new[:, 0] == k)[0]) for k in range(10)]
    others = np.setdiff1d(np.arange(len(new)), first)[:190]
    return train[:1000, 1:], new[np.r_[first, others], 1:]


def picture(lines):
    """Ten digits a line as SVG, in eight greys."""
    pixel, step, left = 3, SIDE * 3 + 6, 110
    parts = []
    for at, (name, rows) in enumerate(lines):
        top = 6 + at * step
        parts.append(f'<text x="4" y="{top + step // 2}" font-family="sans-serif" font-size="12">{name}</text>')
        greys = np.round(7 * np.clip(rows[:10], 0, 1)).astype(int)
        for grey in range(1, 8):
            cells = np.argwhere(greys == grey)
            path = "".join(f"M{left + k * step + (p % SIDE) * pixel} {top + (p // SIDE) * pixel}h3v3h-3z" for k, p in cells)
            parts.append(f'<path fill-opacity="{grey / 7:.2f}" d="{path}"/>')
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + 10 * step} {8 + len(lines) * step}">{"".join(parts)}</svg>'


def main():
    train, truth = digits()
    noisy = truth + NOISE * np.random.default_rng(1).normal(size=truth.shape)
    best = {}
    for count in COUNTS:
        line = {"components": count}
        linear = PCA(count).fit(train)
        found = {"linear": linear.inverse_transform(linear.transform(noisy))}
        curved = mercer.KernelPCA(count, kernel="rbf", gamma=GAMMA).fit(train)
        for method in METHODS:
            clock = time.perf_counter()
            found[method] = curved.pre_images(curved.transform(noisy), method)
            line[f"{method}_seconds"] = round(time.perf_counter() - clock, 3)
        for name, rows in found.items():
            line[name] = float(np.mean((rows - truth) ** 2))
            if name not in best or line[name] < best[name][0]:
                best[name] = (line[name], count, rows)
        print(json.dumps(line), flush=True)
    chosen = [(f"{best[name][1]} {name.replace('_', ' ')}", best[name][2]) for name in ["linear", *METHODS]]
    Path(sys.argv[1]).write_text(picture([("usps", truth), ("with noise", noisy), *chosen]))


if __name__ == "__main__":
    main()
