"""Models of nearest neighbours that the library has no form for: weights by a function of the user, several targets.

They answer like a Model.
"""

import numpy as np
import scipy.sparse as sp

from ..errors import DataError
from ._given import noted
from ._nearest import SearchedModel
from ._rows import numbered


class WeighedModel(SearchedModel):
    """Training rows, found by scikit-learn's NearestNeighbors and weighed by a function of their distances.

    y holds numbers, or codes of `classes`. Predictions are sums over neighbours, sum_j weight_ij y_j, with y_j the indicators
    of classes; of numbers divided by the sum of weights.
    """

    def __init__(self, search, function, y, classes):
        self.search = search
        self.function = function
        self.labels = None if classes is None else np.asarray(classes)
        self.values = y if classes is None else np.eye(len(classes))[y]

    def _sums(self, X):
        """Sums over neighbours, and of their weights alone; of the training rows, themselves left out, where X is None."""
        distances, rows = self.search.kneighbors(X)
        weights = weighed(self.function, distances)
        ends = np.arange(0, rows.size + 1, rows.shape[1])
        graph = sp.csr_matrix((weights.ravel(), rows.ravel(), ends), shape=(len(rows), len(self.values)))
        return graph @ self.values, weights.sum(axis=1)

    def decision_function(self, X, *, threads=0):
        """Votes for each class."""
        return self._sums(X)[0]

    def predict(self, X, *, codes=False, threads=0):
        """Predicted numbers; or classes, of those with equal votes the first."""
        found, total = self._sums(X)
        if self.labels is None:
            return (found.T / total).T
        return found.argmax(axis=1) if codes else self.labels.take(found.argmax(axis=1))

    def leave_one_out(self, y, weight=None, *, scores=False, threads=0):
        """Predictions for each training row by the others; with `scores` votes."""
        return self.decision_function(None) if scores else self.predict(None, codes=True)


class Several:
    """One fitted model for each target."""

    notices = ()

    def __init__(self, models):
        self.models = models

    @property
    def takes_arrays(self):
        """Whether rows come as they were checked."""
        return getattr(self.models[0], "takes_arrays", False)

    @property
    def summary(self):
        """How the first fit went: nothing is solved for neighbours, so that all went alike."""
        return self.models[0].summary

    @property
    def parameters(self):
        """Settled parameters of the estimator, one for each target."""
        each = [model.parameters for model in self.models]
        return {name: [one[name] for one in each] for name in each[0]}

    def predict(self, X, **words):
        """Codes of classes, rows x targets."""
        return np.stack([model.predict(X, **words) for model in self.models], axis=1)

    def decision_function(self, X, **words):
        """Votes for the classes of each target, as a list."""
        return [model.decision_function(X, **words) for model in self.models]

    def leave_one_out(self, y, weight=None, *, scores=False, **words):
        """Codes, rows x targets, for each training row by the others; with `scores` votes, as a list."""
        columns = [np.ascontiguousarray(column) for column in y.T]
        found = [model.leave_one_out(column, weight, scores=scores, **words) for model, column in zip(self.models, columns)]
        return found if scores else np.stack(found, axis=1)


def alike(distances):
    """Every neighbour counts alike."""
    return np.ones_like(distances)


def inverse(distances):
    """By the inverse of the distance; one at no distance counts alone."""
    with np.errstate(divide="ignore"):
        return 1.0 / distances


def weighed(function, distances):
    """Weights of neighbours by a function of the user, checked. Where weights are infinite, those neighbours alone count."""
    shape = distances.shape
    try:
        found = function(distances)
    except Exception as error:
        noted(error, f"raised by the function of weights, which was given distances of shape {shape}")
        raise
    try:
        found = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"weights: the function returned {type(found).__name__}, which is no array of numbers: {error}") from error
    if found.shape != shape:
        raise DataError(f"weights: the function returned an array of shape {found.shape}; expected {shape}, as the distances have")
    wrong = np.argwhere(~(found >= 0))
    if len(wrong):
        row, column = wrong[0]
        raise DataError(
            f"weights: the function returned {found[row, column]} for {numbered('row', row)}, neighbour {column + 1}; expected numbers of 0 "
            "and above"
        )
    endless = np.isinf(found)
    found = np.where(endless.any(axis=1, keepdims=True), endless, found)
    empty = np.flatnonzero(found.sum(axis=1) == 0)
    if len(empty):
        raise DataError(
            "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you are using a "
            f"user-defined function. The first is {numbered('row', empty[0])}."
        )
    return found
