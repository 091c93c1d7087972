"""Models on kernel values that come from the user: a Gram matrix, or a function that computes one."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils import _safe_indexing

from .._native import Fitted
from ..errors import DataError
from ._rows import row_count


class Given:
    """A function of two batches that computes kernel values; None: rows are kernel values themselves."""

    def __init__(self, function=None):
        self.function = function


#: Rows whose kernel values with new rows are held at a time.
BLOCK = 1024


class GivenModel:
    """A fitted estimator with the function of its kernel and the training rows; without a function, rows are kernel values.

    It answers like a Model. Rows of weight 0 are absent rows.
    """

    #: Rows come as they were checked, and not as columns with names.
    takes_arrays = True

    def __init__(self, expression, function, X, y, weight, **words):
        self.function = function
        self.rows = None if function is None else X
        self.used = None if weight is None or (weight > 0).all() else np.flatnonzero(weight > 0)
        gram = self._gram(X)
        if self.used is not None:
            gram, y, weight = gram[np.ix_(self.used, self.used)], y[self.used], weight[self.used]
        classes = words.pop("classes", None)
        self.labels = None if classes is None else np.asarray(classes)
        words["classes"] = None if classes is None else [str(label) for label in classes]
        self.fitted = Fitted(expression, gram, y, weight, **words)

    def _gram(self, X):
        """Kernel values among rows: among all those it was fitted on, or among new ones."""
        return X if self.function is None else values(self.function, X, X)

    def _cross(self, X):
        cross = X if self.function is None else values(self.function, X, self.rows)
        return cross if self.used is None else cross[:, self.used]

    def predict(self, X, *, codes=False, threads=0):
        """Predicted numbers or classes; classes as their codes where that is asked."""
        found = self.fitted.predict(self._cross(X), threads=threads)
        return found if codes or self.labels is None else self.labels.take(found)

    def variance(self, X, *, threads=0):
        """Variance of function values of new rows, a block of them after the other: no matrix among them is made."""
        if self.function is None:
            raise DataError("a variance needs k(x, x) of the new rows, which a precomputed kernel does not hold")
        blocks = [_safe_indexing(X, slice(at, at + BLOCK)) for at in range(0, row_count(X), BLOCK)] or [X]
        found = [self.fitted.variance(self._cross(rows), diagonal(self.function, rows), threads=threads) for rows in blocks]
        return np.concatenate(found)

    def covariance(self, X, *, threads=0):
        """Covariance between function values of new rows."""
        if self.function is None:
            raise DataError("a covariance needs the kernel values among the new rows, which a precomputed kernel does not hold")
        return self.fitted.covariance(self._cross(X), self._gram(X), threads=threads)

    def predict_proba(self, X, *, threads=0):
        """Probability of each class."""
        return self.fitted.predict_proba(self._cross(X), threads=threads)

    def decision_function(self, X, *, threads=0):
        """Decision values before they become classes."""
        return self.fitted.decision_function(self._cross(X), threads=threads)

    def leave_one_out(self, y, weight=None, *, scores=False, threads=0):
        """Predictions for each row that was learnt from by the model fitted without it."""
        if self.function is None:
            raise DataError("leaving rows out needs the training kernel matrix once more, which a precomputed kernel does not keep")
        gram = self._gram(self.rows)
        if self.used is not None:
            gram, y, weight = gram[np.ix_(self.used, self.used)], y[self.used], weight[self.used]
        return self.fitted.leave_one_out(gram, y, weight, scores=scores, threads=threads)

    def save(self, path):
        """Says why there is no model file of it, and what there is instead."""
        raise DataError(self._without_file())

    def to_bytes(self):
        """As `save`."""
        raise DataError(self._without_file())

    def _without_file(self):
        if self.function is None:
            return (
                "this model was fitted on a precomputed kernel matrix and holds neither a kernel nor rows, which a model file needs; "
                "pickle.dump(estimator, file) stores it"
            )
        return (
            "the kernel of this model is a Python function, and a model file holds data, not code: write the kernel as an expression "
            "or a mercer.Kernel to save it; or pickle.dump(estimator, file), which stores a function that stands in a module by its "
            "name (a lambda or a function inside another cannot be pickled)"
        )

    @property
    def parameters(self):
        """Settled parameters of the estimator."""
        return self.fitted.parameters

    @property
    def estimator(self):
        """The settled estimator as an expression."""
        return self.fitted.estimator

    @property
    def spectrum(self):
        """The variance along components, and the whole variance."""
        return self.fitted.spectrum

    def factor(self):
        """Cholesky factor of the covariance of the training targets."""
        return self.fitted.factor()

    @property
    def support(self):
        """Training rows that prediction needs, as they were given."""
        return self.fitted.support if self.used is None else self.used[self.fitted.support]

    @property
    def expansion(self):
        """Coefficients and constants."""
        return self.fitted.expansion

    @property
    def sigmoids(self):
        """Slope and offset of Platt's sigmoid for each pair of classes, or None."""
        return self.fitted.sigmoids

    @property
    def steps(self):
        """Steps of the solver for each problem."""
        return self.fitted.steps

    @property
    def summary(self):
        """How the fit went."""
        return self.fitted.summary


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
