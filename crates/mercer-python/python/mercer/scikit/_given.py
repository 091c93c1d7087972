"""Models on kernel values that come from the user: a Gram matrix, or a function that computes one."""

import numpy as np
import scipy.sparse as sp

from .._native import Fitted
from ..errors import DataError
from ._rows import row_count


class Given:
    """A function of two batches that computes kernel values; None: rows are kernel values themselves."""

    def __init__(self, function=None):
        self.function = function


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
        self.fitted = Fitted(expression, gram, y, weight, **words)

    def _gram(self, X):
        """Kernel values among rows: among all those it was fitted on, or among new ones."""
        return X if self.function is None else values(self.function, X, X)

    def _cross(self, X):
        cross = X if self.function is None else values(self.function, X, self.rows)
        return cross if self.used is None else cross[:, self.used]

    def predict(self, X, *, codes=True, threads=0):
        """Predicted numbers, or codes of classes."""
        return self.fitted.predict(self._cross(X), threads=threads)

    def _among(self, X):
        if self.function is None:
            raise DataError("a variance needs the kernel values among the new rows, which a precomputed kernel does not hold")
        return self._gram(X)

    def variance(self, X, *, threads=0):
        """Variance of function values of new rows."""
        return self.fitted.variance(self._cross(X), self._among(X), threads=threads)

    def covariance(self, X, *, threads=0):
        """Covariance between function values of new rows."""
        return self.fitted.covariance(self._cross(X), self._among(X), threads=threads)

    def predict_proba(self, X, *, threads=0):
        """Probability of each class."""
        return self.fitted.predict_proba(self._cross(X), threads=threads)

    def decision_function(self, X, *, threads=0):
        """Decision values before they become classes."""
        return self.fitted.decision_function(self._cross(X), threads=threads)

    def leave_one_out(self, y, weight=None, *, scores=False, threads=0):
        """Predictions for each row that was learnt from by the model fitted without it."""
        if self.function is None:
            raise DataError("loo_predictions_ needs the training kernel matrix once more, which a precomputed kernel does not keep")
        gram = self._gram(self.rows)
        if self.used is not None:
            gram, y, weight = gram[np.ix_(self.used, self.used)], y[self.used], weight[self.used]
        return self.fitted.leave_one_out(gram, y, weight, scores=scores, threads=threads)

    @property
    def support(self):
        """Training rows that prediction needs, as they were given."""
        return self.fitted.support if self.used is None else self.used[self.fitted.support]

    @property
    def expansion(self):
        """Coefficients and constants."""
        return self.fitted.expansion

    @property
    def steps(self):
        """Steps of the solver for each problem."""
        return self.fitted.steps

    @property
    def summary(self):
        """How the fit went."""
        return self.fitted.summary


def values(function, X, Y):
    """Kernel values between two batches by a function of the user, their shape checked."""
    expected = (row_count(X), row_count(Y))
    try:
        found = function(X, Y)
        found = np.asarray(found.toarray() if sp.issparse(found) else found, dtype=np.float64)
    except Exception as error:
        raise DataError(f"kernel: the function failed on {expected[0]} and {expected[1]} rows: {error}") from error
    if found.shape != expected:
        raise DataError(f"kernel: the function returned an array of shape {found.shape}; expected {expected}")
    return found
