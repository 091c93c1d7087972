"""Ours and the peers in turn on the same arrays; one JSON line per (workload, library). See bench/README.md."""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from threads import THREADS  # before numpy

import numpy as np
import record

from peers import PEERS, rbf
from workloads import WORKLOADS

HERE = Path(__file__).resolve().parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
OURS = "mercer"
#: The share of the work that LAPACK or BLAS alone would take: a time to come near to, without results to compare.
FLOOR = "floor"


class Runner:
    """A process that runs a workload once per line that it is sent."""

    def __init__(self, library, command):
        self.library = library
        self.answers = []
        self.process = subprocess.Popen([str(c) for c in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self):
        try:
            self.process.stdin.write("run\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RuntimeError(f"{self.library} ended with exit status {self.process.wait()}")
        self.answers.append(json.loads(line))
        self.peak = peak_memory(self.process.pid)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def peak_memory(pid):
    """Most memory in MB that a process has held so far; None where the system does not say."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    return round(next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024)


def our_version():
    lines = (HERE.parent / "Cargo.toml").read_text().splitlines()
    return next(line.split('"')[1] for line in lines if line.startswith("version"))


def dual(x, coef, gamma):
    """sum of |coefficients| - 1/2 coef' K coef, computed alike for every library."""
    support = np.flatnonzero(coef)
    quadratic = 0.0
    for some in np.array_split(support, max(1, len(support) // 1000)):
        quadratic += coef[some] @ (rbf(x[some], x[support], gamma) @ coef[support])
    return float(np.abs(coef).sum() - 0.5 * quadratic)


def quality(arrays, workload, folder, library, said):
    """What the results are worth, by one formula for every library."""

    def load(name):
        path = folder / f"{library}_{name}.npy"
        return np.load(path).ravel() if path.exists() else None

    out = {k: said[k] for k in ("log_evidence", "evaluations", "gap", "one_fit_seconds") if k in said}
    predictions, variance, coef, gradient = (load(n) for n in ("predictions", "variance", "coef", "gradient"))
    if workload.kind.startswith("gram") or workload.kind == "path":
        out["mean"] = float(predictions.mean() / len(predictions))
    elif workload.kind == "svc":
        out["accuracy"] = float((predictions == arrays["yt"]).mean())
        out["n_sv"] = int((coef != 0).sum())
        out["dual"] = dual(arrays["x"], coef, workload.parameters["gamma"])
    elif predictions is not None:
        truth = arrays["yt" if variance is not None else "ft"]
        out["rmse"] = float(np.sqrt(np.mean((predictions - truth) ** 2)))
        if variance is not None:
            out["nlpd"] = float(np.mean(0.5 * np.log(2 * np.pi * variance) + 0.5 * (truth - predictions) ** 2 / variance))
    if gradient is not None:
        out["gradient_norm"] = float(np.sqrt((gradient**2).sum()))
    return out


def differences(workload, ours, theirs):
    """The quality figures on which two libraries do not agree: their times are then not compared."""
    out = []
    for name, (how, most) in workload.agree.items():
        apart = abs(ours[name] - theirs[name]) / (abs(ours[name]) if how == "share" else 1.0)
        if not apart <= most:
            out.append(name)
    return out


def shown(values):
    return {k: float(f"{v:.7g}") if isinstance(v, float) else v for k, v in values.items()}


def measure(name, workload):
    arrays = workload.arrays()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for key, values in arrays.items():
            np.save(folder / f"{key}.npy", np.ascontiguousarray(values, dtype=np.float64))
        kind = {"gp_evidence": "evidence", "ridge": "fit", "gp": "fit", "svc": "fit"}.get(workload.kind, workload.kind)
        expressions = [workload.kernel] + ([workload.estimator] if workload.estimator else [])
        runners = [Runner(OURS, [TARGET / "release/mercer-bench", kind, folder, *expressions])]
        for other, library in PEERS:
            if other == workload.kind:
                parameters = json.dumps(workload.parameters)
                runners.append(Runner(library, [sys.executable, HERE / "peers.py", library, other, folder, parameters]))
        broken = {}
        # Who comes after whom changes, as memory that one has just freed is cheap for the next, and is not a second later.
        order = random.Random(0)
        # The first round warms caches and pages up and does not count.
        for _ in range(workload.runs + 1):
            for r in order.sample(runners, len(runners)):
                if r.library in broken:
                    continue
                try:
                    r.run()
                except RuntimeError as error:
                    broken[r.library] = str(error)
                    print(f"{name}: {error}", file=sys.stderr)
                # Threads of the last library that still wait for work go to sleep.
                time.sleep(0.3)
        for r in runners:
            r.stop()
        report(name, workload, arrays, folder, [r for r in runners if r.library not in broken])


def report(name, workload, arrays, folder, runners):
    found = {r.library: {} if r.library == FLOOR else quality(arrays, workload, folder, r.library, r.answers[-1]) for r in runners}
    for part, key in (("", "seconds"), ("_predict", "predict_seconds")):
        times = {r.library: [a[key] for a in r.answers[1:]] for r in runners if key in r.answers[0]}
        for r in runners:
            if r.library not in times:
                continue
            seconds = times[r.library]
            line = {
                "workload": name + part,
                "library": r.library,
                "version": r.answers[0].get("version", our_version()),
                "seconds": float(f"{np.median(seconds):.4g}"),
                "least": float(f"{min(seconds):.4g}"),
                "runs": len(seconds),
                "threads": int(THREADS),
                "peak_mb": r.peak,
                "quality": shown(found[r.library]),
            }
            if r.library != OURS and OURS in times:
                apart = [] if r.library == FLOOR else differences(workload, found[OURS], found[r.library])
                line["ratio"] = None if apart else float(f"{np.median(seconds) / np.median(times[OURS]):.3g}")
                line["ratio_least"] = None if apart else float(f"{min(seconds) / min(times[OURS]):.3g}")
                if apart:
                    line["unequal"] = apart
            print(json.dumps(line), flush=True)
        if OURS in times:
            record.beside(name + part, "time", {library: float(np.median(took)) for library, took in times.items()}, ours=OURS)


def main():
    wanted = sys.argv[1:]
    for name, workload in WORKLOADS.items():
        if not wanted or any(name.startswith(w) for w in wanted):
            measure(name, workload)


if __name__ == "__main__":
    main()
