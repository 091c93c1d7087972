"""Default comparisons of the fields' own tables: series archives, molecules, sequences, texts, trees and sets.

usage: python bench/fields.py MERCER [--make PROGRAM] [--peers PROGRAM] [--sets gun_point esol ...]

Each set is compared with default arguments in a process of its own, with `--test` where a test table is published. PROGRAM makes the tables
whose truth is known (`PROGRAM FOLDER SEED NAME..`); without it they are left out. Prints a JSON line for each set: the score of the row that
compare names best (by the test table where there is one, else by its folds), what is aimed at, CPU seconds and megabytes.
With `--peers PROGRAM`, which prints what aeon and RDKit with scikit-learn reach on a set that it is given by name, its lines follow each
set; of texts the accuracy of TfidfVectorizer with LogisticRegression (scikit-learn) on the same rows does.
The data are in the folder $MERCER_SHARED/data (or ../shared/data beside the checkout).
"""

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import pages
import record
import structured
from texts import movie_reviews, rt_polarity

DATA = pages.DATA


class Case(NamedTuple):
    """The words behind `mercer compare`, and the score that is aimed at."""

    words: list
    aim: float


def written(path, rows):
    """A CSV file of records."""
    rows = list(rows)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def archive(name, file, aim):
    """A set of the series archive on its published split."""
    return lambda _: Case([str(DATA / name / f"{file}_TRAIN.ts.gz"), "--test", str(DATA / name / f"{file}_TEST.ts.gz")], aim)


def table(name, target, aim, *more):
    """A table of the examples of the pages."""
    return lambda folder: Case([str(pages.write(name, folder)), "--target", target, *more], aim)


def molecules(name, target, aim):
    return lambda _: Case([str(DATA / name / f"{name}.csv"), "--target", target], aim)


def halves(name, rows, target, train, test, aim):
    """So many rows to learn from and so many others to test on, both drawn."""

    def case(folder):
        drawn = pages.drawn(rows(), train + test)
        parts = [written(Path(folder) / f"{name}_{part}.csv", some) for part, some in (("train", drawn[:train]), ("test", drawn[train:]))]
        return Case([parts[0], "--target", target, "--test", parts[1]], aim)

    return case


def documents(read):
    return lambda: ({"text": text, "label": label} for text, label in zip(*read()))


def splice():
    return ({"sequence": row["sequence"], "site": row["target"]} for row in csv.DictReader(pages.lines("splice_junctions/splice.csv")))


def whole(name, rows, target, aim):
    return lambda folder: Case([written(Path(folder) / f"{name}.csv", rows()), "--target", target], aim)


def fasta(part):
    """Proteins that bind DNA and others."""
    for kind, says in (("pos", "yes"), ("neg", "no")):
        ending = ".gz" if part == "train" else ""
        for record_ in "\n".join(pages.lines(f"dna_binding_proteins/{part}_{kind}.fasta{ending}")).split(">")[1:]:
            yield {"protein": "".join(record_.split("\n")[1:]), "binds": says}


def proteins(folder):
    train = written(Path(folder) / "train.csv", pages.drawn(fasta("train"), 2500))
    return Case([train, "--target", "binds", "--test", written(Path(folder) / "test.csv", fasta("test"))], 71)


def opinions(folder):
    """Parsed sentences without the labels of their nodes; neutral ones left out."""
    parts = {}
    for part, file, most in (("train", "train.txt.gz", 1500), ("test", "test.txt", 10**6)):
        trees = pages.drawn((line for line in pages.lines(f"sst_trees/{file}") if line and line[1] != "2"), most)
        rows = ({"sentence": re.sub(r"\(\d ", "(X ", tree), "opinion": "good" if tree[1] in "34" else "bad"} for tree in trees)
        parts[part] = written(Path(folder) / f"{part}.csv", rows)
    return Case([parts["train"], "--target", "opinion", "--test", parts["test"]], 74.0)


def made(name, aim, seed=901):
    def case(folder, program):
        subprocess.run([sys.executable, program, folder, str(seed), name], check=True)
        return Case([str(Path(folder) / f"{name}.csv"), "--target", "y"], aim)

    return case


