"""Makes RESULTS.md of the records in results/: one table for each program. `--check` only says whether it is up to date.

    python bench/results.py [--check]
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: The programs in the order of the page; others come after them.
ORDER = ["comparisons", "real", "deadlines", "run", "svm", "hard", "linear", "low_rank", "components", "texts", "strings", "structures", "patches",
         "calibration", "probabilities", "classes", "relevance", "smoothing", "curves", "ise", "clusters"]  # fmt: skip
#: Notes of no more letters stand in the table, longer ones below it.
SHORT = 70
#: Measures in these units are better where they are smaller, and a ratio says how often Mercer's goes into the peer's.
TIMES = {"s", "ms", "us"}
HEAD = """# Results

Made by `bench/results.py` from the records in [results](results); earlier figures are in their history. [README.md](README.md) says what each program does and how its figures come about. `ratio` is the time of the other library over Mercer's: above 1 Mercer is faster. The last column names the run: day, machine and commit are below each table. Times of one run are worth about 20%: these machines are shared.
"""


def shown(value):
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def ratio(record):
    if "ratio" in record:
        return record["ratio"] if isinstance(record["ratio"], str) else shown(float(f"{record['ratio']:.3g}"))
    ours, theirs = record.get("mercer"), record.get("theirs")
    if record["unit"] not in TIMES or not isinstance(ours, (int, float)) or not isinstance(theirs, (int, float)) or not ours:
        return ""
    return shown(float(f"{theirs / ours:.3g}"))


def letters(count):
    """a, b, .., z, aa, ..: the name of a run."""
    name = ""
    while count >= 0:
        name, count = chr(97 + count % 26) + name, count // 26 - 1
    return name


def section(program, stored):
    records = stored["records"]
    runs, notes = [], []
    columns = ["workload", "measured", "Mercer", "other library", "its figure", "ratio", "note", "run"]
    rows, last = [], None
    for r in records:
        run = (r["date"], r["machine"], r["threads"], r["commit"])
        runs.extend([] if run in runs else [run])
        what = r["measured"] + (f", {r['unit']}" if r["unit"] else "")
        same = (r["workload"], what, r.get("mercer"), run) == last
        last = (r["workload"], what, r.get("mercer"), run)
        first = ["", "", ""] if same else [r["workload"], what, shown(r.get("mercer"))]
        note = r.get("note", "")
        short = note if len(note) <= SHORT else "below"
        rows.append([*first, r.get("peer", ""), shown(r.get("theirs")), ratio(r), short, letters(runs.index(run))])
        if short != note:
            notes.append(f"* {r['workload']}, {r['measured']}: {note}")
    # Columns that no record of the program fills are left out.
    kept = [k for k, name in enumerate(columns) if name in ("workload", "measured", "Mercer", "run") or any(row[k] for row in rows)]
    lines = [f"## {stored['title']}", "", f"`{program}.py`. {stored['about']}".rstrip(), ""]
    lines += ["| " + " | ".join(columns[k] for k in kept) + " |", "|---" * len(kept) + "|"]
    lines += ["| " + " | ".join(str(row[k]) for k in kept) + " |" for row in rows]
    lines.append("")
    for k, (date, machine, threads, commit) in enumerate(runs):
        used = f", {threads} thread{'s' if threads != 1 else ''}" if threads else ""
        lines.append(f"* {letters(k)}: {date}, {machine}{used}, {commit}")
    if notes:
        lines += ["", *notes]
    return "\n".join(lines) + "\n"


def page(folder=HERE / "results"):
    """The whole page."""
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    order = [name for name in ORDER if name in found] + [name for name in found if name not in ORDER]
    return "\n".join([HEAD, *(section(name, found[name]) for name in order)])


def main():
    path = HERE / "RESULTS.md"
    if "--check" in sys.argv:
        if path.read_text(encoding="utf-8") != page():
            sys.exit("bench/RESULTS.md is not what bench/results.py makes of bench/results; run it")
        return
    path.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
