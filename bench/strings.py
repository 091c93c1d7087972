"""Kernels of strings beside what others take: `strings.py [CASE ...]`.

One thread, seconds of the processor. Strings are those of MERCER_SHARED/peers/strings_peers.py, so that mean and k01 of the normalised matrix
can be held beside the values that other programs gave; scikit-learn's CountVectorizer with a sparse product is run in turn with ours. `slope`
measures all substrings of one string of 1e4 to 1e6 letters, `predict` the scoring of windows of 300 letters, `train` 100,000 of them.
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


def peers():
    import data
    import strings_peers

    return strings_peers, data


def seconds(work, runs=RUNS):
    """The least of some runs, in seconds of this process, and what the last one gave."""
    least, found = np.inf, None
    for _ in range(runs):
        began = time.process_time()
        found = work()
        least = min(least, time.process_time() - began)
    return least, found


def tell(case, **facts):
    print(json.dumps({"case": case, **{k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in facts.items()}}), flush=True)

    kernel, took = facts.get("kernel"), facts.get("seconds")
    if kernel:
        peers = {name.removeprefix("ratio_"): r * took for name, r in facts.items() if name.startswith("ratio_")}
        if "CountVectorizer" in facts:
            peers["CountVectorizer"] = facts["CountVectorizer"]
        record.beside(f"{case}: {kernel}", "matrix", {"mercer": took, **peers})
    elif case == "slope":
        record.figure("slope: all substrings, 10^4 to 10^6 letters", "slope of log seconds", facts["slope"])
    elif "microseconds_a_window" in facts:
        record.figure(case.replace("predict ", "predict: "), "a window of 300 letters", facts["microseconds_a_window"], "us")
    else:
        record.figure(case, "fit", took, "s", note=f"{facts['accuracy']:.3f} of new ones correct")


def sequences(strings):
    return mercer.Dataset({"seq": list(strings)}, types={"seq": "sequence"})


def matrix(kernel, strings):
    rows = sequences(strings)
    of = mercer.Kernel(f"normalise({kernel})")
    return seconds(lambda: of(rows, threads=1))


def facts(k):
    n = len(k)
    return {"mean_offdiag": float((k.sum() - np.trace(k)) / (n * (n - 1))), "k01": float(k[0, 1])}


def dna(n):
    return peers()[0].dna(n)[0]


def proteins(n):
    return list(peers()[1].proteins(n)["s"])


def counted(strings, ngrams):
    """CountVectorizer and a product, as scikit-learn's users write it."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.preprocessing import normalize

    def work():
        z = normalize(CountVectorizer(analyzer="char", ngram_range=ngrams, lowercase=False).fit_transform(strings).astype(float))
        return (z @ z.T).toarray()

    return seconds(work)


#: kernel, strings, and who else gave which seconds of a processor, as the notes on peers say.
MATRICES = {
    "gapped_l11_k7_d3_rc_n1000": ("gapped(length=11, k=7, mismatches=3, reverse_complement=true)", lambda: dna(1000), {"lsgkm": 99.8}),
    "gapped_l10_k6_rc_n250": ("gapped(length=10, k=6, reverse_complement=true)", lambda: dna(250), {"lsgkm": 15.0}),
    "gapped_g10_m4_n1000": ("gapped(length=10, k=6)", lambda: dna(1000), {"FastSK": 10.4}),
    "gapped_protein_g6_m2_n1000": ("gapped(length=6, k=4)", lambda: proteins(1000), {"FastSK": 1.89}),
    "mismatch_5_1_n200": ("mismatch(k=5, m=1)", lambda: dna(200), {"strkernel": 19.1, "kebabs": 1.17}),
    "mismatch_5_1_n1000": ("mismatch(k=5, m=1)", lambda: dna(1000), {}),
    "mismatch_8_1_n1000": ("mismatch(k=8, m=1)", lambda: dna(1000), {"kebabs": 130.0}),
    "mismatch_protein_4_1_n1000": ("mismatch(k=4, m=1)", lambda: proteins(1000), {"scipy": 17.7}),
    "substrings_n1000": ("substrings(decay=0.7)", lambda: dna(1000), {}),
    "substrings_protein_n1000": ("substrings(decay=0.7)", lambda: proteins(1000), {}),
    "subsequence_4_protein_n200": ("subsequence(k=4, decay=0.5, lengths=up_to)", lambda: proteins(200), {"strkernels": 21.0}),
    "weighted_degree_10_splice": ("weighted_degree(degree=10, ambiguity=letter)", lambda: peers()[0].splice()[0], {"strkernels": 7.64}),
}
#: kernel, strings, lengths of substrings.
COUNTED = {
    "spectrum_3_n1000": ("spectrum(k=3)", lambda: dna(1000), (3, 3)),
    "spectrum_5_n1000": ("spectrum(k=5)", lambda: dna(1000), (5, 5)),
    "spectrum_3_protein_n1000": ("spectrum(k=3)", lambda: proteins(1000), (3, 3)),
    "blended_8_n1000": ("blended(k=8)", lambda: dna(1000), (1, 8)),
    "spectrum_6_n10000": ("spectrum(k=6)", lambda: dna(10000), None),
}


