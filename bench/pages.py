"""Runs the examples of the pages docs/kernels and docs/models on real tables, and writes their results into the pages.

usage: python bench/pages.py [--mercer target/release/mercer] [PAGE ...]
       python bench/pages.py --tables FOLDER

A page holds one block between `<!-- example -->` and `<!-- end of example -->`: the command, the head of its output, and its seconds;
below it other kernels or models under the same command. Pages are named as kernels/NAME or models/NAME; without any, all are made.
--tables writes the tables of the examples as CSV files, so that the commands can be typed. The data are in the folder $MERCER_SHARED/data
(or ../shared/data beside the checkout).
"""

import argparse
import collections
import csv
import gzip
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("MERCER_SHARED", ROOT.parent / "shared")) / "data"
BEGIN, END = "<!-- example -->", "<!-- end of example -->"


def lines(path):
    file = DATA / path
    text = gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else open(file, encoding="utf-8", errors="replace")
    with text:
        return [line.rstrip("\n") for line in text]


def drawn(rows, count, seed=0):
    """So many of the rows, drawn without replacement."""
    rows = list(rows)
    return random.Random(seed).sample(rows, min(count, len(rows)))


def mutag():
    """Molecules as graphs: atoms by their numbers in the file, bonds without labels."""
    numbers = iter(int(word) for line in lines("mutag/mutag.txt") for word in line.split())
    for _ in range(next(numbers)):
        size, target = next(numbers), next(numbers)
        labels, edges = [], set()
        for node in range(size):
            labels.append(f"a{next(numbers)}")
            edges.update((min(node, to), max(node, to)) for to in [next(numbers) for _ in range(next(numbers))])
        joined = " ".join(f"{a}-{b}" for a, b in sorted(edges))
        yield {"molecule": f"{' '.join(labels)} | {joined}", "mutagenic": "yes" if target == 1 else "no"}


def musk():
    """Conformations of molecules, one a row: the file as it is."""
    yield from csv.DictReader(lines("musk1/musk1.csv"))


def sentences(count=800):
    """Parsed sentences, their labels of sentiment taken away but that of the root, which is the target; neutral ones left out."""
    trees = [line for line in lines("sst_trees/train.txt.gz") if line and line[1] != "2"]
    for tree in drawn(trees, count):
        yield {"sentence": re.sub(r"\(\d ", "(X ", tree), "opinion": "good" if tree[1] in "34" else "bad"}


def splice(count=1000):
    """Windows of DNA around the borders of exons."""
    yield from ({"sequence": row["sequence"], "site": row["target"]} for row in drawn(csv.DictReader(lines("splice_junctions/splice.csv")), count))


def promoters():
    for line in lines("promoters/promoters.data"):
        sign, _, letters = line.split(",")
        yield {"sequence": letters.upper(), "promoter": "yes" if sign == "+" else "no"}


def proteins(count=300):
    """Proteins that bind DNA and others, so many of each."""
    for kind in ("pos", "neg"):
        records = "\n".join(lines(f"dna_binding_proteins/test_{kind}.fasta")).split(">")[1:]
        for record in drawn(records, count):
            yield {"protein": "".join(record.split("\n")[1:]), "binds": "yes" if kind == "pos" else "no"}


def digits(count):
    """Handwritten digits of 16 x 16 pixels: the digit and its rows of pixels."""
    for line in drawn(lines("usps/usps_train.csv.gz"), count):
        digit, *pixels = line.split(",")
        pixels = [round(float(x), 3) for x in pixels]
        yield f"digit {int(float(digit))}", [pixels[16 * r : 16 * (r + 1)] for r in range(16)]


def digit_series(count=500):
    """A digit as a series: from the top to the bottom, a time for each row of pixels and a channel for each column."""
    yield from ({"strokes": json.dumps(rows), "digit": digit} for digit, rows in digits(count))


