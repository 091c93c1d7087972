"""Curves of scikit-learn's form: local regression, with the bandwidth by rows left out, and lowess."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from .. import _native
from ..errors import ExpressionError, MercerWarning
from ._arguments import refused
from ._checks import check_array, check_sample_weight, numbers_of, validate_data, whole
from ._estimator import KernelEstimator
from ._warn import warn

if TYPE_CHECKING:
    from typing_extensions import Self


class LocalCurve(RegressorMixin, BaseEstimator):
    """Polynomials fitted to the rows near each place, with slopes and deviations, which a model of the library does not have."""

    _constants = {}
    _threads = KernelEstimator._threads

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 2 means that the row counts twice, 0 that it is absent.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", y_numeric=True, ensure_min_samples=2)
        weight = check_sample_weight(sample_weight, X, ensure_non_negative=True)
        name = type(self).__name__
        degree, rounds = self._whole("degree", 0, 2), self._whole("rounds", 0, None)
        if self.span is not None and not isinstance(self.span, Real):
            raise refused(self, "span", self.span, "a number above 0, or None")
        kernel = self.kernel
        if kernel is None:
            kernel = "gaussian" if self.span is None else "tricube"
        self.local_ = _native.LocalRegression.fit(
            X, y, weight, bandwidth=self.bandwidth, span=self.span, kernel=kernel, degree=degree, rounds=rounds, threads=self._threads()
        )
        widths = self.local_.widths
        one = widths is not None and (len(widths) == 1 or isinstance(self.bandwidth, Real))
        self.bandwidth_ = None if widths is None else widths[0] if one else np.asarray(widths)
        self.left_out_ = self.local_.left_out
        self.degrees_of_freedom_ = self.local_.degrees_of_freedom
        self.noise_ = self.local_.noise
        if self.local_.lowered:
            warn(f"{name}: at {self.local_.lowered} of {len(self.left_out_)} rows too few others are near, and a polynomial of a lower degree was fitted", MercerWarning)
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Values of the curve.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        return_std : bool, default=False
            Whether the standard deviation of the curve, from the noise of the targets, is returned too.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Values; nan where no training row lies within the bandwidth.
        y_std : ndarray of shape (n_samples,)
            Their standard deviations, where ``return_std``.
        """
        if return_std:
            return self._at(X)[:2]
        X = self._checked(X)
        values = self.local_.values(X, threads=self._threads())
        self._report_missing(values)
        return values

    def slopes(self, X: Any) -> np.ndarray:
        """Derivatives of the curve, those of the local polynomials; 0 of averages.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        slopes : ndarray of shape (n_samples, n_features)
            A derivative for each column.
        """
        return self._at(X)[2]

    def _checked(self, X):
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, order="C", reset=False)

    def _at(self, X):
        X = self._checked(X)
        found = self.local_.predict(X, threads=self._threads())
        self._report_missing(found[0])
        return found

    def _report_missing(self, values):
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            warn(
                f"{type(self).__name__}: {len(missing)} of {len(values)} rows (the first is row {missing[0] + 1}) have no training row within the bandwidth and "
                "are missing (nan); give a wider bandwidth, or a kernel without an end (gaussian)",
                MercerWarning,
            )

    def _whole(self, parameter, low, high):
        """The whole number that a parameter of the library has, by an argument or for all of the class."""
        argument = self._parameter_names.get(parameter)
        if argument is None:
            return self._constants[parameter]
        value = getattr(self, argument)
        if not isinstance(value, Integral) or value < low or high is not None and value > high:
            expected = f"a whole number, {low} or above" if high is None else f"a whole number from {low} to {high}"
            raise refused(self, argument, value, expected)
        return int(value)


class Lowess(RegressorMixin, BaseEstimator):
    """Cleveland's lowess: lines to the nearest rows, then again with less weight for outliers.

    For one column. The same as ``lowess`` of R and of statsmodels.

    Parameters
    ----------
    frac : float, default=2/3
        The share of all rows that each line is fitted to.
    it : int, default=3
        Rounds in which outliers lose weight.
    delta : float, default=0.0
        Distance within which rows are interpolated instead of fitted: 1 % of the range makes many rows fast.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    fitted_values_ : ndarray of shape (n_samples,)
        The curve at the training rows.
    lowess_ : Lowess
        The fit itself.
    n_features_in_ : int
        Number of columns: 1.

    Examples
    --------
    >>> from mercer import Lowess
    >>> x, y = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.1, 0.9, 2.1, 2.9, 20.0, 5.1, 5.9]
    >>> Lowess(frac=1.0).fit(x, y).fitted_values_.round(2)
    array([0.05, 1.02, 2.  , 3.  , 3.99, 4.98, 5.97])
    """

    _name = "lowess"
    _threads = KernelEstimator._threads

    def __init__(self, frac: float = 2 / 3, it: int = 3, *, delta: float = 0.0, n_jobs: int | None = None) -> None:
        self.frac = frac
        self.it = it
        self.delta = delta
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to rows.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)
            Places.
        y : array-like of shape (n_samples,)
            Targets.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        x = self._places(X)
        y = column_or_1d(check_array(numbers_of(whole("y", y)), ensure_2d=False, dtype=np.float64, input_name="y"))
        for name in ("frac", "delta"):
            if not isinstance(getattr(self, name), Real):
                raise ExpressionError(f"Lowess: {name}={getattr(self, name)!r}: it must be a number")
        if not isinstance(self.it, Integral) or self.it < 0:
            raise ExpressionError(f"Lowess: it={self.it!r}: it must be a whole number, 0 or above")
        self.n_features_in_ = 1
        self.lowess_ = _native.Lowess.fit(x, y, frac=float(self.frac), rounds=int(self.it), delta=float(self.delta), threads=self._threads())
        self.fitted_values_ = self.lowess_.fitted
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Values of the curve: lines to the nearest training rows with the weights of the last round.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)
            Places.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Values.
        """
        check_is_fitted(self)
        return self.lowess_.predict(self._places(X), threads=self._threads())

    @staticmethod
    def _places(X):
        x = check_array(X, ensure_2d=False, dtype=np.float64, input_name="X")
        if x.ndim == 2 and x.shape[1] != 1:
            raise ValueError(f"Lowess: X has {x.shape[1]} columns; it takes one: LocalRegression takes several")
        return x.reshape(-1)
