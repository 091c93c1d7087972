"""Curves of scikit-learn's form: local regression, with the bandwidth by rows left out, and lowess."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, column_or_1d, validate_data

from .. import _native
from ..errors import ExpressionError, MercerWarning
from ._estimator import KernelEstimator
from ._warn import warn

if TYPE_CHECKING:
    from typing_extensions import Self

class _Local(RegressorMixin, BaseEstimator):
    """What curves of any degree share."""

    _name = "smoothing"
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
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        degree, name = self._degree(), type(self).__name__
        if self.span is not None and not isinstance(self.span, Real):
            raise ExpressionError(f"{name}: span={self.span!r}: it must be a number above 0, or None")
        kernel = self.kernel
        if kernel is None:
            kernel = "gaussian" if self.span is None else "tricube"
        self.local_ = _native.LocalRegression(
            X, y, weight, bandwidth=self.bandwidth, span=self.span, kernel=kernel, degree=degree, rounds=self._rounds(), threads=self._threads()
        )
        widths = self.local_.widths
        self.bandwidth_ = None if widths is None else widths[0] if len(widths) == 1 else np.asarray(widths)
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
            Values.
        y_std : ndarray of shape (n_samples,)
            Their standard deviations, where ``return_std``.
        """
        if return_std:
            return self._at(X)[:2]
        X = self._checked(X)
        return self.local_.values(X, threads=self._threads())

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
        return self.local_.predict(X, threads=self._threads())

    def _rounds(self):
        return 0


class LocalRegression(_Local):
    """Local polynomial regression: at each place a polynomial is fitted to the rows, weighed by how near they are.

    Local lines have no bias at the ends and reproduce planes. The bandwidth is the one that predicts rows best that are left out,
    in closed form, unless it is given.

    Parameters
    ----------
    bandwidth : float, array-like of shape (n_features,) or "left_out", default="left_out"
        One bandwidth, one for each column, or one in units of the standard deviations of the columns by rows left out.
    degree : {0, 1, 2}, default=1
        Degree of the polynomials.
    kernel : str or None, default=None
        "gaussian", "epanechnikov", "tricube", "boxcar" or "tophat", "biweight", "triangular" or "linear", "cosine", "exponential";
        None is "gaussian", and "tricube" with ``span``.
    span : float or None, default=None
        The share of all rows that each place looks at, instead of a bandwidth: R's ``loess`` is ``span=0.75, degree=2``, with
        ``family="symmetric"`` ``it=3``, where it is told ``surface="direct"``, not to interpolate.
    it : int, default=0
        Rounds after the first fit in which outliers lose weight; a bandwidth by rows left out is chosen before them.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    bandwidth_ : float, ndarray of shape (n_features,) or None
        The bandwidth of each column; of one column a number, and None where each place has its own (``span``).
    left_out_ : ndarray of shape (n_rows,)
        Predictions of the rows of weight above 0, each by the others.
    degrees_of_freedom_ : float
        The trace of the matrix that makes fitted values of targets.
    noise_ : float
        Standard deviation of the noise.
    local_ : LocalRegression
        The fit itself.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> from mercer import LocalRegression
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> line = LocalRegression(bandwidth=1.0).fit(X, [2.0, 5.0, 8.0, 11.0, 14.0])
    >>> line.predict([[2.5]]).round(6)
    array([9.5])
    >>> line.slopes([[2.5]]).round(6)
    array([[3.]])
    """

    def __init__(
        self,
        bandwidth: Any = "left_out",
        *,
        degree: int = 1,
        kernel: str | None = None,
        span: float | None = None,
        it: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.degree = degree
        self.kernel = kernel
        self.span = span
        self.it = it
        self.n_jobs = n_jobs

    def _degree(self):
        if not isinstance(self.degree, Integral) or self.degree not in (0, 1, 2):
            raise ExpressionError(f"LocalRegression: degree={self.degree!r}: it must be 0, 1 or 2")
        return int(self.degree)

    def _rounds(self):
        if not isinstance(self.it, Integral) or self.it < 0:
            raise ExpressionError(f"LocalRegression: it={self.it!r}: it must be a whole number, 0 or above")
        return int(self.it)


class NadarayaWatson(_Local):
    """Kernel regression of Nadaraya and Watson: the mean of the targets, weighed by how near the rows are.

    The curve stays within the range of the targets; ``LocalRegression`` has less bias at the ends. For kernels of the kernel
    language and for classes there are ``NadarayaWatsonRegressor`` and ``NadarayaWatsonClassifier``.

    Parameters
    ----------
    bandwidth : float, array-like of shape (n_features,) or "left_out", default="left_out"
        One bandwidth, one for each column, or one in units of the standard deviations of the columns by rows left out.
    kernel : str or None, default=None
        "gaussian", "epanechnikov", "tricube", "boxcar" or "tophat", "biweight", "triangular" or "linear", "cosine", "exponential";
        None is "gaussian", and "tricube" with ``span``.
    span : float or None, default=None
        The share of all rows that each place looks at, instead of a bandwidth.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    bandwidth_ : float, ndarray of shape (n_features,) or None
        The bandwidth of each column; of one column a number, and None where each place has its own (``span``).
    left_out_ : ndarray of shape (n_rows,)
        Predictions of the rows of weight above 0, each by the others.
    degrees_of_freedom_ : float
        The trace of the matrix that makes fitted values of targets.
    noise_ : float
        Standard deviation of the noise.
    local_ : LocalRegression
        The fit itself.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> from mercer import NadarayaWatson
    >>> mean = NadarayaWatson(bandwidth=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 5.0])
    >>> mean.predict([[1.0]]).round(4)
    array([1.8222])
    """

    def __init__(
        self,
        bandwidth: Any = "left_out",
        *,
        kernel: str | None = None,
        span: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.span = span
        self.n_jobs = n_jobs

    def _degree(self):
        return 0


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

    _name = "smoothing"
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
        y = column_or_1d(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"))
        for name in ("frac", "delta"):
            if not isinstance(getattr(self, name), Real):
                raise ExpressionError(f"Lowess: {name}={getattr(self, name)!r}: it must be a number")
        if not isinstance(self.it, Integral) or self.it < 0:
            raise ExpressionError(f"Lowess: it={self.it!r}: it must be a whole number, 0 or above")
        self.n_features_in_ = 1
        self.lowess_ = _native.Lowess(x, y, frac=float(self.frac), rounds=int(self.it), delta=float(self.delta), threads=self._threads())
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
