"""What rows are: numbers, which scikit-learn checks, or other things, which go to the library as they are."""

import numpy as np

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


def are_numbers(X):
    """Whether rows are to be checked as numbers: all but frames with other columns, and columns of str."""
    if isinstance(X, Dataset):
        return False
    if names_of(X) is not None:
        dtypes = X.dtypes
        return all(is_number(dtype) for dtype in (dtypes.values() if isinstance(dtypes, dict) else dtypes))
    if isinstance(X, np.ndarray):
        return X.ndim != 1 or X.dtype.kind not in "UO" or not all(isinstance(cell, str) for cell in X)
    return not (isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(cell, str) for cell in X))
