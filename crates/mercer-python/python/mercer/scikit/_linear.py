"""Linear support vector machines of scikit-learn's form: O(N) on the columns as they are, without kernel values."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model._base import LinearClassifierMixin, LinearModel, SparseCoefMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .._native import linear_machine
from ..errors import DataError, ExpressionError
from ._estimator import KernelEstimator
from ._warn import warn

if TYPE_CHECKING:
    from typing_extensions import Self


class Machine:
    """What the two classes share."""

    _name = "linear"
    _squared = {}
    _threads = KernelEstimator._threads
    _seed = KernelEstimator._seed

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def certificate_(self) -> dict[str, Any]:
        """The number that proves how good the fit is: its name, its value, the tolerance it was asked to meet."""
        check_is_fitted(self)
        return self._certificate

    def _refuse(self, argument, expected):
        raise ExpressionError(f"{type(self).__name__}: {argument}={getattr(self, argument)!r}: {expected}")

    def _check_arguments(self):
        if not isinstance(self.loss, str) or self.loss not in self._squared:
            self._refuse("loss", f"it must be {' or '.join(repr(word) for word in self._squared)}")
        if self.dual not in (True, False, "auto") or isinstance(self.dual, (int, float)) and not isinstance(self.dual, (bool, np.bool_)):
            self._refuse("dual", "it must be True, False or 'auto'")
        if self.dual is False and not self._squared[self.loss]:
            self._refuse("dual", f"the loss {self.loss!r} is not smooth, and has no solver of the primal problem; use dual=True or 'auto'")
        for name in ("C", "tol"):
            value = getattr(self, name)
            if not isinstance(value, Real) or not 0 < value < np.inf:
                self._refuse(name, "it must be a finite number above 0")
        if not isinstance(self.max_iter, Integral) or self.max_iter < 0:
            self._refuse("max_iter", "it must be a whole number, 0 or above")
        if self.fit_intercept and (not isinstance(self.intercept_scaling, Real) or not 0 < self.intercept_scaling < np.inf):
            self._refuse("intercept_scaling", "it must be a finite number above 0; fit_intercept=False fits no intercept")

    def _rows(self, X, y, **rules):
        """Rows and targets by scikit-learn's rules."""
        return validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, order="C", **rules)

    def _fit(self, X, target, weight, **words):
        """Coefficients, outputs x columns, and intercepts."""
        weight = None if weight is None else _check_sample_weight(weight, X, dtype=np.float64, ensure_non_negative=True)
        squared = self._squared[self.loss]
        primal = squared and (not self.dual if self.dual != "auto" else X.shape[0] >= X.shape[1])
        found = linear_machine(
            X,
            target,
            weight,
            c=float(self.C),
            squared=squared,
            constant=float(self.intercept_scaling) if self.fit_intercept else 0.0,
            primal=primal,
            tolerance=float(self.tol),
            max_iterations=int(self.max_iter),
            seed=self._seed(),
            threads=self._threads(),
            progress=self._line if self.verbose else None,
            **words,
        )
        self.n_iter_ = found["iterations"]
        self._certificate = found["certificate"]
        self.intercept_ = found["offset"] if self.fit_intercept else 0.0
        if self.verbose:
            print(f"[{type(self).__name__}] {self.n_iter_} iterations, objective {found['objective']:.6g}", flush=True)
        if not found["converged"]:
            gap = self._certificate
            warn(
                f"{type(self).__name__} failed to converge: after {self.n_iter_} iterations the violation of the optimality "
                f"conditions is {found['violation']:.3g} and the {gap['name']} {gap['value']:.3g}, asked for {self.tol:.3g}. Increase "
                "max_iter, lower C, or scale the columns with StandardScaler or MaxAbsScaler",
                ConvergenceWarning,
            )
        return found["weights"]

    def _line(self, what, done, total):
        print(f"[{type(self).__name__}] {what}: {done} of {total}", flush=True)


