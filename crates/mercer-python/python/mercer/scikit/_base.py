"""What every estimator of scikit-learn's form shares: inputs and targets in, a fitted model of the library behind it."""

from __future__ import annotations

import os
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, column_or_1d, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .._native import Learner
from ..errors import DataError, ExpressionError
from ..kernels import _text
from ._given import Given, GivenModel
from ._kernels import similarity
from ._names import PAIRS
from ._rows import are_numbers, names_of, row_count
from ._warn import warn

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self


class KernelEstimator(BaseEstimator):
    """An estimator of the library.

    `_name` is its name there, `_spelt` says which argument sets which of its parameters, `_fixed` what the others are.
    `_poor` says that predictions do not depend on the rows.
    """

    _name = ""
    _spelt = {}
    _fixed = {}
    _poor = False
    _allow_nan = False

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        given = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.pairwise = given
        tags.input_tags.sparse = not given
        tags.input_tags.allow_nan = self._allow_nan
        return tags

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_")

    def _estimator_name(self):
        return self._name

    def _settings(self):
        """Parameters of the library's estimator with their values."""
        return {**self._fixed, **{ours: getattr(self, theirs) for ours, theirs in self._spelt.items()}}

    def _expression(self):
        """The estimator as an expression. A fault is told of the argument that it came by."""
        settings = self._settings()
        try:
            return self._written(settings)
        except (ExpressionError, TypeError, ValueError):
            for ours, value in settings.items():
                try:
                    self._written({ours: value})
                except (ExpressionError, TypeError, ValueError) as error:
                    argument = self._spelt.get(ours, ours)
                    why = str(error).splitlines()[0].rpartition(": ")[2]
                    raise ExpressionError(f"{type(self).__name__}: {argument}={value!r}: {why}") from None
            raise

    def _written(self, settings):
        """An expression of the estimator with these parameters, read once."""
        text = f"{self._name}({', '.join(f'{ours}={_text(value)}' for ours, value in settings.items())})"
        Learner(text)
        return text

    def _similarity(self, X):
        """A Kernel, or values that are given."""
        return similarity(self, X)

    def _function(self, kernel):
        """A function of two batches from a function of the user."""
        return kernel

    def _threads(self):
        """Threads to use: n_jobs, or all cores but no more than OMP_NUM_THREADS, which joblib sets in its workers; 0 is all."""
        jobs = self.n_jobs
        if jobs is None:
            allowed = os.environ.get("OMP_NUM_THREADS", "")
            return int(allowed) if allowed.isdigit() else 0
        if not isinstance(jobs, Integral) or jobs == 0:
            raise ExpressionError(f"n_jobs={jobs!r}: expected a number of threads, or None or -1 for all cores")
        return int(jobs) if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)

    def _seed(self):
        state = getattr(self, "random_state", None)
        return 0 if state is None else int(check_random_state(state).randint(np.iinfo(np.int32).max))

    def _checked(self, X, y=None, *, fitting=False):
        """Rows (and targets) as the library takes them; numbers by scikit-learn's own rules, columns of other things by name."""
        if fitting and y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        if fitting:
            self._numbers = are_numbers(X) or self.__sklearn_tags__().input_tags.pairwise
        if not self._numbers:
            return self._others(X, y, fitting)
        if sp.issparse(X) and self.__sklearn_tags__().input_tags.pairwise:
            raise TypeError("Sparse precomputed kernels are not supported.")
        finite = "allow-nan" if self._allow_nan else True
        rules = {"accept_sparse": "csr", "dtype": np.float64, "order": "C", "ensure_all_finite": finite, "reset": fitting}
        try:
            if fitting:
                X, y = validate_data(self, X, y, **rules, **self._target_rules())
            else:
                X = validate_data(self, X, **rules)
        except ValueError as error:
            if "Input X contains NaN" not in str(error):
                raise
            first = str(error).splitlines()[0]
            raise DataError(
                f"{first} {type(self).__name__} takes no missing values; fill them before, or take MercerClassifier or "
                "MercerRegressor, whose missing= says what is done with them"
            ) from None
        if fitting and self.__sklearn_tags__().input_tags.pairwise and X.shape[0] != X.shape[1]:
            raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
        return (X, y) if fitting else X

    def _others(self, X, y, fitting):
        """Rows with columns that are no numbers: texts, categories, anything that a kernel or a function is made for."""
        names = names_of(X)
        if fitting:
            vars(self).pop("feature_names_in_", None)
            if names is not None:
                self.feature_names_in_ = np.asarray(names, dtype=object)
            self.n_features_in_ = 1 if names is None else len(names)
            rows, targets = row_count(X), len(y)
            if rows != targets:
                raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, targets]}")
            return X, self._target(y)
        return X

    def _target(self, y):
        return np.asarray(y)

    def _target_rules(self):
        return {}

    def _columns(self, X):
        """Rows as the library's Dataset takes them: an array is one column of points unless the kernel names columns."""
        if names_of(X) is not None or getattr(X, "ndim", 1) != 2:
            return X
        if self._as_points:
            return {"x": X}
        dense = X.toarray() if sp.issparse(X) else X
        return {str(name): dense[:, j] for j, name in enumerate(self._names())}

    def _names(self):
        return getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])

    def _fit(self, X, y, weight, classes):
        """Fits on checked rows; `weight` may be None, `classes` names the codes in y. The object stays unfitted on any error."""
        try:
            model = self._model(X, y, weight, classes)
        except DataError as error:
            few = {1: "1 sample"}.get(row_count(X)) or {1: "1 class"}.get(len(classes or ()))
            if few is None:
                raise
            raise DataError(f"{error} (there is {few})") from None
        self._keep(X, y, weight, model)
        self.model_ = model
        if not model.summary["converged"]:
            warn(self._unconverged(), ConvergenceWarning)
        return self

    def _model(self, X, y, weight, classes):
        kernel = self._similarity(X)
        words = {"classes": classes, **self._limits()}
        if isinstance(kernel, Given):
            return GivenModel(self._expression(), kernel.function, X, y, weight, seed=self._seed(), **words)
        learner = self._learner(kernel)
        self._as_points = sp.issparse(X) or not self._by_column(kernel)
        rows = self._columns(X) if self._numbers or names_of(X) is not None or kernel is None else kernel.dataset(X)
        model = learner.fit(rows, y, weight, tell=False, **words)
        self._tell(model.notices)
        return model

    def _learner(self, kernel):
        return Learner(self._expression(), kernel, standardise=False, seed=self._seed(), allow_non_mercer=True)

    def _by_column(self, kernel):
        """Whether columns go to the kernel one by one, under their names."""
        return kernel.by_column

    def _limits(self):
        return {"threads": self._threads()}

    def _tell(self, notices):
        """What is worth knowing about a fit is in model_.notices; scikit-learn's classes do not warn of it."""

    def _unconverged(self):
        summary = self.model_.summary
        found = summary["certificate"] or {"name": "certificate", "value": float("nan"), "tolerance": float("nan")}
        notes = " ".join(f"{note}." for note in summary["notes"])
        return (
            f"{type(self).__name__}: the tolerance was not met: {found['name']} {found['value']:.3g}, asked for "
            f"{found['tolerance']:.3g}. {notes}".rstrip()
        )

    def _keep(self, X, y, weight, model):
        """What attributes are made of, besides the model."""
        self._learnt = (y, weight)

    def _rows_for_model(self, X):
        check_is_fitted(self)
        X = self._checked(X)
        return X if getattr(self.model_, "takes_arrays", False) else self._columns(X)

    @property
    def certificate_(self) -> dict[str, Any]:
        """The number that proves how good the fit is: its name, its value, the tolerance it was asked to meet."""
        check_is_fitted(self)
        return self.model_.summary["certificate"]

    @property
    def loo_predictions_(self) -> NDArray[Any]:
        """Predictions for each row that was learnt from by the model fitted without it, in closed form (ridge, gp, knn)."""
        check_is_fitted(self)
        found = self.model_.leave_one_out(*self._learnt, threads=self._threads())
        return self.classes_.take(found) if hasattr(self, "classes_") else found


