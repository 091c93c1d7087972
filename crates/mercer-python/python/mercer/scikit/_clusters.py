"""Methods that find clusters, in scikit-learn's form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils.validation import _check_sample_weight

from ._estimator import KernelEstimator
from ._kernels import Pairwise
from ._rows import matrix

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
        vars(self).pop("model_", None)
        X, _ = self._checked(X, fitting=True)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        return self._fit(X, None, weight, None)

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

    def _function(self, kernel):
        """A function of two rows."""
        return Pairwise(kernel, **(self.kernel_params or {}))

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
