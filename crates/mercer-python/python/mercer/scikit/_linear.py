"""Linear support vector machines: O(N) on the columns as they are, without kernel values; what they have besides the rest in scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.linear_model._base import SparseCoefMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from .._native import Learner
from ..errors import DataError
from ._arguments import is_flag, is_number, refused, require
from ._base import KernelClassifier, KernelRegressor, class_factors
from ._several import EachTarget

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Losses that have no primal solver, since they are not smooth.
NOT_SMOOTH = ("hinge", "epsilon_insensitive")
#: The problem that a value of dual= stands for.
SOLVERS = {True: "dual", False: "primal", "auto": "auto"}


class LinearMachine:
    """What classification and regression share: a kernel that is always linear, and weights of columns."""

    def _asked_kernel(self):
        return "linear"

    def _learner(self, kernel):
        return Learner(self._expression(), kernel, standardise=False, seed=self._seed())

    def _check_arguments(self):
        super()._check_arguments()
        require(self, "dual", lambda value: is_flag(value) or isinstance(value, str) and value == "auto", "True, False or 'auto'")
        if not self.dual and self.loss in NOT_SMOOTH:
            raise refused(self, "dual", self.dual, f"True or 'auto': the loss {self.loss!r} is not smooth, and has no solver of the primal problem")
        require(self, "fit_intercept", is_flag, "True or False")
        if self.fit_intercept:
            fine = "a finite number above 0; fit_intercept=False fits no intercept"
            require(self, "intercept_scaling", lambda value: is_number(value) and 0 < value < np.inf, fine)

    def _settings(self):
        settings = super()._settings()
        settings["solver"] = SOLVERS[self.dual]
        if not self.fit_intercept:
            settings["intercept_scale"] = 0.0
        return settings

    def _progress(self):
        return self._print_progress if self.verbose else None

    def _print_progress(self, what, done, total):
        print(f"[{type(self).__name__}] {what}: {done} of {total}", flush=True)

    def _fit(self, X, y, weight, classes):
        super()._fit(X, y, weight, classes)
        if self.verbose:
            print(f"[{type(self).__name__}] {self.n_iter_} iterations, objective {self.model_.summary['objective']:.6g}", flush=True)
        return self

    def _keep(self, X, y, weight, model):
        coef, bias = model.expansion
        self.coef_ = np.ascontiguousarray(coef.T)
        self.intercept_ = bias if self.fit_intercept else 0.0

    def _unconverged(self):
        summary = self.model_.summary
        gap = summary["certificate"]
        return (
            f"{type(self).__name__} failed to converge: after {self.n_iter_} iterations the violation of the optimality conditions is "
            f"{summary['violation']:.3g} and the {gap['name']} {gap['value']:.3g}, asked for {self.tol:.3g}. Increase max_iter, lower C, "
            "or scale the columns with StandardScaler or MaxAbsScaler"
        )

    def _values(self, X):
        """Weighted sums of the columns."""
        check_is_fitted(self)
        return safe_sparse_dot(self._checked(X), self.coef_.T, dense_output=True) + self.intercept_


class LinearMachineClassifier(LinearMachine, SparseCoefMixin, KernelClassifier):
    """A linear support vector classifier."""

    def _check_arguments(self):
        if self.penalty != "l2":
            alternative = "; sklearn.svm.LinearSVC has penalty='l1'" if self.penalty == "l1" else ""
            raise refused(self, "penalty", self.penalty, f"'l2': weights are penalised by their squares{alternative}")
        if self.multi_class != "ovr":
            raise refused(self, "multi_class", self.multi_class, "'ovr': there is one problem for each class against the rest; mercer.SVC has pairs of classes")
        super()._check_arguments()

    def _weighted(self, weight, y, codes):
        # The factor of a class counts where the class stands against the rest: see _model.
        return weight

    def _fit(self, X, y, weight, classes):
        if weight is not None:
            absent = np.flatnonzero(np.bincount(y, weights=weight, minlength=len(classes)) == 0)
            if len(absent):
                raise DataError(f"class '{classes[absent[0]]}' has no row of weight above 0")
        return super()._fit(X, y, weight, classes)

    def _model(self, X, y, weight, classes):
        fit = super()._model
        if self.class_weight is None:
            return fit(X, y, weight, classes)
        factors = class_factors(self.class_weight, self.classes_, self.classes_[y], weight)
        weight = np.ones(len(y)) if weight is None else weight
        if len(classes) <= 2:
            return fit(X, y, weight * factors[y], classes)
        against = [(y == k, factor) for k, factor in enumerate(factors)]
        parts = [fit(X, own.astype(np.intp), weight * np.where(own, factor, 1.0), [False, True]) for own, factor in against]
        return EachTarget([((k,), part) for k, part in enumerate(parts)])

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Decision values: one for two classes, else one for each class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Above 0 is the second of two classes; of more classes the greatest.
        """
        values = self._values(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Classes, as they were given.
        """
        values = self.decision_function(X)
        return self.classes_.take(values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(np.intp))


class LinearMachineRegressor(LinearMachine, KernelRegressor):
    """A linear support vector regression."""

    _multi_output = False

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        self.coef_ = self.coef_[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Numbers.
        """
        return self._values(X)
