"""Nearest neighbours by a metric of scikit-learn: its search finds rows, and shares of neighbours are those of the library.

Rows as far as the last neighbour share what is left of k, so that the order of rows plays no part.
"""

import numpy as np
import scipy.sparse as sp

from ..errors import DataError
from ._rows import numbered

#: Distances that differ by less than this share are equal but for rounding; so are votes that differ by such a share of k.
EQUAL, EVEN = 1e-10, 1e-9
#: Distances that are held at a time where many rows are as far as the last neighbour.
MOST = 1 << 21


class SearchedModel:
    """What models of a search of scikit-learn share. They answer like a Model."""

    #: Rows come as they were checked, and not as columns with names.
    takes_arrays = True
    notices = ()
    summary = {"converged": True, "certificate": None, "notes": []}

    def save(self, path):
        """Says why there is no model file of it, and what there is instead."""
        raise DataError("neighbours are found by scikit-learn here, which a model file does not hold; pickle.dump(estimator, file) stores it")

    def to_bytes(self):
        """As `save`."""
        self.save(None)


class NearestModel(SearchedModel):
    """Training rows and what they answer: numbers, or codes of `classes`. `search` makes the search among given rows.

    A row of weight 2 is two rows, one of weight 0 is absent.
    """

    def __init__(self, search, k, weights, X, y, weight, classes):
        used = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0)
        self.given = search.metric == "precomputed"
        self.columns = None if len(used) == len(y) else used
        self.rows = X if self.columns is None else X[used]
        self.search = search.fit(self._against(self.rows))
        self.mass = np.ones(len(used)) if weight is None else weight[used]
        self.k, self.weights = k, weights
        self.labels = None if classes is None else np.asarray(classes)
        self.values = y[used] if classes is None else np.eye(len(classes))[y[used]]

    @property
    def parameters(self):
        """Settled parameters of the estimator."""
        return {"k": self.k, "weights": self.weights, "ties": "first"}

    def decision_function(self, X, *, threads=0):
        """Votes for each class."""
        return self._sums(self._against(X))[0]

    def predict(self, X, *, codes=False, threads=0):
        """Predicted numbers; or classes, of those with equal votes the first."""
        return self._said(*self._sums(self._against(X)), codes)

    def leave_one_out(self, y, weight=None, *, scores=False, threads=0):
        """Predictions for each training row by the others, classes as codes; with `scores` votes."""
        found, total = self._sums(self._against(self.rows), np.arange(len(self.mass)))
        return found if scores else self._said(found, total, True)

    def _against(self, X):
        """Rows as the search takes them: distances to the rows that are used, where they are given."""
        return X[:, self.columns] if self.given and self.columns is not None else X

    def _said(self, found, total, codes):
        if self.labels is None:
            return (found.T / total).T
        best = (found >= (found.max(axis=1) - EVEN * total)[:, np.newaxis]).argmax(axis=1)
        return best if codes else self.labels.take(best)

    def _sums(self, X, own=None):
        """Sums over neighbours by their shares, and of the shares alone. `own` are the places of the rows where they are left
        out themselves."""
        there = len(self.mass) - (own is not None)
        if there < 1:
            raise DataError("a row can be left out where there are two or more; there is 1")
        sums, totals = np.zeros((len(X), *self.values.shape[1:])), np.zeros(len(X))
        # So many rows have a weight of k for sure; the one after them tells whether others are as far as the last.
        count = min(there, int(np.ceil(self.k / min(1.0, self.mass.min()))) + 1)
        open_rows = np.arange(len(X))
        while len(open_rows):
            later = []
            for at in range(0, len(open_rows), max(1, MOST // count)):
                rows = open_rows[at : at + max(1, MOST // count)]
                distances, found = self._nearest(X[rows], count, None if own is None else own[rows])
                k = np.full(len(rows), min(float(self.k), self.mass.sum()))
                if own is not None:
                    k = np.minimum(k, self.mass.sum() - self.mass[own[rows]])
                shares, whole = shared(distances, self.mass[found], k)
                whole |= count == there
                if self.weights == "distance":
                    shares = by_distance(distances, shares)
                ends = np.arange(0, found.size + 1, found.shape[1])
                graph = sp.csr_matrix((shares.ravel(), found.ravel(), ends), shape=(len(rows), len(self.mass)))
                sums[rows], totals[rows] = graph @ self.values, shares.sum(axis=1)
                later.append(rows[~whole])
            open_rows, count = np.concatenate(later), min(there, 2 * count)
        return sums, totals

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


def without_distance(metric, row, other):
    """The refusal of two rows, counted from 0, that have no column in common."""
    return DataError(
        f"metric={metric!r}: there is no distance between {numbered('row', row)} and {numbered('training row', other)}: no column "
        "has a number in both"
    )


def shared(distances, mass, k):
    """Shares of neighbours in k, nearest first until k are asked; rows as far as the last share what is left. And whether
    no row that is not here can be as far."""
    reached = np.cumsum(mass, axis=1) >= (k - EVEN * k)[:, np.newaxis]
    last = np.where(reached.any(axis=1), reached.argmax(axis=1), reached.shape[1] - 1)
    edge = np.take_along_axis(distances, last[:, np.newaxis], axis=1)
    nearer, within = distances < edge * (1 - EQUAL), distances <= edge * (1 + EQUAL)
    tied = within & ~nearer
    left = k - (mass * nearer).sum(axis=1)
    part = np.minimum(left / (mass * tied).sum(axis=1), 1.0)
    return mass * np.where(nearer, 1.0, tied * part[:, np.newaxis]), ~within[:, -1]


def by_distance(distances, shares):
    """Shares times the inverse of the distance, their sum kept; those at no distance alone, where there are any."""
    meets = (distances == 0) & (shares > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        weighed = np.where(meets.any(axis=1, keepdims=True), shares * meets, np.where(shares > 0, shares / distances, 0.0))
    return weighed * (shares.sum(axis=1) / weighed.sum(axis=1))[:, np.newaxis]
