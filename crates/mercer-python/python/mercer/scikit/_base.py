"""Classifiers and regressors of scikit-learn's form: targets in, classes or numbers out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import column_or_1d, compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from .._native import Learner
from ..errors import DataError
from ._arguments import is_flag
from ._checks import check_sample_weight, numbers_of, plain_names
from ._conformal import Intervals, PredictionSets
from ._estimator import ONLY, KernelEstimator

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self


class ReadsRows:
    """What reads the cells of rows, and asks for no kernel."""

    def _asked_kernel(self):
        return None

    def _similarity(self, X):
        return None

    def _structured(self):
        return ONLY, {"model": Learner(self._expression()).parameters["model"]}

    def _by_column(self, kernel):
        return True

    def _keeps_labels(self):
        return True

    def _learner(self, kernel):
        return Learner(self._expression(), standardise=False, seed=self._seed())


class KernelClassifier(ClassifierMixin, PredictionSets, KernelEstimator):
    """A classifier of the library."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._ignores_inputs
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows and their classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the Gram matrix.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 2 means that the row counts twice, 0 that it is absent.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        vars(self).pop("model_", None)
        X, y = self._checked(X, y, fitting=True)
        self.classes_, codes, names = self._coded(y)
        weight = check_sample_weight(sample_weight, X)
        return self._fit(X, codes, self._weighted(weight, y, codes), names)

    def _coded(self, y):
        """The classes of a target, the place of each label among them, and their names."""
        if not is_labels(y):
            check_classification_targets(y)
        try:
            classes, codes = np.unique(y, return_inverse=True)
        except TypeError:
            found = ", ".join(sorted({type(label).__name__ for label in y}))
            raise DataError(f"y holds labels of several types ({found}); make them one type") from None
        return classes, codes, plain_names(classes)

    def _weighted(self, weight, y, codes):
        """Weights of rows times those of their classes."""
        by_class = getattr(self, "class_weight", None)
        if by_class is None:
            return weight
        return times_factors(weight, class_factors(by_class, self.classes_, y, weight), codes)

    def _target(self, y):
        return column_or_1d(y, warn=True)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Classes, as they were given.
        """
        rows = self._rows_for_model(X)
        return self.classes_.take(self.model_.predict(rows, codes=True, threads=self._threads()))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on rows and their classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
            The share of rows, or of their weights, whose class is predicted.
        """
        if sample_weight is not None or not is_labels(y):
            return super().score(X, y, sample_weight)
        predicted = self.predict(X)
        if predicted.dtype.kind != y.dtype.kind or len(predicted) != len(y):
            return accuracy_score(y, predicted)
        # The checks of accuracy_score take longer than the predictions for a few hundred rows.
        return float(np.mean(predicted == y))

    def _scores(self, X, **words):
        """Decision values of the library."""
        rows = self._rows_for_model(X)
        return self.model_.decision_function(rows, threads=self._threads(), **words)


def class_factors(class_weight, classes, y, weight):
    """A factor for each class, in the order of the classes; "balanced" counts a row of weight 2 as two rows."""
    if weight is None or not isinstance(class_weight, str):
        return compute_class_weight(class_weight, classes=classes, y=y)
    # A class all of whose rows are absent is refused, or left out, with them.
    present = weight > 0
    if not np.isin(classes, y[present]).all():
        return compute_class_weight(class_weight, classes=classes, y=y)
    return compute_class_weight(class_weight, classes=classes, y=y[present], sample_weight=weight[present])


def times_factors(weight, factors, codes):
    """Weights of rows, if any, times the factors of their classes."""
    return factors[codes] if weight is None else weight * factors[codes]


def is_labels(y):
    """Whether a target is an array of whole numbers or texts, one a row: classes whatever they are."""
    if type(y) is not np.ndarray or y.ndim != 1:
        return False
    return y.dtype.kind in "iubU" or (y.dtype.kind == "f" and np.isfinite(y).all() and (y == np.rint(y)).all())


class Scores:
    """Decision values of a classifier that has them."""

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Decision values before they become classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Above 0 is the second of two classes; of more classes the greatest.
        """
        return self._scores(X, by_class=True)


def asks_for_probabilities(estimator, argument):
    """Whether a flag asks for class probabilities; the AttributeError where it does not says how to ask."""
    value = getattr(estimator, argument)
    if is_flag(value) and value:
        return True
    raise AttributeError(f"class probabilities are there with {type(estimator).__name__}({argument}=True)")


class LogProbabilities:
    """Logarithms of class probabilities."""

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; -inf for a probability of 0.
        """
        found = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            # Of several targets there is a list.
            return [np.log(each) for each in found] if isinstance(found, list) else np.log(found)


class Probabilities(LogProbabilities):
    """Class probabilities of a classifier that has them."""

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Probability of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        rows = self._rows_for_model(X)
        return self.model_.predict_proba(rows, threads=self._threads())


class SupportRows:
    """What a model over some of its training rows keeps."""

    @property
    def support_(self) -> NDArray[Any]:
        """Training rows that predictions need."""
        check_is_fitted(self)
        return self.model_.support


class AskedProbabilities:
    """Class probabilities of a classifier that has them where a flag asks for them."""

    def _asks(self):
        return asks_for_probabilities(self, self._parameter_names["probabilities"])

    @available_if(_asks)
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Probability of each class, calibrated on scores of rows that were left out.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; ``predict`` gives the class of the greatest.
        """
        return Probabilities.predict_proba(self, X)

    predict_log_proba = available_if(_asks)(LogProbabilities.predict_log_proba)


class KernelRegressor(RegressorMixin, Intervals, KernelEstimator):
    """A regressor of the library."""

    _multi_output = True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._multi_output
        tags.regressor_tags.poor_score = self._ignores_inputs
        return tags

    def _target_rules(self):
        return {"y_numeric": True, "multi_output": self._multi_output}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows and their targets.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the Gram matrix.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 2 means that the row counts twice, 0 that it is absent.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        vars(self).pop("model_", None)
        X, y = self._checked(X, y, fitting=True)
        y = numbers_of(y).astype(np.float64)
        self._flat = y.ndim == 1
        weight = check_sample_weight(sample_weight, X)
        return self._fit(X, y, weight, None)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Numbers.
        """
        rows = self._rows_for_model(X)
        return self._shaped(self.model_.predict(rows, threads=self._threads()))

    def _shaped(self, values):
        """Values with the axes that the targets had."""
        return values if self._flat or values.ndim == 2 else values[:, np.newaxis]
