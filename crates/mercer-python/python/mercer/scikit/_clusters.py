"""Methods that find clusters, in scikit-learn's form."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClusterMixin
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

from ..errors import DataError, ExpressionError, MercerWarning
from ._arguments import is_flag, require
from ._estimator import KernelEstimator
from ._kernels import of_rows_or_batches
from ._rows import matrix
from ._warn import warn

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self


class Clusters(ClusterMixin, KernelEstimator):
    """A method of the library that is fitted without a target and finds clusters."""

    _supervised = False

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the Gram matrix.
        y : None
            Not looked at.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight 2 is two equal rows.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit_without_target(X, sample_weight)

    def predict(self, X: Any) -> NDArray[Any]:
        """The cluster of each row: the one whose centre is nearest.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Numbers of clusters, from 0.
        """
        rows = self._rows_for_model(X)
        return self.model_.predict(rows, threads=self._threads())

    def _function(self, kernel, X):
        return of_rows_or_batches(kernel, X, self.kernel_params or {})

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        rows = X if self._takes_values or getattr(model, "takes_arrays", False) else self._columns(X)
        self.labels_ = model.predict(rows, threads=self._threads())
        self.inertia_ = model.summary["objective"]
        self.n_iter_ = model.summary["iterations"]
        _, medoids = model.clusters
        for name in ("medoid_indices_", "cluster_centers_"):
            vars(self).pop(name, None)
        if len(medoids):
            self.medoid_indices_ = medoids
            if self._numbers:
                self.cluster_centers_ = matrix(X)[self.medoid_indices_]


class Medoids(Clusters):
    """k medoids: of kernel values, or of distances that are given."""

    def _settings(self):
        settings = super()._settings()
        return {**settings, "values": "distances"} if self.metric == "precomputed" else settings

    def _asked_kernel(self):
        return {"precomputed": "precomputed", "euclidean": "linear"}.get(self.metric, self.kernel) if isinstance(self.metric, str) else self.kernel

    def _check_arguments(self):
        super()._check_arguments()
        check_metric(self)


def check_metric(estimator):
    """Refuses a metric that is neither Euclidean nor given as distances."""
    if estimator.metric not in (None, "euclidean", "precomputed"):
        raise ExpressionError(
            f"{type(estimator).__name__}: metric={estimator.metric!r}: it must be 'euclidean', or 'precomputed' with the distances as rows: "
            "sklearn.metrics.pairwise_distances(X, metric=..) computes others; kernel= has the distances of feature space"
        )


#: Affinities of scikit-learn that are graphs of neighbours.
GRAPHS = ("nearest_neighbors", "precomputed_nearest_neighbors")


class Spectral(Clusters):
    """Spectral clustering, with scikit-learn's affinities."""

    _expensive_attributes = ("affinity_matrix_",)

    @property
    def affinity_matrix_(self) -> NDArray[Any]:
        """The similarities of the training rows."""
        return self._training_values()

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        self._fitted_rows = X

    def _asked_kernel(self):
        if isinstance(self.affinity, str) and self.affinity in GRAPHS:
            return "precomputed"
        return self.kernel if self.affinity is None else self.affinity

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.affinity != "precomputed_nearest_neighbors"
        if isinstance(self.affinity, str) and self.affinity == "nearest_neighbors":
            tags.input_tags.pairwise = False
        return tags

    def _checked(self, X, y=None, *, fitting=False):
        # A graph is held as a matrix, with 0 where there is no edge.
        is_graph = sp.issparse(X) and isinstance(self._asked_kernel(), str) and self._asked_kernel() == "precomputed"
        whole = is_graph and (self.affinity not in GRAPHS)
        return super()._checked(X.toarray() if whole else X, y, fitting=fitting)

    def _check_arguments(self):
        super()._check_arguments()
        if self.n_components is not None and self.n_components != self.n_clusters:
            warn(f"{type(self).__name__}: n_components={self.n_components!r} has no effect: as many eigenvectors as clusters are taken", MercerWarning)
        if self.assign_labels != "kmeans":
            raise ExpressionError(
                f"{type(self).__name__}: assign_labels={self.assign_labels!r}: clusters among the eigenvectors are found by k-means; leave it out"
            )
        require(self, "eigen_solver", lambda value: value in (None, "arpack", "lobpcg", "amg"), "'arpack', 'lobpcg', 'amg' or None")
        require(self, "eigen_tol", lambda value: value == "auto" or isinstance(value, Real) and value >= 0, 'a number of 0 or above, or "auto"')
        require(self, "n_neighbors", lambda value: isinstance(value, Integral) and value >= 1, "a whole number from 1")
        require(self, "verbose", lambda value: is_flag(value) or isinstance(value, Integral), "True or False")

    def _fit(self, X, y, weight, classes):
        self._is_graph = isinstance(self.affinity, str) and self.affinity in GRAPHS
        if self._is_graph:
            X = self._graph(X)
        return super()._fit(X, y, weight, classes)

    def _graph(self, X):
        """Which rows are among the nearest of each other, as scikit-learn counts them: 1, or 1/2 where one alone is."""
        if self.n_neighbors == X.shape[0]:
            raise DataError(
                f"{type(self).__name__}: n_neighbors={self.n_neighbors!r} of as many rows joins every row with every row, and such a graph has no "
                "clusters; take fewer neighbours"
            )
        if self.affinity == "nearest_neighbors":
            found = kneighbors_graph(X, n_neighbors=self.n_neighbors, include_self=True, n_jobs=self.n_jobs)
        else:
            found = NearestNeighbors(n_neighbors=self.n_neighbors, n_jobs=self.n_jobs, metric="precomputed").fit(X).kneighbors_graph(X=X)
        return (0.5 * (found + found.T)).toarray()

    def predict(self, X: Any) -> NDArray[Any]:
        if getattr(self, "_is_graph", False):
            raise DataError(f"{type(self).__name__}: affinity={self.affinity!r} is a graph among the training rows, and new rows are not in it; labels_ holds the clusters")
        return super().predict(X)

    predict.__doc__ = Clusters.predict.__doc__

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[Any]:
        """Fit to rows, and the cluster of each: ``fit(X).labels_``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows; for ``affinity="precomputed"`` their similarities.
        y : None
            Not looked at.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Numbers of clusters, from 0.
        """
        return self.fit(X).labels_

    def _progress(self):
        return (lambda what, done, total: print(f"[{type(self).__name__}] {what}: {done} of {total}", flush=True)) if self.verbose else None
