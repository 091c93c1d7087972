"""What rows are: numbers, which scikit-learn checks, or other things, which go to the library as they are."""

from numbers import Real

import numpy as np
import scipy.sparse as sp

from .._native import Dataset


def is_number(dtype):
    """Whether cells of this type are numbers or flags."""
    kind = getattr(dtype, "kind", None)
    if kind is not None:
        return kind in "fiubc"
    asked = getattr(dtype, "is_numeric", None)
    return (asked is not None and asked()) or str(dtype) == "Boolean"


def names_of(X):
    """Names of the columns of a data frame or a Dataset; None for anything else."""
    columns = list(X.columns) if isinstance(X, Dataset) else getattr(X, "columns", None)
    return None if columns is None or callable(columns) else [str(name) for name in columns]


def row_count(X):
    """Number of rows."""
    shape = getattr(X, "shape", None)
    return shape[0] if shape else len(X)


def other_columns(X):
    """Names of the columns of a frame or a Dataset that hold no numbers, with what they hold."""
    if isinstance(X, Dataset):
        return {name: sort for name, sort in X.columns.items() if sort not in ("number", "points")}
    dtypes = X.dtypes
    kinds = dtypes.values() if isinstance(dtypes, dict) else dtypes
    return {name: str(kind) for j, (name, kind) in enumerate(zip(names_of(X), kinds)) if not (is_number(kind) or _hidden_numbers(X, j, kind))}


def _hidden_numbers(X, j, dtype):
    """Whether a column of objects holds numbers and gaps only."""
    if getattr(dtype, "kind", None) != "O" or not hasattr(X, "iloc"):
        return False
    return all(cell is None or isinstance(cell, Real) for cell in X.iloc[:, j])


def numbered(what, index):
    """A row as it is told: its number, counted from 1 as in a table, and its index."""
    return f"{what} {index + 1} (index {index})"


def matrix(X):
    """The numbers of a Dataset side by side; other rows as they are."""
    return np.column_stack([X[name] for name in X.columns]) if isinstance(X, Dataset) else X


def first_missing(X):
    """Row, counted from 0, and name of the column of the first NaN among numbers."""
    names = names_of(X)
    if sp.issparse(X):
        whole = sp.csr_matrix(X)
        at = int(np.flatnonzero(np.isnan(whole.data))[0])
        row, column = int(np.searchsorted(whole.indptr, at, side="right")) - 1, int(whole.indices[at])
    else:
        missing = X.isna().to_numpy() if hasattr(X, "isna") else np.isnan(np.asarray(X, dtype=np.float64))
        row, column = np.argwhere(missing)[0].tolist()
    return row, f"x{column}" if names is None else names[column]


def are_numbers(X):
    """Whether rows are to be checked as numbers: all but frames with other columns, and columns of str."""
    if isinstance(X, Dataset):
        return False
    if names_of(X) is not None:
        return not other_columns(X)
    if isinstance(X, np.ndarray):
        return X.ndim != 1 or X.dtype.kind not in "UO" or not all(isinstance(cell, str) for cell in X)
    return not (isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(cell, str) for cell in X))


def is_plain(X):
    """Whether rows are an array of finite float64, row after row: what checking would make of others."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float64 and X.flags.c_contiguous and X.size > 0 and _finite(X)


def is_plain_target(y, rows):
    """Whether a target is an array of one finite number a row."""
    return type(y) is np.ndarray and y.shape == (rows,) and (y.dtype.kind in "iu" or (y.dtype.kind == "f" and _finite(y)))


def _finite(numbers):
    """Whether a sum is finite: that of large numbers need not be though they are, and then they are checked one by one."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(numbers.sum()))