# Accuracies in per cent; errors where they are below 2.
SETS = {
    "gun_point": archive("gun_point", "GunPoint", 99),
    "italy_power_demand": archive("italy_power_demand", "ItalyPowerDemand", 96),
    "arrow_head": archive("arrow_head", "ArrowHead", 85),
    "basic_motions": archive("basic_motions", "BasicMotions", 100),
    "japanese_vowels": archive("japanese_vowels", "JapaneseVowels", 98.5),
    "tecator": archive("tecator", "Tecator", 0.75),
    "esol": molecules("esol", "solubility", 0.65),
    "bbbp": molecules("bbbp", "passes", 90),
    "splice": whole("splice", splice, "site", 97),
    "promoters": table("promoters", "promoter", 99),
    "mutag": table("mutag", "mutagenic", 87.5),
    "musk1": table("musk", "target", 90, "--group-into", "molecule_name", "--types", "conformation_name=ignore"),
    "dna_binding_proteins": proteins,
    "movie_reviews": whole("movie_reviews", documents(movie_reviews), "label", 85.5),
    "rt_polarity": halves("rt_polarity", documents(rt_polarity), "label", 2000, 3000, 72.6),
    "sst_trees": opinions,
}
# Sets that the peers' program knows.
BY_PEERS = {"gun_point", "italy_power_demand", "arrow_head", "basic_motions", "japanese_vowels", "tecator", "esol", "bbbp"}
TEXTS = {"movie_reviews": "text", "rt_polarity": "text"}
MADE = {"motif": made("motif", 98), "order": made("order", 93), "place": made("place", 97), "motif_2000": made("motif_2000", 99)}


def one(mercer, case):
    wall, cpu, peak, code, document = structured.compared(mercer, case.words)
    rows = document["rows"]
    best = next((row for row in rows if row["best"]), None)
    found = best and (best.get("test") or next(iter(best["metrics"].values())))
    score = found and found["mean"]
    return {
        "score": score and round(score if case.aim < 2 else 100 * score, 3),
        "aim": case.aim,
        "best": best and best["estimator"],
        "cpu": round(cpu, 1),
        "wall": round(wall, 1),
        "peak_mb": round(peak),
        "code": code,
        "not_tuned": sum(row["against_best"] == "not_tuned" for row in rows),
    }


def texts(case, column):
    """Accuracy of a linear model of weighted words, in per cent, and its CPU seconds."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline

    def read(path):
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return [row[column] for row in rows], [row["label"] for row in rows]

    model = make_pipeline(TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)), LogisticRegression(C=10, max_iter=1000))
    start = time.process_time()
    train = read(case.words[0])
    if "--test" in case.words:
        score = model.fit(*train).score(*read(case.words[case.words.index("--test") + 1]))
    else:
        score = cross_val_score(model, *train, cv=5).mean()
    return {"peer": "TfidfVectorizer with LogisticRegression", "score": round(100 * score, 3), "cpu": round(time.process_time() - start, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mercer")
    parser.add_argument("--make")
    parser.add_argument("--peers")
    parser.add_argument("--sets", nargs="+", choices=[*SETS, *MADE])
    asked = parser.parse_args()
    for name in asked.sets or [*SETS, *(MADE if asked.make else [])]:
        with tempfile.TemporaryDirectory() as folder:
            case = SETS[name](folder) if name in SETS else MADE[name](folder, asked.make)
            found = one(asked.mercer, case)
            print(json.dumps({"set": name, **found}), flush=True)
            if asked.peers and name in TEXTS:
                print(json.dumps({"set": name, **texts(case, TEXTS[name])}), flush=True)
            if asked.peers and name in BY_PEERS:
                subprocess.run([sys.executable, asked.peers, name], check=True)
        record.figure(name, "score of a default comparison", found["score"], "RMSE" if case.aim < 2 else "%")
        record.figure(name, "CPU time of a default comparison", found["cpu"], "s")


if __name__ == "__main__":
    main()
