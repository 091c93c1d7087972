"""Figures of benchmarks as records, one JSON file per program, from which results.py makes RESULTS.md.

Nothing is written unless BENCH_RECORD is set: a run on a busy machine should leave the figures alone. A record replaces the one of
the same workload, measure and peer.
"""

import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "results"
KEY = ("workload", "measured", "peer")


def machine():
    """Processor, cores and memory; BENCH_MACHINE says it otherwise."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
        gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
        found = f"{name}, {os.cpu_count()} cores, {gigabytes:.0f} GB"
    except (OSError, StopIteration, ValueError):
        found = f"{platform.machine()}, {os.cpu_count()} cores"
    return os.environ.get("BENCH_MACHINE", found)


def commit():
    """The commit that is checked out; with a plus where tracked files differ from it."""
    git = lambda *words: subprocess.run(["git", *words], cwd=Path(__file__).resolve().parent, capture_output=True, text=True).stdout.strip()  # noqa: E731
    return git("rev-parse", "--short=8", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def rounded(value):
    return float(f"{value:.4g}") if isinstance(value, float) else value


def figure(workload, measured, mercer, unit="", peer=None, theirs=None, *, ratio=None, note=None, program=None):
    """Records Mercer's figure of a workload, beside that of a peer where there is one.

    `measured` says what: "fit", "log loss", .. Of seconds the page shows `ratio`, the peer's over Mercer's.
    """
    if not os.environ.get("BENCH_RECORD"):
        return
    made = {"workload": workload, "measured": measured, "unit": unit, "mercer": rounded(mercer)}
    if peer is not None:
        made |= {"peer": peer, "theirs": rounded(theirs)}
    made |= {key: value for key, value in (("ratio", rounded(ratio)), ("note", note)) if value is not None}
    made |= {"threads": int(os.environ.get("BENCH_THREADS", "2")), "date": datetime.date.today().isoformat(), "machine": machine(), "commit": commit()}
    path = FOLDER / f"{program or Path(sys.argv[0]).stem}.json"
    stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"title": path.stem, "about": "", "records": []}
    same = [i for i, old in enumerate(stored["records"]) if all(old.get(k) == made.get(k) for k in KEY)]
    if same:
        made = {k: v for k, v in stored["records"][same[0]].items() if k == "note"} | made
        stored["records"][same[0]] = made
    else:
        stored["records"].append(made)
    save(path, stored)


def beside(workload, measured, figures, unit="s", ours="mercer", **more):
    """Records a figure of Mercer beside that of every other library in `figures`, which is by library."""
    others = [name for name in figures if name != ours]
    if not others:
        figure(workload, measured, figures[ours], unit, **more)
    for name in others:
        figure(workload, measured, figures[ours], unit, name, figures[name], **more)


def save(path, stored):
    """Writes a file of records, one a line."""
    order = ("workload", "measured", "unit", "mercer", "peer", "theirs", "ratio", "threads", "date", "machine", "commit", "note")
    lines = [json.dumps({k: r[k] for k in order if k in r}, ensure_ascii=False) for r in stored["records"]]
    head = json.dumps({"title": stored["title"], "about": stored["about"]}, ensure_ascii=False)[1:-1]
    path.write_text("{" + head + ', "records": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")