class KernelClassifier(ClassifierMixin, KernelEstimator):
    """A classifier of the library."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._poor
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
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        return self._fit(X, codes, self._weighted(weight, y, codes), names)

    def _coded(self, y):
        """The classes of a target, the place of each label among them, and their names."""
        check_classification_targets(y)
        try:
            classes, codes = np.unique(y, return_inverse=True)
        except TypeError:
            found = ", ".join(sorted({type(label).__name__ for label in y}))
            raise DataError(f"y holds labels of several types ({found}); make them one type") from None
        return classes, codes, [str(label) for label in classes.tolist()]

    def _weighted(self, weight, y, codes):
        """Weights of rows times those of their classes."""
        by_class = getattr(self, "class_weight", None)
        if by_class is None:
            return weight
        factors = compute_class_weight(by_class, classes=self.classes_, y=y)[codes]
        return factors if weight is None else weight * factors

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

    def _scores(self, X):
        """Decision values of the library."""
        rows = self._rows_for_model(X)
        return self.model_.decision_function(rows, threads=self._threads())


def ballot(values, classes, even=True):
    """Votes for classes from decision values of their pairs, above 0 for the first; and sums of those values, pressed below a
    third so that they decide between equal votes only. A value of 0 is a vote for the first, or for the second if not `even`.
    """
    votes, sums = np.zeros((len(values), classes)), np.zeros((len(values), classes))
    for pair, (a, b) in enumerate(zip(*np.triu_indices(classes, 1))):
        first = values[:, pair] >= 0 if even else values[:, pair] > 0
        votes[:, a] += first
        votes[:, b] += ~first
        sums[:, a] += values[:, pair]
        sums[:, b] -= values[:, pair]
    return votes, sums / (3 * (np.abs(sums) + 1))


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
        values = self._scores(X)
        if len(self.classes_) == 2 or self._estimator_name() not in PAIRS:
            return values
        return np.add(*ballot(-values, len(self.classes_)))


class Probabilities:
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


class KernelRegressor(RegressorMixin, KernelEstimator):
    """A regressor of the library."""

    _multi_output = True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._multi_output
        tags.regressor_tags.poor_score = self._poor
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
        y = y.astype(np.float64)
        self._flat = y.ndim == 1
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
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
