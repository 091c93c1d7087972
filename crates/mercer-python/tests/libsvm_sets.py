"""Ten real sets with the settings under which LIBSVM's dual objective is held against ours, and how they are read."""

import gzip
import os
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("MERCER_SHARED", ROOT.parent / "shared")) / "data"

#: Penalty and factor of the rbf kernel.
SETS = {
    "a1a": (1.0, 1 / 123),
    "a9a": (1.0, 1 / 123),
    "svmguide1": (8.0, 1.0),
    "svmguide3": (128.0, 0.125),
    "splice": (1.0, 1 / 60),
    "ionosphere": (10.0, 1 / 34),
    "german": (1.0, 1 / 20),
    "usps": (10.0, 1 / 64),
    "letter": (10.0, 1 / 16),
    "shuttle": (100.0, 1.0),
}


def rows(name):
    """Numbers and labels -1 and +1 of a set; None where the folder is not there."""
    if not DATA.is_dir():
        return None
    x, y = globals().get(f"_{name}", lambda: _guide(name))()
    return np.ascontiguousarray(x, dtype=np.float64), np.where(y, 1.0, -1.0)


def dual(support, coef, gamma):
    """The dual objective of signed coefficients: their sum less half of their norm, in double precision."""
    squares, norm = (support**2).sum(axis=1), 0.0
    for start in range(0, len(coef), 2000):
        part = slice(start, start + 2000)
        apart = squares[part, None] + squares - 2 * support[part] @ support.T
        norm += coef[part] @ (np.exp(-gamma * np.maximum(apart, 0)) @ coef)
    return np.abs(coef).sum() - 0.5 * norm


def _text(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as file:
        return file.read()


def _libsvm(path, columns):
    lines = _text(path).splitlines()
    x, y = np.zeros((len(lines), columns)), np.zeros(len(lines))
    for i, line in enumerate(lines):
        label, *cells = line.split()
        y[i] = float(label)
        for cell in cells:
            column, value = cell.split(":")
            x[i, int(column) - 1] = float(value)
    return x, y > 0


def _csv(path, header=True):
    return np.array([line.split(",") for line in _text(path).splitlines()[int(header) :]])


def _to_unit(x):
    """Columns from 0 to 1, as LIBSVM's guide scales them."""
    low, high = x.min(axis=0), x.max(axis=0)
    return (x - low) / np.where(high > low, high - low, 1.0)


def _a1a():
    return _libsvm(DATA / "adult_a9a" / "a1a.libsvm", 123)


def _a9a():
    return _libsvm(DATA / "adult_a9a" / "a9a.gz", 123)


def _guide(name):
    x, y = _libsvm(DATA / name / name, {"svmguide1": 4, "svmguide3": 22}[name])
    return _to_unit(x), y


def _splice():
    cells = _csv(DATA / "splice_junctions" / "splice.csv")
    letters = np.array([list(sequence) for sequence in cells[:, 2]])
    return np.concatenate([letters == letter for letter in "ACGT"], axis=1), cells[:, 0] == "N"


def _ionosphere():
    cells = _csv(DATA / "ionosphere" / "ionosphere.csv")
    return cells[:, :-1].astype(float), cells[:, -1] == "g"


def _german():
    cells = _csv(DATA / "german" / "german.csv")
    return _to_unit(cells[:, :-1].astype(float)), cells[:, -1] == "1"


def _usps():
    cells = _csv(DATA / "usps" / "usps_train.csv.gz", header=False).astype(float)
    return cells[:, 1:], cells[:, 0] % 2 == 0


def _letter():
    cells = _csv(DATA / "letter" / "letter.csv")
    return _to_unit(cells[:, :-1].astype(float)), cells[:, -1] < "N"


def _shuttle():
    cells = _csv(DATA / "shuttle" / "shuttle.csv.gz").astype(float)[:10000]
    return _to_unit(cells[:, :-1]), cells[:, -1] == 1
