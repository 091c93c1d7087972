"""Comparisons of tables with structured columns whose truth is known: time, memory, rows and the score of the best.

usage: python bench/structured.py MERCER MAKE [--seeds 101 102 103 104 105] [--tables motif waves ...] [--max-seconds S]

MAKE is the program that makes the tables: `MAKE FOLDER SEED NAME..`. Each table of each seed is compared with default arguments in a
process of its own. Prints a JSON line for each, then for each table the largest of every figure beside what is aimed at.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
import record

# CPU seconds and megabytes that are aimed at: two cores for a minute where nothing else is asked.
AIMS = {"waves": (20, 200), "words_8000": (120, 900)}
BUDGET = (120, 2000)
TABLES = "motif place content order waves bumps variance events trend pitch motif_2000 words_4000 words_8000".split()


def compared(mercer, words):
    """Wall and CPU seconds, peak megabytes, exit code and document of a comparison."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "o.json"
        start = time.perf_counter()
        child = subprocess.Popen([mercer, "compare", *words, "--json", str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        document = json.loads(out.read_text()) if out.exists() else {"rows": []}
    code = os.waitstatus_to_exitcode(status)
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, code, document


def one(mercer, make, name, seed, limit):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, make, folder, str(seed), name], check=True)
        path = Path(folder) / f"{name}.csv"
        words = [str(path), "--target", "y", *(["--max-seconds", str(limit)] if limit else [])]
        # Arrays of one length would else be vectors.
        words += ["--types", "path=series"] if path.read_text().startswith("path,") else []
        wall, cpu, peak, code, document = compared(mercer, words)
    rows = document["rows"]
    best = next((r for r in rows if r["best"]), None)
    return {
        "table": name,
        "seed": seed,
        "wall": round(wall, 1),
        "cpu": round(cpu, 1),
        "peak_mb": round(peak),
        "code": code,
        "best": best and best["estimator"],
        "score": best and next(iter(best["metrics"].values()))["mean"],
        "not_tuned": sum(r["against_best"] == "not_tuned" for r in rows),
        "fewest_rows": min((r["scored_rows"] for r in rows if r["scored_rows"]), default=None),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mercer")
    parser.add_argument("make")
    parser.add_argument("--seeds", type=int, nargs="+", default=[101, 102, 103, 104, 105])
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--max-seconds", type=float)
    asked = parser.parse_args()
    results = []
    for name in asked.tables:
        for seed in asked.seeds:
            results.append(one(asked.mercer, asked.make, name, seed, asked.max_seconds))
            print(json.dumps(results[-1]), flush=True)
    for name in asked.tables:
        of = [r for r in results if r["table"] == name]
        cpu, peak = AIMS.get(name, BUDGET)
        most = {key: max(r[key] for r in of) for key in ("cpu", "wall", "peak_mb", "not_tuned")}
        print(f"{name}: {most['cpu']} CPU s (aim {cpu}), {most['peak_mb']} MB (aim {peak}), {most['wall']} s, {most['not_tuned']} not tuned")
        record.figure(name, "CPU time, the most of all seeds", most["cpu"], "s")
        record.figure(name, "memory, the most of all seeds", most["peak_mb"], "MB")


if __name__ == "__main__":
    main()
