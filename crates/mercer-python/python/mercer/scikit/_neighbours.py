"""Nearest neighbours as scikit-learn writes them: a metric in the place of a kernel.

k(x, z) = -d(x, z)^2 / 2 has the distances k(x, x) + k(z, z) - 2 k(x, z) = d(x, z)^2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from .._native import Kernel
from ..errors import ExpressionError
from ._base import KernelClassifier, KernelRegressor
from ._given import Given

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Distances:
    """Kernel values of a metric of scikit-learn; as an object it can be pickled."""

    def __init__(self, metric, **parameters):
        self.metric = metric
        self.parameters = parameters

    def __call__(self, X, Y):
        return -0.5 * pairwise_distances(X, Y, metric=self.metric, **self.parameters) ** 2


class Neighbours:
    """Arguments that classification and regression share."""

    #: The kernel is that of the metric.
    kernel = "metric"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.sparse = self.metric in ("minkowski", "euclidean", "l2") and self._power() == 2
        return tags

    def _settings(self):
        settings = super()._settings()
        if settings["weights"] is None:
            settings["weights"] = "uniform"
        if callable(settings["weights"]):
            raise ExpressionError(f"{type(self).__name__}: weights: a function of distances is not taken; give 'uniform' or 'distance'")
        return settings

    def _power(self):
        return (self.metric_params or {}).get("p", self.p) if self.metric == "minkowski" else 2

    def _similarity(self, X):
        if self.metric in ("minkowski", "euclidean", "l2") and self._power() == 2 and not self.metric_params:
            return Kernel("negative_distance")
        parameters = dict(self.metric_params or {})
        if self.metric == "minkowski":
            parameters.setdefault("p", self.p)
        return Given(Distances(self.metric, **parameters))

    def _rows_for_model(self, X):
        rows = super()._rows_for_model(X)
        if self.n_neighbors > self.n_samples_fit_:
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {self.n_neighbors}, "
                f"n_samples_fit = {self.n_samples_fit_}"
            )
        return rows

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        self._fit_X = X
        self.n_samples_fit_ = X.shape[0]

    def _search(self):
        check_is_fitted(self)
        search = NearestNeighbors(
            n_neighbors=self.n_neighbors,
            algorithm=self.algorithm,
            leaf_size=self.leaf_size,
            metric=self.metric,
            p=self.p,
            metric_params=self.metric_params,
            n_jobs=self.n_jobs,
        )
        return search.fit(self._fit_X)

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Nearest training rows, by scikit-learn's NearestNeighbors; X=None: of the training rows, themselves left out."""
        return self._search().kneighbors(X, n_neighbors, return_distance)

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """Graph of nearest training rows, by scikit-learn's NearestNeighbors."""
        return self._search().kneighbors_graph(X, n_neighbors, mode)


class NeighbourClassifier(Neighbours, KernelClassifier):
    """A classifier by votes of nearest neighbours."""

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Share of each class in the votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; equal votes go to the class that is nearer, by a millionth.
        """
        rows = self._rows_for_model(X)
        votes = self.model_.decision_function(rows, threads=self._threads())
        return votes / votes.sum(axis=1, keepdims=True)


class NeighbourRegressor(Neighbours, KernelRegressor):
    """A regressor by means of nearest neighbours."""
