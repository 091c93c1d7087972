"""Relevance vector machines in scikit-learn's form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._base import KernelRegressor, SupportRows

if TYPE_CHECKING:
    from numpy.typing import NDArray


class RelevanceVectors(SupportRows):
    """What relevance vector machines keep."""

    @property
    def relevance_(self) -> NDArray[Any]:
        """Training rows with a weight, which are ``support_``."""
        return self.support_

    @property
    def log_marginal_likelihood_value_(self) -> float:
        """Log of the marginal likelihood; of classes by Laplace's approximation."""
        check_is_fitted(self)
        return self.model_.summary["evidence"]


class RelevanceRegressor(RelevanceVectors, KernelRegressor):
    """Relevance vector regression: predictions with their spread."""

    @property
    def noise_(self) -> float | NDArray[Any]:
        """Variance of the noise, by evidence, of one target or of each."""
        check_is_fitted(self)
        noise = self.model_.noise
        return float(noise[0]) if len(noise) == 1 else noise

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.
        return_std : bool, default=False
            Whether to return the standard deviation of a new target at each row too: that of the function and of the noise, as of
            ``ARDRegression`` and ``BayesianRidge`` of scikit-learn.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predicted means.
        y_std : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Only where ``return_std`` is true.
        """
        mean = super().predict(X)
        if not return_std:
            return mean
        rows = self._rows_for_model(X)
        deviation = self.model_.predict(rows, std=True, threads=self._threads())[1]
        return mean, deviation.reshape(mean.shape)