def ink_series(count=500):
    """A digit as a short series: from the top to the bottom, how much ink a row holds, where its middle is and how wide it spreads."""
    for digit, rows in digits(count):
        series = []
        for row in rows:
            ink = sum(row) + 1e-9
            middle = sum(i * x for i, x in enumerate(row)) / ink
            spread = (sum((i - middle) ** 2 * x for i, x in enumerate(row)) / ink) ** 0.5
            if ink > 0.5:
                series.append([round(ink, 3), round(middle, 3), round(spread, 3)])
        yield {"strokes": json.dumps(series), "digit": digit}


def patches(count=500, side=5, step=2, place=True):
    """A digit as the set of its square patches, each with the place of its corner."""
    for digit, rows in digits(count):
        corners = [(r, c) for r in range(0, 17 - side, step) for c in range(0, 17 - side, step)]
        cut = [[x for row in rows[r : r + side] for x in row[c : c + side]] + ([r, c] if place else []) for r, c in corners]
        yield {"patches": json.dumps(cut), "digit": digit}


def ink_points(count=500):
    """A digit as the set of the places of its dark pixels."""
    for digit, rows in digits(count):
        yield {"ink": json.dumps([[r, c] for r, row in enumerate(rows) for c, x in enumerate(row) if x > 0.5]), "digit": digit}


def sonar():
    """Echoes of metal and rock: energy in 60 bands of frequency, as a series along the frequency."""
    for row in csv.reader(lines("sonar/sonar.csv")[1:]):
        yield {"echo": json.dumps([float(x) for x in row[:-1]]), "target": row[-1]}


def radar():
    """Radar returns of the ionosphere: 17 pulses of two channels."""
    for row in csv.reader(lines("ionosphere/ionosphere.csv")[1:]):
        numbers = [float(x) for x in row[:-1]]
        yield {"pulses": json.dumps([numbers[i : i + 2] for i in range(0, 34, 2)]), "return": row[-1]}


def carbon_dioxide(months=60):
    """The monthly record of Mauna Loa, as changes from month to month, cut into series of five years."""
    level = [float(row["co2_ppm"]) for row in csv.DictReader(lines("mauna_loa_co2/mauna_loa_co2.csv"))]
    change = [round(b - a, 3) for a, b in zip(level, level[1:])]
    for start in range(0, len(change) - months + 1, months):
        yield {"change": json.dumps(change[start : start + months])}


def words(messages, most):
    """Counts of the most frequent words, a column each, beside the label."""
    cut = [(label, re.findall(r"[a-z']+", text.lower())) for label, text in messages]
    kept = [word for word, _ in collections.Counter(w for _, found in cut for w in found).most_common(most)]
    for label, found in cut:
        counts = collections.Counter(found)
        yield {"label": label, **{f"w_{word}": counts[word] for word in kept}}


def messages(count=1000, most=300):
    """Short messages as counts of their words."""
    return words(drawn((line.split("\t", 1) for line in lines("sms_spam/SMSSpamCollection.txt") if "\t" in line), count), most)


def questions(count=1500, most=300):
    """Questions by what they ask for, as counts of their words."""
    split = (line.split(" ", 1) for line in lines("trec_questions/TREC.train.txt"))
    return words(drawn(((kind.split(":")[0], text) for kind, text in split), count), most)


def vowels():
    """Spoken vowels: ten numbers of the spectrum."""
    for row in csv.DictReader(lines("vowel/vowel.csv")):
        yield {**{name: value for name, value in row.items() if name.startswith("Feature")}, "vowel": row["target"]}


def galaxies():
    yield from csv.DictReader(lines("galaxies/galaxies.csv"))


def faithful():
    yield from csv.DictReader(lines("faithful/faithful.csv"))


TABLES = {
    one.__name__: one
    for one in (mutag, musk, sentences, splice, promoters, proteins, digit_series, ink_series, patches, ink_points, sonar, radar, carbon_dioxide,
                messages, questions, vowels, galaxies, faithful)
}  # fmt: skip


def write(name, folder):
    """Writes a table as a CSV file."""
    rows = list(TABLES[name]())
    path = Path(folder) / f"{name}.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


class Case(NamedTuple):
    """One example: a table, arguments that every command has, and what is compared."""

    table: str
    arguments: str
    #: Kernels, the one of the page first. Without any the estimators are compared, or densities are fitted.
    kernels: tuple[str, ...] = ()
    estimators: str = "svc,baseline"
    densities: tuple[str, ...] = ()


