"""Nearest neighbours by a metric of scikit-learn or weights by a function: its search finds rows, and the library answers.

Rows as far as the last neighbour share what is left of k, so that the order of rows plays no part.
"""

import numpy as np

from .._native import Learner, items, neighbours
from ..errors import DataError
from ._given import noted
from ._rows import numbered

#: Distances that differ by less than this share are equal but for rounding.
EQUAL = 1e-10
#: Distances that are held at a time where many rows are as far as the last neighbour.
MOST = 1 << 21


class NearestModel:
    """Training rows and what they answer: numbers, or codes of `classes`. `search` makes the search among given rows. It answers
    like a Model, and what needs no new rows is asked of one.

    A row of weight 2 is two rows, one of weight 0 is absent.
    """

    #: Rows come as they were checked, and not as columns with names.
    takes_arrays = True

    def __init__(self, search, k, weights, X, y, weight, classes):
        used = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0)
        self.given = search.metric == "precomputed"
        self.columns = None if len(used) == len(y) else used
        self.rows = X if self.columns is None else X[used]
        self.search = search.fit(self._against(self.rows))
        mass = None if weight is None else weight[used]
        # So many rows have a weight of k for sure.
        self.need = int(np.ceil(k / (1.0 if mass is None else min(1.0, mass.min()))))
        task = "regression" if classes is None else None
        learner = Learner(f"knn(k={k}, weights={weights}, ties=first, calibrated=false)", "precomputed")
        self.model = learner.fit(items(len(used)), y[used], mass, task=task, classes=classes, intervals=False, tell=False)

    def __getattr__(self, name):
        if name.startswith("_") or name in ("model", "kernel"):
            raise AttributeError(name)
        return getattr(self.model, name)

    def decision_function(self, X, **words):
        """Votes for each class."""
        return self._answer(X, scores=True, **words)

    def predict(self, X, *, codes=False, **words):
        """Predicted numbers; or classes, of those with equal votes the first."""
        found = self._answer(X, **words)
        return found if codes or self.model.classes is None else self.model.classes.take(found)

    def leave_one_out(self, y, weight=None, **words):
        """Predictions for each training row by the others, classes as codes; with `scores` votes."""
        return self._answer(None, **words)

    def save(self, path=None):
        """Says why there is no model file of it, and what there is instead."""
        raise DataError("neighbours are found by scikit-learn here, which a model file does not hold; pickle.dump(estimator, file) stores it")

    to_bytes = save

    def _against(self, X):
        """Rows as the search takes them: distances to the rows that are used, where they are given."""
        return X[:, self.columns] if self.given and self.columns is not None else X

    def _answer(self, X, **words):
        """What the library answers for rows, or for the training rows by the others where X is None. A row whose last neighbour
        may be as far as one that was not found is asked again, for twice as many."""
        own = np.arange(self.rows.shape[0]) if X is None else None
        X = self._against(self.rows if X is None else X)
        there = self.rows.shape[0] - (own is not None)
        if there < 1:
            raise DataError("a row can be left out where there are two or more; there is 1")
        count = min(there, self.need + 1)
        left, order, parts = np.arange(X.shape[0]), [], []
        while len(left):
            later = []
            for at in range(0, len(left), max(1, MOST // count)):
                rows = left[at : at + max(1, MOST // count)]
                distances, places = self._nearest(X[rows], count, None if own is None else own[rows])
                whole = np.full(len(rows), True) if count == there else distances[:, -1] > distances[:, self.need - 1] * (1 + EQUAL)
                order.append(rows[whole])
                itself = None if own is None else own[rows[whole]]
                parts.append(neighbours(self.model, places[whole], distances[whole], own=itself, **words))
                later.append(rows[~whole])
            left, count = np.concatenate(later), min(there, 2 * count)
        return np.concatenate(parts)[np.argsort(np.concatenate(order))]

    def _nearest(self, X, count, own):
        """Distances of the nearest rows and their places, one's own left out."""
        distances, found = self.search.kneighbors(X, count + (own is not None))
        if own is not None:
            itself = found == own[:, np.newaxis]
            # Among many copies of a row it need not be there.
            itself[~itself.any(axis=1), -1] = True
            distances, found = (part[~itself].reshape(len(part), -1) for part in (distances, found))
        apart = np.argwhere(np.isnan(distances))
        if len(apart):
            row, place = apart[0]
            raise without_distance(self.search.metric, row, found[row, place])
        return distances, found


class WeighedModel(NearestModel):
    """Neighbours that count as a function of their distances says, exactly those that the search finds; without a function they
    count as `weights` says."""

    def __init__(self, search, function, k, weights, X, y, classes):
        super().__init__(search, k, weights, X, y, None, classes)
        self.function = function

    def _answer(self, X, **words):
        distances, places = self.search.kneighbors(X)
        counted = np.ones_like(distances) if self.function is None else weighed(self.function, distances)
        return neighbours(self.model, places, distances, counted, **words)


def without_distance(metric, row, other):
    """The refusal of two rows, counted from 0, that have no column in common."""
    return DataError(
        f"metric={metric!r}: there is no distance between {numbered('row', row)} and {numbered('training row', other)}: no column "
        "has a number in both"
    )


def weighed(function, distances):
    """Weights of neighbours by a function of the user; what they are is checked by the library."""
    try:
        found = function(distances)
    except Exception as error:
        noted(error, f"raised by the function of weights, which was given distances of shape {distances.shape}")
        raise
    try:
        found = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"weights: the function returned {type(found).__name__}, which is no array of numbers: {error}") from error
    if found.shape != distances.shape:
        raise DataError(
            f"weights: the function returned an array of shape {found.shape}; expected {distances.shape}, as the distances have"
        )
    return found
