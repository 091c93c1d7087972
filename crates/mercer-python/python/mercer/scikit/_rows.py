"""What rows are: numbers, which scikit-learn checks, or other things, which go to the library as they are."""

from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp

from .._native import Dataset, is_missing, number_column, unmasked


def is_number(dtype):
    """Whether cells of this type are numbers or flags."""
    kind = getattr(dtype, "kind", None)
    if kind is not None:
        return kind in "fiubc"
    asked = getattr(dtype, "is_numeric", None)
    if asked is not None:
        return asked() or str(dtype) == "Boolean"
    # A type of pyarrow.
    return str(dtype).startswith(("int", "uint", "float", "halffloat", "double", "bool"))


def names_of(X):
    """Names of the columns of a data frame or a Dataset; None for anything else."""
    # A table of pyarrow calls them column_names, and its columns are the cells.
    columns = list(X.columns) if isinstance(X, Dataset) else getattr(X, "column_names", getattr(X, "columns", None))
    return None if columns is None or callable(columns) else [str(name) for name in columns]


def row_count(X):
    """Number of rows."""
    shape = getattr(X, "shape", None)
    return shape[0] if shape else len(X)


def other_columns(X, *, labels=False):
    """Names of the columns of a frame or a Dataset that hold no numbers, with what they hold. With `labels`, categorical columns whose
    labels are numbers are among them: the frame declares that they are labels."""
    if isinstance(X, Dataset):
        return {name: sort for name, sort in X.columns.items() if sort not in ("number", "points")}
    kinds = enumerate(zip(names_of(X), _dtypes(X)))
    return {name: str(kind) for j, (name, kind) in kinds if not (is_number(kind) or _hidden_numbers(X, j, kind, labels))}


def _dtypes(X):
    """The types of the columns of a frame of pandas or polars or of a table of pyarrow."""
    dtypes = getattr(X, "dtypes", None)
    dtypes = X.schema.types if dtypes is None else dtypes
    return dtypes.values() if isinstance(dtypes, dict) else dtypes


def _column(X, j):
    """A column of a frame by its place."""
    if hasattr(X, "iloc"):
        return X.iloc[:, j]
    return X.get_column(X.columns[j]) if hasattr(X, "get_column") else X.column(j)


def _hidden_numbers(X, j, dtype, labels):
    """Whether a column that is not of a type of numbers holds numbers and gaps only: of objects, of decimals, without any cell, or
    categorical."""
    word = str(dtype).lower()
    if word.startswith("category"):
        return not labels and number_column(dtype.categories) is not None
    return _is_opaque(dtype) and number_column(_column(X, j)) is not None


def as_floats(X):
    """A frame whose columns of objects or decimals hold numbers with these as floats, NaN where one is missing; other rows as they
    are."""
    if names_of(X) is None or isinstance(X, Dataset):
        return X
    hidden = {j: number_column(_column(X, j)) for j, dtype in enumerate(_dtypes(X)) if _is_opaque(dtype)}
    hidden = {j: numbers for j, numbers in hidden.items() if numbers is not None}
    if not hidden:
        return X
    if hasattr(X, "iloc"):
        X = X.copy()
        for j, numbers in hidden.items():
            X.isetitem(j, numbers)
        return X
    if hasattr(X, "get_column"):
        return X.with_columns(**{X.columns[j]: type(_column(X, j))(numbers) for j, numbers in hidden.items()})
    for j, numbers in hidden.items():
        X = X.set_column(j, X.column_names[j], [numbers])
    return X


def _is_opaque(dtype):
    """Whether numpy makes objects of the numbers of a column of this type."""
    word = str(dtype).lower()
    return not word.startswith("category") and (getattr(dtype, "kind", None) == "O" or word.startswith(("object", "decimal", "null")))


def fields(X):
    """The columns of an array of records by their names; other rows as they are."""
    return {name: X[name] for name in X.dtype.names} if isinstance(X, np.ndarray) and X.dtype.names else X


def is_tabular(X):
    """Whether rows are a dict of columns or a list of records."""
    # A sparse matrix by keys is a dict.
    return (isinstance(X, Mapping) and not sp.issparse(X)) or (isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(row, Mapping) for row in X))


def measured(X):
    """Types that declare the columns of numbers of a dict of columns or of records: whatever they look like, they are measurements."""
    names = X if isinstance(X, Mapping) else dict.fromkeys(name for row in X for name in row)
    cells = {name: X[name] if isinstance(X, Mapping) else [row.get(name) for row in X] for name in names}
    return {str(name): "number" for name, column in cells.items() if _holds_numbers(column)}


def _holds_numbers(column):
    if str(getattr(column, "dtype", "")) == "category":
        return False
    try:
        return number_column(column) is not None
    except ValueError:
        # Cells of unlike shapes, such as sets of vectors.
        return False


def texts_of(X):
    """Texts, one a row, as an array of objects, None where one is missing: of a list, an array, a Series, an Index, a categorical or
    an array of Arrow. None for anything else."""
    X, listed = unmasked(X), isinstance(X, (list, tuple))
    if not listed and (names_of(X) is not None or sp.issparse(X) or isinstance(X, Dataset) or getattr(X, "ndim", 1) != 1):
        return None
    if not listed and not hasattr(X, "__array__"):
        return None
    if isinstance(X, np.ndarray) and X.dtype.kind not in "UOT":
        return None
    if listed and not any(isinstance(cell, str) for cell in X):
        return None
    if listed:
        cells = np.empty(len(X), dtype=object)
        cells[:] = X
    else:
        cells = np.asarray(X, dtype=object)
    there = [isinstance(cell, str) for cell in cells]
    if cells.ndim != 1 or not any(there):
        return None
    gaps = [k for k, text in enumerate(there) if not text]
    if any(not is_missing(cells[k]) for k in gaps):
        return None
    out = np.array(cells)
    out[gaps] = None
    return out


def numbered(what, index):
    """A row as it is told: its number, counted from 1 as in a table, and its index."""
    return f"{what} {index + 1} (index {index})"


def matrix(X, names=None):
    """The numbers of a Dataset side by side, the columns of these names; other rows as they are."""
    return np.column_stack([X[name] for name in (X.columns if names is None else names)]) if isinstance(X, Dataset) else X


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


def are_numbers(X, *, labels=False):
    """Whether rows are to be checked as numbers: all but frames with other columns, and columns of texts. For `labels` see
    `other_columns`."""
    if isinstance(X, Dataset):
        return False
    if names_of(X) is not None:
        return not other_columns(X, labels=labels)
    return texts_of(X) is None


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
