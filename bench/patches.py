"""Bags of words and Fisher vectors of the patches of handwritten digits: accuracy of a support vector machine under each kernel of sets.

usage: python bench/patches.py [--mercer target/release/mercer] [--digits 500] [KERNEL ...]

Each of the usps digits is the set of its 25 patches of 4 x 4 pixels, with and without the place of each patch. `mercer compare` scores
`svc(c=1)`, `svc(c=10)` and `svc(c=100)` over five folds, with codebooks and mixtures fitted in each fold; the best of the three is reported.
Kernels are named by the beginning of their expression. One line of JSON for each kernel and table.
"""

import argparse
import csv
import json
import subprocess
import tempfile
import time
from pathlib import Path

import pages
import record

#: Kernels of sets. A product of Fisher vectors is the mean of a kernel over all pairs of patches. The prior keeps variances of components
#: from falling to those of the patches without ink, which are all alike.
KERNELS = [f"normalise(codebook(centres={k}, assign={assign}))" for k in (16, 64, 256) for assign in ("hard", "soft")]
KERNELS += [f"normalise(set_mean(fisher(gaussian_mixture(components={k}{prior}))))" for k in (4, 16) for prior in ("", ", prior=1000")]
KERNELS += ["normalise(set_mean(rbf))", "normalise(pyramid_match)"]
COSTS = (1, 10, 100)


def table(folder, digits, place):
    path = Path(folder) / f"patches_{'with' if place else 'without'}_places.csv"
    rows = list(pages.patches(digits, side=4, step=3, place=place))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def scored(mercer, path, kernel):
    """Accuracy in percent with its standard error, the best cost, and seconds of the whole comparison."""
    written = path.with_suffix(".json")
    estimators = ",".join(f"svc(c={c})" for c in COSTS)
    command = [mercer, "compare", path, "--target", "digit", "--kernel", kernel, "--estimators", estimators, "--thorough", "--json", written]
    clock = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    seconds = time.perf_counter() - clock
    best = json.loads(written.read_text(encoding="utf-8"))["rows"][0]
    score = best["metrics"]["accuracy"]
    return {"accuracy": 100 * score["mean"], "error": 100 * score["se"], "svc": best["settled"].split(" with ")[0], "seconds": seconds}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mercer", default=pages.ROOT / "target/release/mercer", type=Path)
    parser.add_argument("--digits", type=int, default=500)
    parser.add_argument("kernels", nargs="*")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for place in (True, False):
            path = table(folder, asked.digits, place)
            for kernel in KERNELS:
                if asked.kernels and not any(kernel.startswith(name) for name in asked.kernels):
                    continue
                found = scored(asked.mercer.resolve(), path, kernel)
                what = f"{asked.digits} digits, 25 patches{' with places' if place else ''}: {kernel}"
                print(json.dumps({"workload": what, **{k: round(v, 2) if isinstance(v, float) else v for k, v in found.items()}}), flush=True)
                record.figure(what, "accuracy", found["accuracy"], "%", note=f"± {found['error']:.1f}, {found['svc']}, {found['seconds']:.0f} s")


if __name__ == "__main__":
    main()