MUTAG, SENTENCES, INK = ("mutag", "--target mutagenic"), ("sentences", "--target opinion"), ("ink_points", "--target digit")
STROKES, ROWS = ("ink_series", "--target digit --types strokes=series"), ("digit_series", "--target digit --types strokes=series")
SONAR, RADAR = ("sonar", "--target target --types echo=series"), ("radar", "--target return --types pulses=series")
MUSK = ("musk", "--target target --group-into molecule_name --types conformation_name=ignore")
GRAPHS = ("normalise(weisfeiler_lehman)", "normalise(shortest_path)", "normalise(vertex_histogram)", "normalise(graphlet)")

CASES = {
    "kernels/weisfeiler_lehman": Case(
        *MUTAG, ("normalise(weisfeiler_lehman)", "weisfeiler_lehman", "normalise(weisfeiler_lehman(depth=2))", "vertex_histogram")
    ),
    "kernels/shortest_path": Case(
        *MUTAG, ("normalise(shortest_path)", "shortest_path", "normalise(shortest_path(pairs=unordered))", "weisfeiler_lehman")
    ),
    "kernels/vertex_histogram": Case(*MUTAG, ("vertex_histogram", "normalise(vertex_histogram)", "weisfeiler_lehman")),
    "kernels/graphlet": Case(*MUTAG, ("graphlet", "normalise(graphlet)", "graphlet(size=3)", "normalise(graphlet) + normalise(weisfeiler_lehman)")),
    "kernels/random_walk": Case(
        *MUTAG, ("normalise(random_walk)", "normalise(random_walk(decay=0.01))", "normalise(random_walk(decay=0.05, unlimited=true))",
        "normalise(weisfeiler_lehman)")
    ),
    "kernels/global_alignment": Case(*STROKES, ("global_alignment", "global_alignment(band=4)", "clip(dtw)", "normalise(signature(time=true))")),
    "kernels/dtw": Case(*ROWS, ("dtw", "dtw(window=3)", "clip(dtw)", "global_alignment"), "svc,knn,baseline"),
    "kernels/signature": Case(
        *STROKES, ("normalise(signature(time=true))", "normalise(signature)", "normalise(signature(depth=6))", "global_alignment")
    ),
    "kernels/signature_pde": Case(
        *STROKES, ("clip(normalise(signature_pde))", "clip(normalise(signature_pde(time=true)))", "normalise(signature)", "global_alignment")
    ),
    "kernels/autoregressive": Case(
        *ROWS, ("autoregressive", "autoregressive(order=1)", "normalise(fisher(autoregressive, information=identity))", "global_alignment")
    ),
    "kernels/cross_correlation": Case(
        *SONAR, ("normalise(cross_correlation)", "normalise(cross_correlation(gamma=50))", "global_alignment", "autoregressive(order=10)")
    ),
    "kernels/convolutions": Case(
        *SONAR, ("convolutions", "convolutions(count=1000)", "global_alignment", "normalise(cross_correlation)"), "ridge,svc,baseline"
    ),
    "kernels/lockstep": Case(
        *SONAR, ("lockstep(rbf)", "lockstep(matern)", "lockstep(linear)", "lockstep(rbf, differences=true)", "convolutions"), "ridge,svc,baseline"
    ),
    "kernels/pyramid_match": Case(*INK, ("normalise(pyramid_match)", "normalise(pyramid_match(shifts=10))", "pyramid_match", "normalise(codebook)")),
    "kernels/codebook": Case(
        *INK, ("normalise(codebook)", "normalise(codebook(assign=soft))", "normalise(codebook(by=linear))", "normalise(codebook(centres=16))",
        "normalise(codebook(centres=256))")
    ),
    "kernels/set_mean": Case(
        *MUSK, ("normalise(set_mean(rbf))", "normalise(set_sum(rbf))", "normalise(set_mean(linear))", "set_extremes(polynomial(degree=3))")
    ),
    "kernels/set_extremes": Case(
        *MUSK, ("set_extremes(rbf)", "set_extremes(polynomial(degree=3))", "set_extremes(linear)", "normalise(set_mean(rbf))")
    ),
    "kernels/best_match": Case(
        *MUSK, ("clip(best_match(rbf))", "best_match(rbf)", "normalise(set_mean(rbf))", "set_extremes(rbf)"), "svc,knn,baseline"
    ),
    "kernels/subset_tree": Case(*SENTENCES, ("normalise(subset_tree)", "normalise(subset_tree(decay=0.05..1))", "normalise(subtree)")),
    "kernels/subtree": Case(*SENTENCES, ("normalise(subtree)", "normalise(subtree(decay=0.01))", "normalise(subset_tree)")),
    "kernels/partial_tree": Case(*SENTENCES, ("normalise(partial_tree)", "normalise(subset_tree)", "normalise(subtree)")),
    "kernels/fisher": Case(
        "promoters", "--target promoter", ("normalise(fisher(markov(order=2)))", "normalise(fisher(markov(order=2), information=identity))",
        "normalise(spectrum(k=3))", "normalise(weighted_degree)")
    ),
    "kernels/probability_product": Case(
        *INK, ("probability_product(gaussian(covariance=full), datum=vectors)",
        "probability_product(gaussian(covariance=full), datum=vectors, rho=0.5)",
        "probability_product(gaussian_mixture(components=4), datum=vectors)", "normalise(pyramid_match)")
    ),
    "models/markov": Case(
        "promoters", "--target promoter", (),
        "bayes(markov(order=0)),bayes(markov(order=1)),bayes(markov(order=2)),bayes(markov(order=3)),baseline"
    ),
    "models/hmm": Case("promoters", "--target promoter", (), "bayes(hmm(states=2)),bayes(hmm(states=4)),bayes(markov(order=2)),baseline"),
    "models/gaussian_hmm": Case(
        *RADAR, (), "bayes(gaussian_hmm(states=2)),bayes(gaussian_hmm(states=4)),bayes(gaussian_hmm(states=8)),bayes(autoregressive),baseline"
    ),
    "models/gaussian": Case(
        "vowels", "--target vowel", (), "bayes(gaussian),bayes(gaussian(covariance=full)),bayes(gaussian(covariance=spherical)),baseline"
    ),
    "models/gaussian_mixture": Case("galaxies", "", (), "", tuple(f"gaussian_mixture(components={k})" for k in (1, 2, 3, 4, 6))),
    "models/multinomial": Case(
        "messages", "--target label", (), "bayes(multinomial),bayes(multinomial(prior=0.01)),bayes(dirichlet_multinomial),baseline"
    ),
    "models/dirichlet_multinomial": Case("questions", "--target label", (), "bayes(dirichlet_multinomial),bayes(multinomial),baseline"),
    "models/autoregressive": Case("carbon_dioxide", "--types change=series", (), "", tuple(f"autoregressive(order={k})" for k in (1, 2, 6, 12))),
}  # fmt: skip


