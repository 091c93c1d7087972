"""Methods without a target that give coordinates: what they have besides the rest in scikit-learn."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._native import pre_images
from ..errors import ExpressionError, MercerWarning
from ._arguments import is_flag, is_number, require
from ._checks import check_array
from ._estimator import KernelEstimator
from ._kernels import WRITTEN, factor, of_rows_or_batches
from ._rows import matrix, row_count
from ._warn import warn

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self


#: What eigen_solver may be in scikit-learn.
SOLVERS = ("auto", "dense", "arpack", "randomized")


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
        return self._coordinates(X)

    def _coordinates(self, X):
        """Coordinates as an array: `transform` is wrapped by `set_output`, and its answer may be a frame."""
        rows = self._rows_for_model(X)
        return self.model_.predict(rows, threads=self._threads())

    @property
    def _n_features_out(self):
        return len(self.model_.expansion[1])


class PrincipalComponents(KernelTransformer):
    """Kernel principal components."""

    def _settings(self):
        if self.fit_inverse_transform and (self._takes_values or not self._numbers):
            why = "there is no way back from coordinates to rows that are not columns of numbers; leave it out"
            raise ExpressionError(f"{type(self).__name__}: fit_inverse_transform=True: {why}")
        settings = super()._settings()
        # No more components than rows are there; those without variance are left out.
        return settings if self.n_components is not None else {**settings, "components": self._rows}

    def _check_arguments(self):
        super()._check_arguments()
        for name in ("fit_inverse_transform", "remove_zero_eig", "copy_X"):
            require(self, name, is_flag, "True or False")
        require(self, "eigen_solver", lambda value: value in SOLVERS, f"one of {', '.join(map(repr, SOLVERS))}")
        require(self, "alpha", lambda value: is_number(value) and value >= 0, "a number of 0 or above")
        require(self, "tol", lambda value: is_number(value) and value >= 0, "a number of 0 or above")
        require(self, "max_iter", lambda value: value is None or isinstance(value, Integral) and value >= 1, "a whole number from 1, or None")
        require(self, "iterated_power", lambda value: value == "auto" or isinstance(value, Integral) and value >= 0, 'a whole number from 0, or "auto"')

    def _asked_components(self):
        """The number of columns that `remove_zero_eig=False` asks for: the number of components, where it is given as one."""
        whole = isinstance(self.n_components, Integral) and not self.remove_zero_eig
        return min(int(self.n_components), self._rows) if whole else 0

    def _function(self, kernel, X):
        return of_rows_or_batches(kernel, X, self.kernel_params or {})

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        self.X_fit_ = np.array(X) if self.copy_X and isinstance(X, np.ndarray) else X
        coef, _ = model.expansion
        found, total = model.spectrum
        kept, count = len(found), max(len(found), self._asked_components())
        self.eigenvalues_ = np.concatenate([found, np.zeros(count - kept)])
        self.eigenvectors_ = np.zeros((self._rows, count))
        rows = model.support if self.sparsity else slice(None)
        self.eigenvectors_[rows, :kept] = coef[:, :kept] * np.sqrt(found)
        self.explained_variance_ratio_ = self.eigenvalues_ / total
        vars(self).pop("gamma_", None)
        if self.kernel in WRITTEN and self._numbers:
            self.gamma_ = factor(self.kernel, matrix(X), self.gamma)

    def fit(self, X: Any, y: Any = None) -> Self:
        if self.fit_inverse_transform and issparse(X):
            why = "rows that are made again are dense; give X.toarray(), or leave it out"
            raise ExpressionError(f"{type(self).__name__}: fit_inverse_transform=True: {why}")
        super().fit(X, y)
        for name in ("X_transformed_fit_", "_back"):
            vars(self).pop(name, None)
        if self.fit_inverse_transform:
            self.X_transformed_fit_ = self._coordinates(X)
            self._learn_back()
        return self

    fit.__doc__ = KernelTransformer.fit.__doc__

    def _learn_back(self):
        """Ridge regression of the rows on their coordinates under the same kernel (Bakir, Weston & Schoelkopf 2004)."""
        from ._classes import KernelRidge

        words = {name: getattr(self, name) for name in ("alpha", "kernel", "degree", "coef0", "kernel_params", "n_jobs")}
        ridge = KernelRidge(**words, gamma=getattr(self, "gamma_", self.gamma))
        self._back = ridge.fit(self.X_transformed_fit_, matrix(self.X_fit_))

    def _coordinates(self, X):
        found = super()._coordinates(X)
        kept = np.count_nonzero(self.eigenvalues_)
        out = np.zeros((len(found), len(self.eigenvalues_)))
        out[:, :kept] = found[:, :kept]
        return out

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Rows whose coordinates these may be: noise that the components leave out does not come back.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_components)
            Coordinates.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
            One for each.
        """
        check_is_fitted(self)
        if not self.fit_inverse_transform:
            raise NotFittedError(f"{type(self).__name__}: inverse_transform was not learnt; fit with fit_inverse_transform=True")
        return self._back.predict(check_array(X))

    def pre_images(self, X: Any, method: str = "fixed_point") -> Any:
        """Rows that fit best what the components make of others: noise that they leave out is gone.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_components)
            Coordinates, as `transform` gives them; along the first components also.
        method : {"fixed_point", "distances", "nearest"}, default="fixed_point"
            The fixed point of Mika et al. (1999), or where distances to the nearest rows say (Kwok & Tsang 2004), for the kernels
            rbf and linear; or the nearest training row, under any kernel.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
            One for each; training rows as they were given where `nearest` is asked for.
        """
        check_is_fitted(self)
        if self._takes_values:
            raise ExpressionError(f"{type(self).__name__}: pre_images needs rows, which given kernel values are not; give the rows and a kernel")
        X = check_array(X)
        if X.shape[1] == len(self.eigenvalues_):
            # Along directions without variance there is nothing to go back from.
            X = np.ascontiguousarray(X[:, : np.count_nonzero(self.eigenvalues_)])
        columns, nearest, _, unfinished = pre_images(self.model_, X, method, threads=self._threads())
        if len(unfinished):
            why = "are like no training row, or their pre-image was not found in the steps allowed"
            warn(f"{type(self).__name__}: {len(unfinished)} rows {why}", ConvergenceWarning)
        if method != "nearest":
            return np.column_stack(list(columns.values()))
        rows = matrix(self.X_fit_)
        if hasattr(rows, "iloc"):
            return rows.iloc[nearest]
        return rows[nearest] if hasattr(rows, "shape") else [rows[i] for i in nearest]

    def _keeps_novelty(self):
        if not self.novelty:
            raise AttributeError(f"{type(self).__name__}: how usual rows are was not kept; fit with novelty=True")
        return True

    @available_if(_keeps_novelty)
    def score_samples(self, X: Any) -> NDArray[Any]:
        """How usual rows are: minus the squared distance in feature space between a row and what the components make of it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            0 for rows that are made again, far below for rows unlike those of the training.
        """
        check_is_fitted(self)
        if self._takes_values:
            raise ExpressionError(f"{type(self).__name__}: k(x, x) of new rows is not among given kernel values; give the rows and a kernel")
        return -super()._coordinates(X)[:, -1]

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)


