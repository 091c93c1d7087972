"""What comparisons say of the methods that did not win, beside what these score alone; and what was counted beside CPU time.

usage: python bench/verdicts.py MERCER SHARED [--alone] [TABLE ...]

MERCER is the binary, SHARED the folder that holds `data` and `messy`. Each table is compared with default arguments in a process of its
own: wall and CPU seconds, peak memory, the CPU seconds that the counted operations stand for (at 2e10 a second on one core), the best
method and how many others are not distinguishable, worse, and not tuned. With --alone each method that is worse or not tuned then runs
beside nothing but the baseline, and is marked where its score lies within two standard errors of the best. Prints one JSON line per
table.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import record

RATE = 2e10
#: Table -> target and further arguments.
TABLES = {
    "data/boston_housing/boston_housing.csv": ["MEDV"],
    "data/auto_mpg/auto_mpg.csv": ["mpg"],
    "data/yacht/yacht.csv": ["resistance"],
    "data/energy/energy.csv": ["heating_load"],
    "data/german/german.csv": ["target"],
    "data/sonar/sonar.csv": ["target"],
    "data/vowel/vowel.csv": ["target"],
    "data/glass/glass.csv": ["target"],
    "data/mcycle/mcycle.csv": ["accel"],
    "data/ionosphere/ionosphere.csv": ["target"],
    "messy/more/drift.csv": ["y", "--time", "day"],
    "messy/more/lab400.csv": ["yield"],
    "messy/more/survey.csv": ["overall"],
    "messy/more/percent.csv": ["conversion", "--na=-", "--na=< 1%"],
    "data/wine_red/wine_red.csv": ["quality"],
    "data/wine_white/wine_white.csv": ["quality"],
    "data/abalone/abalone.csv": ["rings"],
    "data/phoneme/phoneme.csv": ["target"],
    "data/banana/banana.csv": ["target"],
    "data/segment/segment.csv": ["target"],
    "data/twonorm/twonorm.csv.gz": ["target"],
    "data/power_plant/power_plant.csv": ["PE"],
    "data/usps/usps_train.csv.gz": ["1", "--no-header"],
    "data/splice_junctions/splice.csv": ["target"],
    "messy/more/orders_noleak.csv": ["returned"],
}


def compared(mercer, path, words):
    """Wall and CPU seconds, peak megabytes and the document of a comparison."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "o.json"
        command = [mercer, "compare", str(path), "--target", *words, "--json", str(out)]
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = child.stderr.read().decode()
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        if not out.exists():
            raise RuntimeError(f"{path}: exit code {os.waitstatus_to_exitcode(status)}: {said[-300:]}")
        return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, json.loads(out.read_text())


def is_tied(score, other, best, metric):
    """Whether a score is no worse than the best one by more than two standard errors."""
    behind = score["mean"] - best["mean"] if metric in ("rmse", "mae", "log_loss") else best["mean"] - score["mean"]
    return behind <= 2 * max(best["se"], other)


def one(mercer, path, words, alone):
    wall, cpu, peak, document = compared(mercer, path, words)
    rows, metric = document["rows"], document["metric"]
    best = next((r for r in rows if r["best"]), None)
    counted = sum(t["operations"] for t in document["trials"]) / RATE
    line = {
        "table": path.name.split(".")[0],
        "wall": round(wall, 1),
        "cpu": round(cpu, 1),
        "counted": round(counted, 1),
        "peak_mb": round(peak),
        "best": best and best["estimator"],
        "score": best and best["metrics"][metric],
        "others": Counter(r["against_best"] for r in rows if not r["best"]),
    }
    if alone and best:
        line["alone"] = {}
        for row in rows:
            if row["against_best"] not in ("worse", "not_tuned") or row["estimator"] == "baseline":
                continue
            found = compared(mercer, path, [*words, "--estimators", f"{row['estimator'].removesuffix(' ARD')},baseline"])[3]["rows"]
            score = next((r["metrics"].get(metric) for r in found if r["estimator"] == row["estimator"]), None)
            if score:
                tied = is_tied(score, score["se"], best["metrics"][metric], metric)
                line["alone"][row["estimator"]] = [row["against_best"], row["metrics"].get(metric, {}).get("mean"), score["mean"], tied]
    return line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mercer")
    parser.add_argument("shared", type=Path)
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    parser.add_argument("--alone", action="store_true")
    asked = parser.parse_args()
    for table in asked.tables:
        line = one(asked.mercer, asked.shared / table, TABLES[table], asked.alone)
        print(json.dumps(line), flush=True)
        record.figure(line["table"], "CPU time of a default comparison", line["cpu"], "s")
        record.figure(line["table"], "CPU time over counted work", line["cpu"] / max(line["counted"], 1e-9), "")


if __name__ == "__main__":
    main()