def slope():
    """Seconds of k(x, x) of all substrings, and the slope of their logarithms."""
    sizes = [10_000, 100_000, 1_000_000]
    genome = peers()[0].genome()
    took = []
    for n in sizes:
        rows = sequences([genome[:n]])
        took.append(seconds(lambda rows=rows: mercer.Kernel("substrings").diag(rows, threads=1))[0])
    tell("slope", sizes=sizes, seconds=[float(f"{t:.4g}") for t in took], slope=float(np.polyfit(np.log(sizes), np.log(took), 1)[0]))


def predict():
    """Scoring windows of 300 letters: microseconds a window."""
    strings_peers, _ = peers()
    genome = strings_peers.genome()
    windows = sequences([genome[i : i + 300] for i in range(0, 1_000_000 - 300, 50)])
    cases = [("gapped(length=11, k=7, mismatches=3, reverse_complement=true)", 500), ("spectrum(k=6)", 2000), ("mismatch(k=8, m=1)", 500)]
    for kernel, n in cases:
        s, y = strings_peers.dna(n)
        began = time.process_time()
        model = mercer.Learner("svc(c=1)", f"normalise({kernel})", allow_non_mercer=True).fit(sequences(s), y > 0, threads=1)
        fit = time.process_time() - began
        model.decision_function(windows, threads=1)
        took, _ = seconds(lambda model=model: model.decision_function(windows, threads=1))
        new, truth = strings_peers.dna(n + 500)
        accuracy = float(np.mean((model.predict(sequences(new[n:])) == (truth[n:] > 0))))
        tell(f"predict {kernel}", rows=n, fit_seconds=fit, microseconds_a_window=took / len(windows) * 1e6, accuracy=accuracy)


def train():
    """100,000 windows of 300 letters, a linear machine over their 6-mers."""
    s, y = peers()[0].dna(100_000)
    rows = sequences(s)
    began = time.process_time()
    model = mercer.Learner("svc(c=1)", "normalise(spectrum(k=6, alphabet=dna))").fit(rows, y > 0, threads=1)
    took = time.process_time() - began
    new, truth = peers()[0].dna(102_000)
    tell("train 100,000", seconds=took, accuracy=float(np.mean(model.predict(sequences(new[100_000:])) == (truth[100_000:] > 0))))


if __name__ == "__main__":
    asked = sys.argv[1:]
    wanted = lambda name: not asked or any(name.startswith(a) for a in asked)  # noqa: E731
    for name, (kernel, strings, others) in MATRICES.items():
        if wanted(name):
            took, k = matrix(kernel, strings())
            tell(name, kernel=kernel, seconds=took, **facts(k), **{f"ratio_{peer}": t / took for peer, t in others.items()})
    for name, (kernel, strings, ngrams) in COUNTED.items():
        if wanted(name):
            s = strings()
            took, k = matrix(kernel, s)
            ratio = {}
            if ngrams:
                theirs, other = counted(s, ngrams)
                ratio = {"CountVectorizer": theirs, "ratio": theirs / took, "greatest_difference": float(np.abs(other - k).max())}
            tell(name, kernel=kernel, seconds=took, **facts(k), **ratio)
    for work in (slope, predict, train):
        if wanted(work.__name__):
            work()