def quoted(word):
    """A word as it is typed in a shell."""
    return f"'{word}'" if re.search(r"[^\w.,=/-]", word) else word


class Run(NamedTuple):
    """One command: how it is typed, the head of its output, its document and its seconds."""

    typed: str
    head: str
    document: dict
    seconds: float


def compared(mercer, folder, case, kernel):
    words = ["compare", f"{case.table}.csv", *shlex.split(case.arguments), *(["--kernel", kernel] if kernel else []), "--estimators", case.estimators]
    written = Path(folder) / "result.json"
    clock = time.perf_counter()
    done = subprocess.run([mercer, *words, "--json", written], cwd=folder, capture_output=True, text=True)
    seconds = time.perf_counter() - clock
    if done.returncode:
        sys.exit(f"mercer {' '.join(words)}\n{done.stderr}")
    head = " ".join(done.stdout.split("\n\n")[0].split())
    return Run("mercer " + " ".join(map(quoted, words)), head, json.loads(written.read_text(encoding="utf-8")), seconds)


def score(row):
    found = row.get("metrics", {}).get("accuracy")
    return f"{100 * found['mean']:.1f}% ± {100 * found['se']:.1f}" if found else "–"


def seconds(value):
    if value < 0.1:
        return "under 0.1 s"
    return f"{value:.1f} s" if value < 10 else f"{value:.0f} s"


