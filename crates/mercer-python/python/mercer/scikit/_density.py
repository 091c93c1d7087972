"""Densities: fits, logarithms, samples, and the arguments that scikit-learn has."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._native import Density
from ..errors import ExpressionError, MercerWarning
from ._arguments import is_flag, is_number, refused, require
from ._base import KernelClassifier, LogProbabilities, ReadsRows
from ._checks import check_sample_weight, validate_data
from ._estimator import KernelEstimator
from ._warn import warn

if TYPE_CHECKING:
    from typing_extensions import Self

    from .._native import Distribution


#: The relative error of sums that are as exact as rounding lets them be.
ROUNDING = 1e-12


class LogLikelihoods:
    """The logarithm of the likelihood of rows, from those of each."""

    def score(self, X: Any, y: Any = None) -> float:
        """The logarithm of the likelihood of rows, their sum.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.

        Returns
        -------
        score : float
            The sum of the logarithms of the density.
        """
        return float(np.sum(self.score_samples(X)))


def checked_count(estimator, n_samples):
    """How many rows are to be drawn."""
    if not isinstance(n_samples, Integral) or n_samples < 0:
        raise ExpressionError(f"{type(estimator).__name__}: n_samples={n_samples!r}: it must be a whole number, 0 or above")
    return int(n_samples)


def drawn_seed(random_state):
    """The seed that scikit-learn's `random_state` stands for."""
    fixed = isinstance(random_state, Integral) and random_state >= 0
    return int(random_state if fixed else check_random_state(random_state).randint(2**31 - 1))


def _has_states(estimator):
    return "model_" in vars(estimator) and estimator.model_.distributions[0].has_states


class ModelledClasses(ReadsRows, KernelClassifier):
    """A generative model of each class."""

    @property
    def distributions_(self) -> dict[Any, Distribution]:
        """The fitted model of each class that has rows."""
        check_is_fitted(self)
        return {self.classes_[one.code]: one for one in self.model_.distributions}


