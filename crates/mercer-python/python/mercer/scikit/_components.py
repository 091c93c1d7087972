"""Methods without a target that give coordinates: what they have besides the rest in scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ..errors import ExpressionError
from ._estimator import KernelEstimator
from ._kernels import WRITTEN, Pairwise, factor
from ._rows import matrix, row_count

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self


class KernelTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """A method of the library that is fitted without a target and gives coordinates."""

    _supervised = False

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit to rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the Gram matrix.
        y : None
            Not looked at.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        vars(self).pop("model_", None)
        X, _ = self._checked(X, fitting=True)
        self._rows = row_count(X)
        return self._fit(X, None, None, None)

    def transform(self, X: Any) -> NDArray[Any]:
        """Coordinates of rows; of training rows the same as at the fit.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_components)
            One column per component.
        """
        rows = self._rows_for_model(X)
        return self.model_.predict(rows, threads=self._threads())

    @property
    def _n_features_out(self):
        return len(self.model_.expansion[1])


class PrincipalComponents(KernelTransformer):
    """Kernel principal components."""

    def _settings(self):
        if self.fit_inverse_transform:
            raise ExpressionError(f"{type(self).__name__}: fit_inverse_transform=True: there is no inverse transform; leave it out")
        settings = super()._settings()
        # No more components than rows are there; those without variance are left out.
        return settings if self.n_components is not None else {**settings, "components": self._rows}

    def _function(self, kernel):
        """A function of two rows, as scikit-learn's KernelPCA takes it."""
        return Pairwise(kernel, **(self.kernel_params or {}))

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        self.X_fit_ = X
        coef, _ = model.expansion
        self.eigenvalues_, total = model.spectrum
        self.eigenvectors_ = coef * np.sqrt(self.eigenvalues_)
        self.explained_variance_ratio_ = self.eigenvalues_ / total
        vars(self).pop("gamma_", None)
        if self.kernel in WRITTEN and self._numbers:
            self.gamma_ = factor(self.kernel, matrix(X), self.gamma)