class LinearSVC(Machine, LinearClassifierMixin, SparseCoefMixin, BaseEstimator):
    """Linear support vector classification in O(N), like ``sklearn.svm.LinearSVC``.

    It minimises |w|^2 / 2 + C sum_i loss(y_i (x_i'w + b)), the intercept penalised as the weight of a column that holds
    ``intercept_scaling``; of more than two classes there is one such problem for each against the rest, solved side by side.
    Sparse rows stay sparse.

    Parameters
    ----------
    penalty : {"l2"}, default="l2"
        The penalty of the weights.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        What a row costs that is not on its side of the margin.
    dual : bool or "auto", default="auto"
        True: the dual problem by coordinates. False: the primal problem by Newton's method, for the squared loss, on all
        cores. "auto": the primal where the loss allows it and there are no fewer rows than columns.
    tol : float, default=0.0001
        Of the dual problem, the greatest slope of the objective less the least; of the primal problem, the length of the
        gradient as a share of that at zero, times the share of the rarer class. The relative duality gap is held against it too.
    C : float, default=1.0
        Cost of a row's loss.
    multi_class : {"ovr"}, default="ovr"
        One problem for each class against the rest.
    fit_intercept : bool, default=True
        Whether to add an intercept.
    intercept_scaling : float, default=1
        Value of the column whose weight is the intercept; the larger, the less the intercept is penalised.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for rows of each class; of more than two classes where the class stands against the rest.
    verbose : int, default=0
        Whether to print how the fit goes on.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which rows are taken; None is 0.
    max_iter : int, default=1000
        The most passes over the rows, or Newton steps.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the columns.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_iter_ : int
        The most iterations of a problem.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> from mercer import LinearSVC
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LinearSVC().fit(X, y).predict(X).shape
    (150,)
    """

    _squared = {"squared_hinge": True, "hinge": False}

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: bool | str = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows and their classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 2 means that the row counts twice, 0 that it is absent.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if self.penalty != "l2":
            alternative = "sklearn.svm.LinearSVC has penalty='l1'" if self.penalty == "l1" else "it must be 'l2'"
            self._refuse("penalty", f"weights are penalised by their squares; {alternative}")
        if self.multi_class != "ovr":
            self._refuse("multi_class", "there is one problem for each class against the rest: use 'ovr'; mercer.SVC has pairs of classes")
        self._check_arguments()
        X, y = self._rows(X, y)
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise DataError(f"{type(self).__name__} needs samples of at least 2 classes, and the data holds only 1 class: {classes[0]!r}")
        factors = None
        if self.class_weight is not None:
            factors = compute_class_weight(self.class_weight, classes=classes, y=y)
        names = [str(label) for label in classes.tolist()]
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            absent = np.flatnonzero(np.bincount(codes, weights=sample_weight, minlength=len(classes)) == 0)
            if len(absent):
                raise DataError(f"class '{names[absent[0]]}' has no row of weight above 0")
        self.coef_ = self._fit(X, codes, sample_weight, classes=names, class_weight=factors)
        self.classes_ = classes
        return self


class LinearSVR(Machine, RegressorMixin, LinearModel):
    """Linear support vector regression in O(N), like ``sklearn.svm.LinearSVR``.

    It minimises |w|^2 / 2 + C sum_i loss(y_i - x_i'w - b), the intercept penalised as the weight of a column that holds
    ``intercept_scaling``. Sparse rows stay sparse.

    Parameters
    ----------
    epsilon : float, default=0.0
        Residuals up to here cost nothing.
    tol : float, default=0.0001
        Of the dual problem, the sum of the violations of a pass as a share of that of the first; of the primal problem, the
        length of the gradient as a share of that at zero. The relative duality gap is held against it too.
    C : float, default=1.0
        Cost of a row's loss.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        What a residual costs beyond epsilon: its size, or the square of it.
    fit_intercept : bool, default=True
        Whether to add an intercept.
    intercept_scaling : float, default=1.0
        Value of the column whose weight is the intercept; the larger, the less the intercept is penalised.
    dual : bool or "auto", default="auto"
        True: the dual problem by coordinates. False: the primal problem by Newton's method, for the squared loss, on all
        cores. "auto": the primal where the loss allows it and there are no fewer rows than columns.
    verbose : int, default=0
        Whether to print how the fit goes on.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which rows are taken; None is 0.
    max_iter : int, default=1000
        The most passes over the rows, or Newton steps.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the columns.
    intercept_ : ndarray of shape (1,)
        The intercept.
    n_iter_ : int
        Iterations.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> from mercer import LinearSVR
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> LinearSVR(C=10.0).fit(X, y).predict(X).shape
    (442,)
    """

    _squared = {"epsilon_insensitive": False, "squared_epsilon_insensitive": True}

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: bool | str = "auto",
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows and their targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 2 means that the row counts twice, 0 that it is absent.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_arguments()
        if not isinstance(self.epsilon, Real) or not 0 <= self.epsilon < np.inf:
            self._refuse("epsilon", "it must be a finite number, 0 or above")
        X, y = self._rows(X, y, y_numeric=True)
        self.coef_ = self._fit(X, np.asarray(y, dtype=np.float64), sample_weight, tube=float(self.epsilon)).ravel()
        return self