class ModelledDensity(LogLikelihoods, ReadsRows, DensityMixin, KernelEstimator):
    """A generative model of rows."""

    _supervised = False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows.

        Parameters
        ----------
        X : array-like, data frame or dict of columns of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 2 means that the row counts twice, 0 that it is absent.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit_without_target(X, sample_weight, ensure_non_negative=True)

    def score_samples(self, X: Any) -> np.ndarray:
        """Logarithms of the density at rows, per unit of the columns.

        Parameters
        ----------
        X : array-like, data frame or dict of columns of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        density : ndarray of shape (n_samples,)
            Logarithms of the density.
        """
        rows = self._rows_for_model(X)
        return np.ravel(self.model_.predict(rows, threads=self._threads()))

    def __getattr__(self, name):
        if name.startswith("_") or not name.endswith("_") or "model_" not in vars(self):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(self.model_.distributions[0], name)

    @available_if(_has_states)
    def predict(self, X: Any) -> Any:
        """The most probable hidden states of rows, from 0.

        Parameters
        ----------
        X : array-like, data frame or dict of columns of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        states : ndarray of shape (n_samples,) or list of ndarray
            The component of each vector; of each sequence the path that is the most probable as a whole (Viterbi).
        """
        return self.model_.distributions[0].decode(self._rows_for_model(X), threads=self._threads())

    @available_if(_has_states)
    def predict_proba(self, X: Any) -> Any:
        """The probability of each hidden state, given the whole row.

        Parameters
        ----------
        X : array-like, data frame or dict of columns of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_components) or list of ndarray
            Of each sequence the states at each time, of shape (n_times, n_states).
        """
        return self.model_.distributions[0].posteriors(self._rows_for_model(X), threads=self._threads())

    predict_log_proba = available_if(_has_states)(LogProbabilities.predict_log_proba)

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Rows drawn from the model.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState instance or None, default=None
            Seed; None draws other rows each time.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features) or list
            Rows; strings and series have the length that the parameter ``length`` of the model says.
        """
        check_is_fitted(self)
        return self.model_.distributions[0].sample(checked_count(self, n_samples), seed=drawn_seed(random_state))


class SmoothedDensity(LogLikelihoods, DensityMixin, BaseEstimator):
    """A density by smoothing: with supports, matrices of bandwidths and samples, which a model of the library does not have."""

    _threads = KernelEstimator._threads

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 2 means that the row counts twice, 0 that it is absent. Weights that are no whole numbers are shares: their sum has no
            effect, and rules for the bandwidth count every row of weight above 0 once.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_arguments()
        rule = isinstance(self.bandwidth, str)
        X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2 if rule else 1)
        weight = check_sample_weight(sample_weight, X, ensure_non_negative=True)
        if weight is not None and not (weight == np.rint(weight)).all():
            weight = weight * (np.count_nonzero(weight) / weight.sum())
        self.density_ = Density.fit(
            X,
            weight,
            bandwidth=self.bandwidth,
            kernel=self.kernel,
            shape=self.shape,
            covariance=bool(self.covariance),
            support=self._ends(X.shape[1]),
            adaptive=bool(self.adaptive),
            tolerance=max(float(self.rtol), ROUNDING),
            threads=self._threads(),
        )
        widths = self.density_.widths
        self.bandwidth_ = widths[0] if len(widths) == 1 or isinstance(self.bandwidth, Real) else np.asarray(widths)
        for note in self.density_.notes:
            warn(f"{type(self).__name__}: {note}", MercerWarning)
        return self

    def _check_arguments(self):
        if isinstance(self.bandwidth, Real) and not 0 < self.bandwidth < np.inf:
            raise refused(self, "bandwidth", self.bandwidth, "a finite number above 0, one for each column, a matrix or a rule")
        require(self, "algorithm", lambda value: value in ("auto", "kd_tree", "ball_tree"), "'auto', 'kd_tree' or 'ball_tree'")
        power = (self.metric_params or {}).get("p", 2) if self.metric == "minkowski" else 2
        if self.metric not in ("euclidean", "l2", "minkowski") or power != 2 or set(self.metric_params or ()) - {"p"}:
            what = f"metric={self.metric!r}" + (f", metric_params={self.metric_params!r}" if self.metric_params else "")
            raise ExpressionError(f"{type(self).__name__}: {what}: distances are Euclidean here; sklearn.neighbors.KernelDensity has other metrics")
        require(self, "atol", lambda value: is_number(value) and value >= 0, "a number of 0 or above")
        require(self, "rtol", lambda value: is_number(value) and 0 <= value < 1, "a number from 0, below 1")
        require(self, "leaf_size", lambda value: isinstance(value, Integral) and value >= 1, "a whole number from 1")
        for name in ("breadth_first", "covariance", "adaptive"):
            require(self, name, is_flag, "True or False")

    def _ends(self, columns):
        if self.support is None:
            return None
        one = len(self.support) == 2 and all(end is None or isinstance(end, Real) for end in self.support)
        pairs = [self.support] * columns if one else self.support
        try:
            return [(-np.inf if low is None else float(low), np.inf if high is None else float(high)) for low, high in pairs]
        except (TypeError, ValueError):
            raise ExpressionError(f"{type(self).__name__}: support={self.support!r}: it must be (low, high), or one such pair for each column") from None

    def score_samples(self, X: Any) -> np.ndarray:
        """Logarithms of the density at rows; -inf where a compact kernel reaches no row, and outside of the support.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        density : ndarray of shape (n_samples,)
            Logarithms of the density.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        return self.density_.log_density(X, threads=self._threads())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Rows drawn from the density.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState instance or None, default=None
            Seed; None draws other rows each time.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Rows, inside of the support.
        """
        check_is_fitted(self)
        return self.density_.draw(checked_count(self, n_samples), drawn_seed(random_state))
