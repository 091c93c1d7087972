"""Kernel values that come from the user: a Gram matrix, or a function that computes one."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils import _safe_indexing

from .._native import Dataset
from ..errors import DataError
from ._rows import row_count


class Given:
    """A function of two batches that computes kernel values; None: rows are kernel values themselves."""

    def __init__(self, function=None):
        self.function = function


class FunctionModel:
    """A fitted model with a function in the place of its kernel: the function makes kernel values of rows, and the model, whose
    kernel is `precomputed`, answers. Whatever needs no new rows is the model's own."""

    #: Rows come as they were checked, and not as columns with names.
    takes_arrays = True

    def __init__(self, function, rows, model):
        self.function, self.rows, self.model = function, rows, model

    def __getattr__(self, name):
        if name.startswith("_") or name in ("model", "kernel", "columns"):
            raise AttributeError(name)
        return getattr(self.model, name)

    def _given(self, X, **own):
        return Dataset.precomputed(values(self.function, X, self.rows), self.model, **own)

    def predict(self, X, **words):
        """Predicted numbers or classes; classes as their codes where that is asked."""
        return self.model.predict(self._given(X), **words)

    def predict_proba(self, X, **words):
        """Probability of each class."""
        return self.model.predict_proba(self._given(X), **words)

    def decision_function(self, X, **words):
        """Decision values before they become classes."""
        return self.model.decision_function(self._given(X), **words)

    def predict_interval(self, X, *given, **words):
        """The interval of each row."""
        return self.model.predict_interval(self._given(X, diagonal=diagonal(self.function, X)), *given, **words)

    def predict_set(self, X, *given, **words):
        """The set of classes of each row."""
        return self.model.predict_set(self._given(X), *given, **words)

    def predict_p(self, X, *given, **words):
        """The p-value of each class."""
        return self.model.predict_p(self._given(X), *given, **words)

    def conformalize(self, X, *given, **words):
        """The model with scores of rows that it did not see."""
        rows = self._given(X, diagonal=diagonal(self.function, X))
        return FunctionModel(self.function, self.rows, self.model.conformalize(rows, *given, **words))

    def variance(self, X, **words):
        """Variance of function values of new rows."""
        return self.model.variance(self._given(X, diagonal=diagonal(self.function, X)), **words)

    def covariance(self, X, **words):
        """Covariance between function values of new rows."""
        return self.model.covariance(self._given(X, among=values(self.function, X, X)), **words)

    def leave_one_out(self, y, weight=None, *, data=None, **words):
        """Predictions for each training row by the model fitted without it; `data`: the training rows, where not all of them are kept."""
        rows = self.rows if data is None else data
        return self.model.leave_one_out(y, weight, data=values(self.function, rows, rows), **words)

    def save(self, path=None):
        """Says why there is no model file of it, and what there is instead."""
        raise DataError(
            "the kernel of this model is a Python function, and a model file holds data, not code: write the kernel as an expression "
            "or a mercer.Kernel to save it; or pickle.dump(estimator, file), which stores a function that stands in a module by its "
            "name (a lambda or a function inside another cannot be pickled)"
        )

    to_bytes = save


def values(function, X, Y):
    """Kernel values between two batches by a function of the user, their shape checked. What the function raises is its own."""
    expected = (row_count(X), row_count(Y))
    try:
        found = function(X, Y)
    except Exception as error:
        noted(error, f"raised by the kernel function, which was given {expected[0]} and {expected[1]} rows")
        raise
    try:
        found = np.asarray(found.toarray() if sp.issparse(found) else found, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"kernel: the function returned {type(found).__name__}, which is no array of numbers: {error}") from error
    if found.shape != expected:
        raise DataError(f"kernel: the function returned an array of shape {found.shape}; expected {expected}")
    return found


def diagonal(function, X):
    """k(x, x) of every row: by the function's own diag where it has one, else from small squares."""
    if hasattr(function, "diag"):
        return np.asarray(function.diag(X), dtype=np.float64)
    small = [_safe_indexing(X, slice(at, at + 64)) for at in range(0, row_count(X), 64)] or [X]
    return np.concatenate([np.diag(values(function, rows, rows)) for rows in small])


def noted(error, note):
    """Adds a note to an exception of the user, where Python can (3.11)."""
    if hasattr(error, "add_note"):
        error.add_note(note)