class Scaling(KernelTransformer):
    """Metric multidimensional scaling."""

    _expensive_attributes = ("dissimilarity_matrix_",)

    @property
    def dissimilarity_matrix_(self) -> NDArray[Any]:
        """The distances between the training rows, those of feature space where there is a kernel."""
        found = self._training_values()
        if self._given_distances() or self.values == "distances":
            return found
        own = np.diag(found)
        return np.sqrt(np.maximum(own[:, np.newaxis] + own - 2 * found, 0.0))

    def _given_distances(self):
        return "precomputed" in (self.metric, self.dissimilarity)

    def _settings(self):
        settings = super()._settings()
        return {**settings, "values": "distances"} if self._given_distances() else settings

    def _asked_kernel(self):
        return "precomputed" if self._given_distances() else self.kernel

    def _check_arguments(self):
        super()._check_arguments()
        given = [name for name in ("n_init", "init", "max_iter", "eps") if getattr(self, name) is not None]
        given += ["normalized_stress"] if self.normalized_stress != "auto" else []
        if given:
            said = ", ".join(f"{name}={getattr(self, name)!r}" for name in given)
            start = "the one start is the classical solution, tol and max_seconds end a fit, and stress_ is relative"
            warn(f"{type(self).__name__}: {said}: no effect: {start}", MercerWarning)
        for name in ("metric", "dissimilarity"):
            if getattr(self, name) not in (None, "euclidean", "precomputed", "deprecated"):
                what = f"{type(self).__name__}: {name}={getattr(self, name)!r}"
                raise ExpressionError(f"{what}: it must be 'euclidean', or 'precomputed' with the distances as rows; kernel= has the distances of feature space")

    def _function(self, kernel, X):
        return of_rows_or_batches(kernel, X, self.kernel_params or {})

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        rows = X if self._takes_values or getattr(model, "takes_arrays", False) else self._columns(X)
        self.embedding_ = model.predict(rows, threads=self._threads())
        self._fitted_rows = X
        self.stress_ = model.summary["objective"]
        self.n_iter_ = model.summary["iterations"]

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]
