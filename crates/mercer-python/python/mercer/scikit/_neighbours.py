"""Nearest neighbours as scikit-learn writes them: a metric in the place of a kernel.

The Euclidean metric is the library's own: k(x, z) = -d(x, z)^2 / 2 has the distances k(x, x) + k(z, z) - 2 k(x, z) =
d(x, z)^2. Neighbours by any other metric are found by scikit-learn's search.
"""

from __future__ import annotations

from itertools import repeat
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from .._native import Kernel
from ..errors import DataError, ExpressionError
from ._base import KernelClassifier, KernelRegressor, LogProbabilities
from ._kernels import numbers_only
from ._nearest import NearestModel, WeighedModel, without_distance
from ._several import EachTarget

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Neighbours:
    """Arguments that classification and regression share."""

    #: The kernel is that of the metric.
    kernel = "metric"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        # Distances that are given may be a graph, which holds those to the nearest rows only.
        tags.input_tags.sparse = self._is_euclidean() or self.metric == "precomputed"
        tags.input_tags.allow_nan = self.metric == "nan_euclidean"
        return tags

    def _settings(self):
        settings = super()._settings()
        if settings["weights"] is None:
            settings["weights"] = "uniform"
        return settings

    def _may_be(self, ours):
        return "'uniform', 'distance', None or a function" if ours == "weights" else super()._may_be(ours)

    def _is_euclidean(self):
        power = (self.metric_params or {}).get("p", self.p) if self.metric == "minkowski" else 2
        return self.metric in ("minkowski", "euclidean", "l2") and power == 2 and not set(self.metric_params or ()) - {"p"}

    def _similarity(self, X):
        numbers_only(self, X, f"metric={self.metric!r}")
        return Kernel("negative_distance")

    def _neighbours_asked(self, rows):
        """How many neighbours are asked: the number given, or what the library takes where it is left open."""
        k = self.n_neighbors
        if isinstance(k, Integral):
            return int(k)
        low, high = k if isinstance(k, tuple) else (1, rows)
        return int(min(max(5, low), high, rows))

    def _searched(self, X, y, weight, classes):
        """The model of a metric that the library has no kernel for."""
        numbers_only(self, X, f"metric={self.metric!r}")
        self._expression()
        if self.metric == "nan_euclidean":
            empty = np.flatnonzero(np.isnan(X).all(axis=1))
            if len(empty):
                raise without_distance(self.metric, empty[0], empty[0])
        asked = self._neighbours_asked(len(y) if weight is None else int(weight.sum()))
        return NearestModel(self._unfitted(X), asked, self._settings()["weights"], X, y, weight, classes)

    def _model(self, X, y, weight, classes):
        self._check_search()
        graph = sp.issparse(X) and self.metric == "precomputed"
        if not (callable(self.weights) or graph):
            return super()._model(X, y, weight, classes) if self._is_euclidean() else self._searched(X, y, weight, classes)
        where = "metric='precomputed' gets a graph of neighbours" if graph else "weights= is a function"
        if weight is not None:
            raise DataError(f"{type(self).__name__}: sample_weight is not taken where {where}; leave one of them out")
        if not isinstance(self.n_neighbors, Integral):
            raise ExpressionError(
                f"{type(self).__name__}: n_neighbors={self.n_neighbors!r} is not tuned where {where}; give a whole number"
            )
        function, weights = (self.weights, "uniform") if callable(self.weights) else (None, self._expression() and self._settings()["weights"])
        return WeighedModel(self._unfitted(X), function, int(self.n_neighbors), weights, X, y, classes)

    def _rows_for_model(self, X):
        rows = super()._rows_for_model(X)
        self._require_rows(self.n_samples_fit_, "<=")
        return rows

    def _require_rows(self, most, sign):
        if isinstance(self.n_neighbors, Integral) and self.n_neighbors > most:
            fitted = self.n_samples_fit_
            raise ValueError(
                f"Expected n_neighbors {sign} n_samples_fit, but n_neighbors = {self.n_neighbors}, n_samples_fit = {fitted}"
            )

    def _answered(self, X, votes=False):
        """Predictions of the library, or votes; where X is None, of each training row by the others."""
        check_is_fitted(self)
        if X is None:
            self._require_rows(self.n_samples_fit_ - 1, "<")
            return self.model_.leave_one_out(*self._learnt, scores=votes, threads=self._threads())
        rows = self._rows_for_model(X)
        if votes:
            return self.model_.decision_function(rows, threads=self._threads())
        return self.model_.predict(rows, codes=True, threads=self._threads())

    def leave_one_out(self) -> NDArray[Any]:
        """Predict each training row by the others: ``predict(None)``.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            One prediction for each row.
        """
        return self.predict(None)

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        self._fit_X = X
        self.n_samples_fit_ = X.shape[0]
        self.effective_metric_, self.effective_metric_params_ = self.metric, dict(self.metric_params or {})
        if self.metric == "minkowski":
            power = self.effective_metric_params_.pop("p", self.p)
            weight = self.effective_metric_params_.pop("w", None)
            named = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}
            if weight is None and power in named:
                self.effective_metric_ = named[power]
            else:
                self.effective_metric_params_.update(p=power, w=weight)

    def _check_search(self):
        """Refuses what scikit-learn's search refuses, in whose words it is told."""
        try:
            self._unfitted(None, 1)._validate_params()
        except ValueError as error:
            raise ValueError(str(error).replace("NearestNeighbors", type(self).__name__)) from None

    def _unfitted(self, X, k=None):
        """The search of scikit-learn."""
        return NearestNeighbors(
            n_neighbors=self._neighbours_asked(X.shape[0]) if k is None else k,
            algorithm=self.algorithm,
            leaf_size=self.leaf_size,
            metric=self.metric,
            p=self.p,
            metric_params=self.metric_params,
            n_jobs=self.n_jobs,
        )

    def _asking(self, X):
        """The search among the training rows, and the rows that ask, checked."""
        check_is_fitted(self)
        search = getattr(self.model_, "search", None) if getattr(self.model_, "columns", None) is None else None
        if search is None:
            asked = getattr(self, "n_neighbors_", None)
            search = self._unfitted(self._fit_X, asked if isinstance(asked, Integral) else None).fit(self._fit_X)
        return search, None if X is None else self._checked(X)

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Nearest training rows, by scikit-learn's NearestNeighbors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), default=None
            Rows; for ``metric="precomputed"`` their distances to all training rows. None: the training rows, each left out of its own
            neighbours.
        n_neighbors : int, default=None
            How many; None: as many as predictions ask.
        return_distance : bool, default=True
            Whether distances are returned too.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Nearest first; only where `return_distance` is true.
        places : ndarray of shape (n_samples, n_neighbors)
            Numbers of the training rows.
        """
        search, rows = self._asking(X)
        return search.kneighbors(rows, n_neighbors, return_distance)

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """Graph of nearest training rows, by scikit-learn's NearestNeighbors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), default=None
            Rows; for ``metric="precomputed"`` their distances to all training rows. None: the training rows, each left out of its own
            neighbours.
        n_neighbors : int, default=None
            How many; None: as many as predictions ask.
        mode : {"connectivity", "distance"}, default="connectivity"
            What its entries are: 1, or distances.

        Returns
        -------
        graph : sparse matrix of shape (n_samples, n_training_samples)
            A row for each row.
        """
        search, rows = self._asking(X)
        return search.kneighbors_graph(rows, n_neighbors, mode)


class NeighbourClassifier(Neighbours, LogProbabilities, KernelClassifier):
    """A classifier by votes of nearest neighbours."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags

    def _target_rules(self):
        return {"multi_output": True}

    def _coded(self, y):
        self.outputs_2d_ = y.ndim == 2 and y.shape[1] > 1
        if not self.outputs_2d_:
            return super()._coded(y if y.ndim == 1 else column_or_1d(y, warn=True))
        check_classification_targets(y)
        y = y.toarray() if sp.issparse(y) else y
        classes, codes, names = zip(*(super(NeighbourClassifier, self)._coded(column) for column in y.T))
        return list(classes), np.stack(codes, axis=1), list(names)

    def _model(self, X, y, weight, classes):
        if not self.outputs_2d_:
            return super()._model(X, y, weight, classes)
        # One target after the other: the order in which a matrix holds its cells plays no part.
        columns = (np.ascontiguousarray(column) for column in y.T)
        models = [super(NeighbourClassifier, self)._model(X, *pair) for pair in zip(columns, repeat(weight), classes)]
        return EachTarget([([j], model) for j, model in enumerate(models)])

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or None
            Rows; for ``metric="precomputed"`` their distances to all training rows. None: the training rows, each answered by
            the others.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Classes, as they were given; of those with equal votes the first.
        """
        codes = self._answered(X)
        if not self.outputs_2d_:
            return self.classes_.take(codes)
        return np.stack([classes.take(column) for classes, column in zip(self.classes_, codes.T)], axis=1)

    def predict_proba(self, X: Any) -> NDArray[Any] | list[NDArray[Any]]:
        """Share of each class in the votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or None
            Rows; for ``metric="precomputed"`` their distances to all training rows. None: the training rows, each answered by
            the others.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes), or a list of them
            In the order of ``classes_``; a list where there are several targets.
        """
        votes = self._answered(X, votes=True)
        return [shares(one) for one in votes] if self.outputs_2d_ else shares(votes)


def shares(votes):
    """Votes as shares of all votes for a row; one class has all."""
    votes = votes.reshape(len(votes), -1)
    return votes / votes.sum(axis=1, keepdims=True)


class NeighbourRegressor(Neighbours, KernelRegressor):
    """A regressor by means of nearest neighbours."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or None
            Rows; for ``metric="precomputed"`` their distances to all training rows. None: the training rows, each answered by
            the others.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Numbers.
        """
        return self._shaped(self._answered(X))
