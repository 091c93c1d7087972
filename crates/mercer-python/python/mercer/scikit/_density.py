"""Densities of scikit-learn's form, with bandwidths that follow the scale of the columns."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .._native import Density
from ..errors import ExpressionError, MercerWarning
from ._estimator import KernelEstimator
from ._warn import warn

if TYPE_CHECKING:
    from typing_extensions import Self


class KernelDensity(DensityMixin, BaseEstimator):
    """Kernel density estimation, like ``sklearn.neighbors.KernelDensity``.

    A density as the mean of kernels at the rows, in logarithms. Rules for the bandwidth follow the scale of each column; sums are
    exact but for ``rtol``.

    Parameters
    ----------
    bandwidth : float, array-like or str, default="auto"
        A number, one for each column, a matrix H (the covariance of a Gaussian kernel), or a rule: "normal_reference", "silverman",
        "scott", "sheather_jones", "isj", "cross_validation", "least_squares", which are multiples of the scale of each column; "auto":
        "isj", or "silverman" for several columns and for values that repeat.
    kernel : str, default="gaussian"
        "gaussian", "epanechnikov", "tricube", "boxcar" or "tophat", "biweight", "triangular" or "linear", "cosine", "exponential".
    shape : {"radial", "product"}, default="radial"
        Whether the kernel of several columns is one of distances, or a product of one for each column.
    covariance : bool, default=False
        Whether "normal_reference", "silverman" or "scott" takes the covariance of the columns and not their scales alone.
    support : tuple, list of tuples or None, default=None
        Ends (low, high) of the values, the same for all columns or one for each; None for an end that there is not. Mass beyond them is
        folded back, and samples stay inside.
    adaptive : bool, default=False
        Whether each row has a width of its own, wide where rows are sparse: for long tails. The bandwidth times
        ``(density / geometric mean) ** -0.5``, by the density of one width (Abramson 1982).
    rtol : float, default=1e-12
        The relative error that a density may have.
    n_jobs : int or None, default=None
        Threads: None for all cores, or as many as OMP_NUM_THREADS allows, which joblib sets in its workers.

    Attributes
    ----------
    bandwidth_ : float or ndarray of shape (n_features,)
        The bandwidth of each column; of one column a number.
    density_ : Density
        The density: ``left_out()``, ``cumulative(x)`` and ``quantile(p)`` too, and ``widths_of_rows`` where ``adaptive``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> from mercer import KernelDensity
    >>> X = [[1.2], [1.9], [2.0], [2.4], [3.7]]
    >>> density = KernelDensity(bandwidth=0.5).fit(X)
    >>> density.score_samples([[2.0]]).round(4)
    array([-0.7408])
    >>> density.sample(3, random_state=0).shape
    (3, 1)
    """

    _name = "density"
    _threads = KernelEstimator._threads

    def __init__(
        self,
        *,
        bandwidth: Any = "auto",
        kernel: str = "gaussian",
        shape: str = "radial",
        covariance: bool = False,
        support: Any = None,
        adaptive: bool = False,
        rtol: float = 1e-12,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.shape = shape
        self.covariance = covariance
        self.support = support
        self.adaptive = adaptive
        self.rtol = rtol
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
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
        rule = isinstance(self.bandwidth, str)
        X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2 if rule else 1)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not isinstance(self.rtol, Real) or not 0 < self.rtol < 1:
            raise ExpressionError(f"KernelDensity: rtol={self.rtol!r}: it must be a number between 0 and 1")
        self.density_ = Density(
            X,
            weight,
            bandwidth=self.bandwidth,
            kernel=self.kernel,
            shape=self.shape,
            covariance=bool(self.covariance),
            support=self._ends(X.shape[1]),
            adaptive=bool(self.adaptive),
            tolerance=float(self.rtol),
            threads=self._threads(),
        )
        widths = self.density_.widths
        self.bandwidth_ = widths[0] if len(widths) == 1 else np.asarray(widths)
        for note in self.density_.notes:
            warn(f"KernelDensity: {note}", MercerWarning)
        return self

    def _ends(self, columns):
        if self.support is None:
            return None
        one = len(self.support) == 2 and all(end is None or isinstance(end, Real) for end in self.support)
        pairs = [self.support] * columns if one else self.support
        try:
            return [(-np.inf if low is None else float(low), np.inf if high is None else float(high)) for low, high in pairs]
        except (TypeError, ValueError):
            raise ExpressionError(f"KernelDensity: support={self.support!r}: it must be (low, high), or one such pair for each column") from None

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
        if not isinstance(n_samples, Integral) or n_samples < 0:
            raise ExpressionError(f"KernelDensity: n_samples={n_samples!r}: it must be a whole number, 0 or above")
        seed = random_state if isinstance(random_state, Integral) and random_state >= 0 else check_random_state(random_state).randint(2**31 - 1)
        return self.density_.draw(int(n_samples), int(seed))
