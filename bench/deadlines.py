"""Comparisons under random limits of time: is any late, is any killed, does any name a winner that was not fitted?

usage: python bench/deadlines.py MERCER FOLDER [FOLDER ...] [--jobs 200] [--seed 0]

Each job takes a random table out of the folders, a random limit of 2 to 20 seconds and one thread or two. It is late when
it takes longer than its limit by a tenth and a second. Prints one JSON line per job, then a line that counts.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
import record

ENDINGS = (".csv", ".csv.gz")
MOST_BYTES = 30_000_000


def tables(folders):
    """Tables with a target: the last column."""
    found = []
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.name.endswith(ENDINGS) and path.stat().st_size < MOST_BYTES:
                found.append(path)
    return found


def target_of(mercer, path):
    """The last column's name, as an error of Mercer lists the columns."""
    said = subprocess.run([mercer, "plan", str(path)], capture_output=True, text=True).stderr
    _, mark, names = said.partition("There are: ")
    return names.strip().split(", ")[-1] if mark else None


def run(mercer, path, target, seconds, threads):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "o.json"
        words = [mercer, "compare", str(path), "--target", target, "--max-seconds", str(seconds), "--threads", str(threads)]
        start = time.perf_counter()
        try:
            done = subprocess.run([*words, "--json", str(out)], capture_output=True, text=True, timeout=4 * seconds + 60)
            code, said = done.returncode, done.stderr.strip().splitlines()[-1:]
        except subprocess.TimeoutExpired:
            code, said = None, ["killed by this program"]
        took = time.perf_counter() - start
        rows = json.loads(out.read_text())["rows"] if out.exists() else []
    best = [r for r in rows if r["best"]]
    return {
        "table": path.name,
        "target": target,
        "limit": seconds,
        "threads": threads,
        "took": round(took, 2),
        "late": took > 1.1 * seconds + 1,
        "code": code,
        "said": said if code else [],
        "best": [r["estimator"] for r in best],
        "winner_without_fit": any(r["fit_seconds"] is None or not r["converged"] for r in best),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mercer")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    draw = random.Random(asked.seed)
    found = [(path, target) for path in tables(asked.folders) if (target := target_of(asked.mercer, path))]
    results = []
    for _ in range(asked.jobs):
        path, target = draw.choice(found)
        results.append(run(asked.mercer, path, target, round(draw.uniform(2, 20), 1), draw.choice([1, 2])))
        print(json.dumps(results[-1]), flush=True)
    count = lambda key: sum(bool(r[key]) for r in results)
    killed = sum(r["code"] is None or r["code"] < 0 for r in results)
    print(f"{len(results)} jobs: {count('late')} late, {killed} killed, {count('winner_without_fit')} winners without a fit")
    for measured, jobs in (("late", count("late")), ("killed", killed), ("winners without a fit", count("winner_without_fit"))):
        record.figure(f"{len(results)} jobs", measured, jobs, "jobs")
    return 1 if count("late") or killed or count("winner_without_fit") else 0


if __name__ == "__main__":
    sys.exit(main())
