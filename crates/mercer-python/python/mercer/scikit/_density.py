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
from ._arguments import is_flag, is_number, refused, require
from ._estimator import KernelEstimator
from ._warn import warn

if TYPE_CHECKING:
    from typing_extensions import Self


#: The relative error of sums that are as exact as rounding lets them be.
ROUNDING = 1e-12


class KernelDensity(DensityMixin, BaseEstimator):
    """Kernel density estimation with the arguments of ``sklearn.neighbors.KernelDensity``.

    A density as the mean of kernels at the rows, in logarithms; sums are exact but for ``rtol``. What differs: rules for the bandwidth
    follow the scale of each column, also "scott" and "silverman", which take no account of it there; distances are Euclidean; the
    cosine kernel of several columns is normalised.

    Parameters
    ----------
    bandwidth : float, array-like or str, default=1.0
        A number, one for each column, a matrix H (the covariance of a Gaussian kernel), or a rule: "normal_reference", "silverman",
        "scott", "sheather_jones", "isj", "cross_validation", "least_squares", which are multiples of the scale of each column; "auto":
        "isj", or "silverman" for several columns and for values that repeat.
    algorithm : {"auto", "kd_tree", "ball_tree"}, default="auto"
        Has no effect: sums do not depend on how they are arranged.
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
    metric : {"euclidean", "l2", "minkowski"}, default="euclidean"
        The distance, which is the Euclidean one.
    atol : float, default=0.0
        Has no effect: ``rtol`` bounds the error.
    rtol : float, default=0.0
        The relative error that a density may have; below 1e-12 it is that of rounding.
    breadth_first : bool, default=True
        Has no effect: there is no tree to walk.
    leaf_size : int, default=40
        Has no effect: there is no tree.
    metric_params : dict or None, default=None
        Keywords of the metric: ``{"p": 2}`` for "minkowski".
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or OMP_NUM_THREADS allows; -1 for all.

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
        bandwidth: Any = 1.0,
        algorithm: str = "auto",
        kernel: str = "gaussian",
        metric: str = "euclidean",
        atol: float = 0.0,
        rtol: float = 0.0,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: dict[str, Any] | None = None,
        shape: str = "radial",
        covariance: bool = False,
        support: Any = None,
        adaptive: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params
        self.shape = shape
        self.covariance = covariance
        self.support = support
        self.adaptive = adaptive
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
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if weight is not None and not (weight == np.rint(weight)).all():
            weight = weight * (np.count_nonzero(weight) / weight.sum())
        self.density_ = Density(
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
        self.bandwidth_ = widths[0] if len(widths) == 1 else np.asarray(widths)
        for note in self.density_.notes:
            warn(f"KernelDensity: {note}", MercerWarning)
        return self

    def _check_arguments(self):
        if isinstance(self.bandwidth, Real) and not 0 < self.bandwidth < np.inf:
            raise refused(self, "bandwidth", self.bandwidth, "a finite number above 0, one for each column, a matrix or a rule")
        require(self, "algorithm", lambda value: value in ("auto", "kd_tree", "ball_tree"), "'auto', 'kd_tree' or 'ball_tree'")
        power = (self.metric_params or {}).get("p", 2) if self.metric == "minkowski" else 2
        if self.metric not in ("euclidean", "l2", "minkowski") or power != 2 or set(self.metric_params or ()) - {"p"}:
            what = f"metric={self.metric!r}" + (f", metric_params={self.metric_params!r}" if self.metric_params else "")
            raise ExpressionError(f"KernelDensity: {what}: distances are Euclidean here; sklearn.neighbors.KernelDensity has other metrics")
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
