"""Kernels of graphs, series and sets, and models of rows, beside what other programs take: `structures.py [CASE ...]`.

One thread, seconds of the processor. Inputs are those of MERCER_SHARED/peers/{graphs,series,sets}_peers.py, so that mean and k01 can be held
beside the values that other programs gave; the seconds of those programs are the ones of the notes on peers.
"""

import json
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("PEERS_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
SHARED = Path(os.environ.get("MERCER_SHARED", "../shared")).resolve()
sys.path.insert(0, str(SHARED / "peers"))

import numpy as np  # noqa: E402
import record  # noqa: E402

import mercer  # noqa: E402

RUNS = int(os.environ.get("RUNS", 3))


def graphs(n):
    import graphs_peers

    def text(graph):
        labels, edges = graph
        return " ".join(map(str, labels)) + " | " + " ".join(f"{a}-{b}" for a, b in edges)

    return mercer.Dataset({"g": [text(g) for g in graphs_peers.synthetic(n)[0]]}, types={"g": "graph"})


def series():
    import series_peers

    return mercer.Dataset({"s": list(series_peers.series()[0])}, types={"s": "series"})


def sets(**how):
    import sets_peers

    bags = sets_peers.sets(**how)
    return mercer.Dataset({"s": list(bags[0] if isinstance(bags, tuple) else bags)}, types={"s": "set"})


#: kernel, its rows, and who else took how many seconds of a processor.
CASES = {
    "weisfeiler_lehman_n1000": ("normalise(weisfeiler_lehman(depth=5))", lambda: graphs(1000), {"GraKeL": 0.50}),
    "weisfeiler_lehman_n4000": ("normalise(weisfeiler_lehman(depth=5))", lambda: graphs(4000), {"GraKeL": 6.07}),
    "shortest_path_n1000": ("normalise(shortest_path)", lambda: graphs(1000), {"GraKeL": 0.88}),
    "global_alignment": ("normalise(global_alignment(length_scale=10))", series, {"tslearn": 2.1}),
    "signature_pde": ("signature_pde(order=0)", series, {"pysiglib": 2.68}),
    "signature_5": ("signature(depth=5)", series, {"pysiglib": 0.0045}),
    "dtw": ("dtw", series, {"dtaidistance": 1.03}),
    "set_mean_rbf": ("set_mean(rbf(gamma=2))", sets, {"numpy": 3.3}),
    "pyramid_match_d10": ("pyramid_match(levels=5)", sets, {"scipy": 0.54}),
    "codebook_64": ("codebook(centres=64)", sets, {"scikit-learn": 0.50}),
}


def main(asked):
    for name, (kernel, rows, others) in CASES.items():
        if asked and not any(name.startswith(a) for a in asked):
            continue
        data, of = rows(), mercer.Kernel(kernel)
        least, k = np.inf, None
        for _ in range(RUNS):
            began = time.process_time()
            k = of(data, threads=1)
            least = min(least, time.process_time() - began)
        n = len(k)
        facts = {"seconds": least, "mean_offdiag": (k.sum() - np.trace(k)) / (n * (n - 1)), "k01": k[0, 1]}
        facts |= {f"ratio_{peer}": seconds / least for peer, seconds in others.items()}
        print(json.dumps({"case": name, "kernel": kernel, **{key: float(f"{v:.6g}") for key, v in facts.items()}}), flush=True)
        record.beside(f"{name}: {kernel}", "matrix", {"mercer": least, **others})


if __name__ == "__main__":
    main(sys.argv[1:])
