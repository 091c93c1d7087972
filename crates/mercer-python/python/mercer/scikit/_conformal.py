"""Conformal intervals and prediction sets of classifiers and regressors of scikit-learn's form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, MercerError
from ._checks import check_sample_weight, numbers_of, plain_names, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self


class Conformal:
    """What takes the errors of rows that the fit did not see."""

    def conformalize(self, X: Any, y: Any, sample_weight: Any = None, *, by: Any = None) -> Self:
        """Take the conformity scores of rows that the fit did not see, in place of any that are there (split conformal).

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 2 means that the row counts twice.
        by : array-like of shape (n_samples,) or "class", default=None
            Groups of the rows, each of which is covered separately (Mondrian).

        Returns
        -------
        self : object
            The fitted estimator with scores in ``model_``.
        """
        rows, y = self._rows_for_model(X), np.asarray(whole("y", y))
        weight = check_sample_weight(sample_weight, y)
        self.model_ = self._conformal_answer("conformalize", rows, self._targets_of(y), weight, by=by)
        return self

    def _conformal_answer(self, method, *given, **words):
        try:
            return getattr(self.model_, method)(*given, threads=self._threads(), **words)
        except MercerError as error:
            raise type(error)(self._translate(str(error))) from None

    def _require_source(self, *sources):
        if self.model_.interval_source not in sources:
            raise DataError(f"{type(self).__name__}: the fit keeps no scores; give it rows that it did not see first, conformalize(X, y)")


class Intervals(Conformal):
    """Intervals of a regressor."""

    def predict_interval(self, X: Any, level: float = 0.9, *, groups: Any = None) -> tuple[NDArray[Any], NDArray[Any]]:
        """The interval that holds the target of each row with this probability.

        Conformal after ``conformalize``; before it by the variance of a process that has one.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.
        level : float, default=0.9
            The probability, between 0 and 1.
        groups : array-like of shape (n_samples,), default=None
            Groups of the rows, where scores are kept by groups.

        Returns
        -------
        low, high : tuple of ndarray of shape (n_samples,) or (n_samples, n_targets)
            Ends; infinite where there are too few scores for the level.
        """
        rows = self._rows_for_model(X)
        self._require_source("scores", *(["variance"] if groups is None else []))
        return tuple(self._shaped(end) for end in self._conformal_answer("predict_interval", rows, level, groups=groups))

    def _targets_of(self, y):
        return numbers_of(y).astype(np.float64)


class PredictionSets(Conformal):
    """Prediction sets of a classifier."""

    def predict_set(self, X: Any, level: float = 0.9, *, groups: Any = None) -> NDArray[Any]:
        """The set of classes that holds the class of each row with this probability, after ``conformalize``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.
        level : float, default=0.9
            The probability, between 0 and 1.
        groups : array-like of shape (n_samples,), default=None
            Groups of the rows, where scores are kept by groups.

        Returns
        -------
        sets : ndarray of bool of shape (n_samples, n_classes)
            Whether a class is in the set, in the order of ``classes_``.
        """
        rows = self._rows_for_model(X)
        self._require_source("scores")
        return self._conformal_answer("predict_set", rows, level, groups=groups)

    def predict_p(self, X: Any, *, groups: Any = None) -> NDArray[Any]:
        """The p-value of each class: the share of held-out rows that conform no better, after ``conformalize``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.
        groups : array-like of shape (n_samples,), default=None
            Groups of the rows, where scores are kept by groups.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        rows = self._rows_for_model(X)
        self._require_source("scores")
        return self._conformal_answer("predict_p", rows, groups=groups)

    def _targets_of(self, y):
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise DataError(f"y has the class {unknown[0]}, which the fit did not see; leave out its rows, or fit with some of them")
        names = np.empty(len(self.classes_), dtype=object)
        names[:] = plain_names(self.classes_)
        return names[np.searchsorted(self.classes_, y)]
