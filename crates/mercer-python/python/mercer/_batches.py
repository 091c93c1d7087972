"""Rows that come in batches: arrays, frames and tables of any package, taken apart and put below each other by what they offer."""

import sys

import numpy as np

from .errors import DataError

SEVERAL = (
    "a fit goes over the rows up to three times: give a function that begins anew, such as lambda: pandas.read_csv(path, chunksize=100_000), "
    "or an object that can be iterated several times; mercer.Partial adds up batches in one pass where there is a model of some rows"
)


def begun(batches):
    """An iterator over the batches from the first one on."""
    try:
        iterator = iter(batches() if callable(batches) else batches)
    except TypeError as error:
        if callable(batches):
            raise
        raise DataError(f"batches: found {type(batches).__name__}, which cannot be iterated; {SEVERAL}") from error
    if iterator is batches:
        raise DataError(f"batches: found {type(batches).__name__}, which can be gone over once; {SEVERAL}")
    return iterator


def parts(batch):
    """Inputs, target and weights of a batch, and how many rows they have."""
    if not isinstance(batch, (tuple, list)) or len(batch) not in (2, 3):
        found = f"{len(batch)} items" if isinstance(batch, (tuple, list)) else type(batch).__name__
        raise DataError(f"found {found}, expected inputs and target, or inputs, target and weights: (X, y) or (X, y, weights)")
    inputs, target, weights = (*batch, None)[:3]
    counts = {what: _count(part) for what, part in (("X", inputs), ("y", target), ("weights", weights)) if part is not None}
    if len(set(counts.values())) > 1:
        raise DataError("rows of different numbers: " + ", ".join(f"{what} has {count}" for what, count in counts.items()))
    return inputs, target, weights, counts["X"]


def _count(rows):
    if isinstance(rows, dict):
        return _count(next(iter(rows.values()), ()))
    return rows.num_rows if hasattr(rows, "num_rows") else rows.shape[0] if hasattr(rows, "shape") else len(rows)


def taken(rows, places):
    """The rows at these places."""
    if rows is None:
        return None
    if isinstance(rows, dict):
        return {name: taken(column, places) for name, column in rows.items()}
    if isinstance(rows, (list, tuple)):
        return [rows[place] for place in places]
    if hasattr(rows, "iloc"):
        return rows.iloc[places]
    if _package(rows) == "pyarrow":
        return rows.take(places)
    return rows.tocsr()[places] if hasattr(rows, "tocsr") else rows[np.asarray(places, dtype=np.intp)]


def stacked(several):
    """Rows of several batches below each other."""
    first = several[0]
    if first is None:
        return None
    if isinstance(first, dict):
        return {name: stacked([rows[name] for rows in several]) for name in first}
    if isinstance(first, list):
        return [row for rows in several for row in rows]
    package = sys.modules.get(_package(first))
    match _package(first):
        case "pandas":
            return package.concat(several)
        case "polars":
            return package.concat(several, how="vertical_relaxed" if hasattr(first, "columns") else "vertical")
        case "pyarrow":
            return _arrow(package, first, several)
        case "scipy":
            return __import__("scipy.sparse").sparse.vstack(several, format="csr")
        case "mercer":
            raise DataError("a batch is a Dataset; give the arrays or frames that it is made from")
    return np.concatenate([np.asarray(rows) for rows in several])


def _arrow(pyarrow, first, several):
    if hasattr(first, "schema"):
        as_table = [rows if isinstance(rows, pyarrow.Table) else pyarrow.Table.from_batches([rows]) for rows in several]
        return pyarrow.concat_tables(as_table)
    return pyarrow.chunked_array([chunk for rows in several for chunk in getattr(rows, "chunks", [rows])])


def _package(rows):
    return type(rows).__module__.split(".")[0]
