"""Estimators of scikit-learn's form that learn row by row, from all rows at once or from rows that come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length

from .._native import learn_on
from ..errors import DataError
from ._checks import check_sample_weight, whole

if TYPE_CHECKING:
    from typing_extensions import Self


class _Stream:
    """Rows that are kept, and a model that learns on from them."""

    def _settings(self):
        # Rows that come are seen once, in their order.
        own = {"passes": 1, "order": "given"} if getattr(self, "_comes", False) else {}
        return {**super()._settings(), **own}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows, forgetting whatever came before.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the Gram matrix.
        y : array-like of shape (n_samples,)
            Their classes or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 2 means that the row counts twice, 0 that it is absent.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._comes = False
        return super().fit(X, y, sample_weight)

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        self.support_vectors_ = _safe_indexing(X, model.support)
        self._kept_targets = np.asarray(y)[model.support]

    def _first(self, X, y, weight, classes):
        """A model of the first rows that come."""
        self._comes = True
        try:
            return self._fit(X, y, weight, classes)
        finally:
            self._comes = False

    def _next(self, X, y, weight):
        """The model learns on."""
        if self._takes_values or getattr(self.model_, "takes_arrays", False):
            raise DataError(
                "partial_fit needs a kernel that makes its values of rows: an expression or a mercer.Kernel, "
                "not kernel values or a function of two arrays"
            )
        known = len(self._kept_targets)
        rows = stacked(self.support_vectors_, X)
        targets = np.concatenate([self._kept_targets, y])
        weights = None if weight is None else np.concatenate([np.ones(known), weight])
        model = learn_on(self.model_, self._columns(rows), targets, known, weights, threads=self._threads())
        self._keep(rows, targets, weights, model)
        self.model_ = model
        return self


def stacked(kept, new):
    """Rows below one another."""
    if hasattr(new, "columns"):
        import pandas as pd

        return pd.concat([kept, new], ignore_index=True)
    if sp.issparse(kept) or sp.issparse(new):
        return sp.vstack([kept, new], format="csr")
    if isinstance(new, np.ndarray):
        return np.concatenate([kept, new])
    return [*kept, *new]


class StreamOfClasses(_Stream):
    """Classes row by row."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows that come, once each and in their order.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            New rows.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like of shape (n_classes,), default=None
            All classes there will be, at the first call; None: those of its rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
            The estimator, which has learnt on.
        """
        if not hasattr(self, "model_"):
            X, y = self._checked(X, y, fitting=True)
            self.classes_, _, names = self._coded(y if classes is None else np.asarray(classes))
            return self._first(X, self._codes(y), self._weights_of(X, y, sample_weight), names)
        X = self._checked(X)
        check_consistent_length(X, y)
        y = self._target(whole("y", y))
        return self._next(X, self._codes(y), self._weights_of(X, y, sample_weight))

    def _weights_of(self, X, y, sample_weight):
        """Weights of rows that come, times those of their classes."""
        weight = check_sample_weight(sample_weight, X)
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"{type(self).__name__}: class_weight={self.class_weight!r} needs all rows at once, which partial_fit has not: give a dict, or weights "
                "of the rows"
            )
        return self._weighted(weight, y, self._codes(y))

    def _codes(self, y):
        """Places of labels among the classes."""
        y = np.asarray(y)
        strange = np.setdiff1d(y, self.classes_)
        if strange.size:
            raise ValueError(
                f"y holds {strange[:3].tolist()}, and the classes are {self.classes_.tolist()[:8]}; "
                "name all classes at the first call of partial_fit: classes=..."
            )
        return np.searchsorted(self.classes_, y)


class StreamOfNumbers(_Stream):
    """Numbers row by row."""

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows that come, once each and in their order.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            New rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
            The estimator, which has learnt on.
        """
        first = not hasattr(self, "model_")
        if first:
            X, y = self._checked(X, y, fitting=True)
        else:
            X = self._checked(X)
            check_consistent_length(X, y)
        y = np.asarray(whole("y", y), dtype=np.float64)
        weight = check_sample_weight(sample_weight, X)
        if first:
            self._flat = y.ndim == 1
            return self._first(X, y, weight, None)
        return self._next(X, y, weight)