def by_kernel(mercer, folder, case):
    runs = {kernel: compared(mercer, folder, case, kernel) for kernel in case.kernels}
    first = runs[case.kernels[0]]
    names = [name for name in case.estimators.split(",") if name != "baseline"]
    rows = ["| kernel | " + " | ".join(names) + " | whole command |", "|---" * (len(names) + 2) + "|"]
    for kernel, run in runs.items():
        found = {row["estimator"]: score(row) for row in run.document["rows"]}
        rows.append(f"| `{kernel}` | " + " | ".join(found.get(name, "–") for name in names) + f" | {seconds(run.seconds)} |")
    guess = next(score(row) for row in first.document["rows"] if row["estimator"] == "baseline")
    rows.append("| guessing | " + " | ".join([guess, *[""] * len(names)]) + " |")
    return first, rows


def by_estimator(mercer, folder, case):
    run = compared(mercer, folder, case, None)
    rows = ["| estimator | accuracy | one fit |", "|---|---|---|"]
    for row in run.document["rows"]:
        shown = {"baseline": "guessing", "bayes": "`bayes(gaussian)`"}
        name = shown.get(row["estimator"]) or f"`{row['estimator'].replace('model=', '')}`"
        rows.append(f"| {name} | {score(row)} | {1000 * row['fit_seconds']:.3g} ms |")
    return run, rows


def by_density(mercer, folder, case):
    rows, best = ["| model | free parameters | log likelihood | AIC | BIC |", "|---" * 5 + "|"], None
    for model in case.densities:
        words = ["fit", f"{case.table}.csv", *shlex.split(case.arguments), "--estimator", f"density({model})", "-o", f"{case.table}.mercer"]
        clock = time.perf_counter()
        done = subprocess.run([mercer, *words], cwd=folder, capture_output=True, text=True, check=True)
        took = time.perf_counter() - clock
        text = " ".join(done.stdout.split())
        found = re.search(r"log likelihood (\S+) .*?(\d+) free parameters[^:]*: AIC ([-\d.]+), BIC ([-\d.]+)", text)
        rows.append(f"| `{model}` | {found[2]} | {float(found[1]):.1f} | {float(found[3]):.1f} | {float(found[4].rstrip('.')):.1f} |")
        bic = float(found[4].rstrip("."))
        if best is None or bic < best[0]:
            best = bic, Run("mercer " + " ".join(map(quoted, words)), found[0].rstrip("."), {}, took)
    return best[1], rows


def example(mercer, folder, case):
    """The lines of the block of a page."""
    how = by_density if case.densities else by_kernel if case.kernels else by_estimator
    run, rows = how(mercer, folder, case)
    said = f"The command took {seconds(run.seconds)} on {os.cpu_count()} cores. Made by [bench/pages.py](../../bench/pages.py)."
    return ["```console", f"$ {run.typed}", run.head, "```", "", *rows, "", said]


def rewritten(text, block):
    """A page with another block."""
    before, rest = text.split(BEGIN, 1)
    return before + BEGIN + "\n" + "\n".join(block) + "\n" + END + rest.split(END, 1)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mercer", default=ROOT / "target/release/mercer", type=Path)
    parser.add_argument("--tables", type=Path)
    parser.add_argument("pages", nargs="*")
    asked = parser.parse_args()
    if asked.tables:
        asked.tables.mkdir(parents=True, exist_ok=True)
        for name in TABLES:
            print(write(name, asked.tables))
        return
    with tempfile.TemporaryDirectory() as folder:
        for page in asked.pages or CASES:
            case = CASES[page]
            write(case.table, folder)
            block = example(asked.mercer.resolve(), folder, case)
            path = ROOT / "docs" / f"{page}.md"
            path.write_text(rewritten(path.read_text(encoding="utf-8"), block), encoding="utf-8")
            print(f"{page}: {block[-1]}", flush=True)


if __name__ == "__main__":
    main()
