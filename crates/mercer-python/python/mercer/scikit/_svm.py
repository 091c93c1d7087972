"""What support vector machines have besides the rest in scikit-learn: coefficients, shapes of decision values, old arguments."""

from __future__ import annotations

from itertools import combinations
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import OutlierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._native import Dataset
from ._arguments import is_flag, require
from ._base import KernelClassifier, KernelRegressor, LogProbabilities, Scores, asks_for_probabilities, class_factors
from ._checks import plain_names
from ._estimator import ONLY, KernelEstimator
from ._rows import names_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

#: C=inf: a margin as hard as rounding lets it be.
HARD = 1e10
#: Ways to separate classes that have a machine for each pair.
OF_PAIRS = ("pairs", "dag")
#: Steps that no solver reaches: what max_iter=-1 asks for.
WITHOUT_END = 10**15


class Lines:
    """Prints how a fit goes on and how it ended."""

    def __init__(self, name):
        self.name = name

    def __call__(self, what, done, total):
        # The number of steps has no end that is known.
        most = f" of at most {total}" if total < WITHOUT_END else ""
        print(f"[{self.name}] {what}: {done}{most}", flush=True)

    def end(self, model):
        """The last line."""
        summary = model.summary
        found, how = summary["certificate"], "met" if summary["converged"] else "NOT met"
        print(
            f"[{self.name}] {sum(model.steps)} steps, {len(model.support)} support vectors, {found['name']} {found['value']:.2e}, "
            f"tolerance {found['tolerance']:.0e} {how}",
            flush=True,
        )


class SupportVectors:
    """Attributes that classification and regression share."""

    #: Cells of a grid may be computed together: see GridSearchCV.
    _in_grids = True
    _gammas = ("scale", "auto")
    _whole_degree = True

    def _settings(self):
        settings = super()._settings()
        if settings["max_iterations"] == -1:
            settings["max_iterations"] = WITHOUT_END
        if settings["max_iterations"] == 0:
            # As few as there can be.
            settings["max_iterations"] = 1
        if isinstance(settings.get("c"), float) and settings["c"] == np.inf:
            settings["c"] = HARD
        return settings

    def _check_arguments(self):
        super()._check_arguments()
        require(self, "shrinking", is_flag, "True or False")
        if "nu" in self._parameter_names:
            require(self, "nu", lambda value: isinstance(value, Real) and 0 < value <= 1, "a number above 0, at most 1")
        require(self, "verbose", lambda value: is_flag(value) or isinstance(value, Integral), "True or False")

    def _progress(self):
        return Lines(type(self).__name__) if self.verbose else None

    def _fit(self, X, y, weight, classes):
        self._linear = isinstance(self.kernel, str) and self.kernel == "linear"
        if weight is not None:
            # As in libsvm a row of negative weight is an absent row.
            weight = np.maximum(weight, 0.0)
            if not weight.any():
                raise ValueError("Invalid input - all samples have zero or negative weights.")
        super()._fit(X, y, weight, classes)
        if self.verbose:
            self._progress().end(self.model_)
        return self

    def _unconverged(self):
        early = "" if self.max_iter == -1 else f"Solver terminated early (max_iter={self.max_iter}).  "
        found, summary = self.model_.summary["certificate"], self.model_.summary
        if summary["violation"] <= found["tolerance"]:
            return f"{early}{type(self).__name__}: {self._translate(summary['notes'][-1])}."
        lower = "C or gamma" if "c" in self._parameter_names else "gamma"
        return (
            f"{early}Consider pre-processing your data with StandardScaler or MinMaxScaler, or lower {lower}: the {found['name']} is "
            f"{found['value']:.2g} and not {found['tolerance']:.2g}."
        )

    def _keep_rows(self, X, order):
        """Support vectors in the order of `support_`; none where X are kernel values."""
        given = isinstance(self.kernel, str) and self.kernel == "precomputed"
        indexed = isinstance(X, (np.ndarray, Dataset)) or sp.issparse(X)
        chosen = X[order] if indexed else _safe_indexing(X, order)
        self.support_vectors_ = np.empty((0, 0)) if given else chosen
        self.shape_fit_ = getattr(X, "shape", (len(order),))
        self._sparse = sp.issparse(X)

    def _told(self, matrix):
        """Coefficients as scikit-learn gives them: sparse where the rows were."""
        return sp.csr_array(matrix) if self._sparse else matrix

    @property
    def fit_status_(self) -> int:
        """0 where the fit met its tolerance, else 1."""
        check_is_fitted(self)
        return int(not self.model_.summary["converged"])

    @property
    def coef_(self) -> Any:
        """Coefficients of the columns, where the kernel is linear."""
        check_is_fitted(self)
        if not self._linear:
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._weights()
        if not sp.issparse(coef):
            coef.flags.writeable = False
        return coef

    def _weights(self):
        return self.dual_coef_ @ self.support_vectors_


class SupportVectorClassifier(SupportVectors, Scores, KernelClassifier):
    """A support vector classifier. The library's decision values are above 0 for the second class of a pair, scikit-learn's
    for more than two classes for the first."""

    def _way(self):
        """How several classes are separated."""
        return getattr(self, "multiclass", "pairs")

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        support = model.support
        classes = y[support]
        order = np.argsort(classes, kind="stable")
        coef, bias = model.expansion
        self._of_classes = len(self.classes_) > 2 and self._way() not in OF_PAIRS
        self._calibrated = self._settings()["probabilities"]
        sign = 1 if len(self.classes_) == 2 or self._of_classes else -1
        self.support_ = support[order].astype(np.int32)
        self.n_support_ = np.bincount(classes, minlength=len(self.classes_)).astype(np.int32)
        self.intercept_ = sign * bias
        self.n_iter_ = np.asarray(model.steps, dtype=np.int32)
        self.class_weight_ = np.ones(len(self.classes_)) if self.class_weight is None else self._factors
        self._keep_rows(X, self.support_)
        # Row j of those of a vector belongs to the j-th of the other classes, or to machine j where these are not of pairs.
        self._by_other = sign * coef[order].T
        self.dual_coef_ = self._told(self._by_other)

    def _weights(self):
        if len(self.classes_) == 2 or self._of_classes:
            return super()._weights()
        ends = np.concatenate([[0], np.cumsum(self.n_support_)])
        of = [slice(start, end) for start, end in zip(ends, ends[1:])]

        def part(a, j):
            return self._told(self._by_other[j : j + 1, of[a]]) @ self.support_vectors_[of[a]]

        rows = [part(a, b - 1) + part(b, a) for a, b in combinations(range(len(self.classes_)), 2)]
        return sp.vstack(rows, format="csr") if self._sparse else np.vstack(rows)

    def _weighted(self, weight, y, codes):
        if self.class_weight is not None:
            self._factors = class_factors(self.class_weight, self.classes_, y, weight)
        return super()._weighted(weight, y, codes)

    def _check_arguments(self):
        super()._check_arguments()
        require(self, "decision_function_shape", lambda value: value in ("ovr", "ovo"), "'ovr' or 'ovo'")
        require(self, "break_ties", is_flag, "True or False")
        if self.decision_function_shape == "ovo" and self._way() not in OF_PAIRS:
            raise ValueError(
                f"decision_function_shape='ovo' gives a value for each pair of classes, and multiclass={self._way()!r} has no machines of "
                "pairs; set decision_function_shape='ovr', or multiclass='pairs'"
            )
        require(self, "probability", lambda value: is_flag(value) or value == "deprecated", "True or False")

    def _fit(self, X, y, weight, classes):
        if weight is not None:
            absent = np.setdiff1d(np.arange(len(classes)), y[weight > 0])
            if 0 < absent.size < len(classes) and len(classes) - absent.size < 2:
                raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
            if 0 < absent.size < len(classes):
                raise ValueError(f"Invalid input - all samples of class {self.classes_[absent[0]]} have zero or negative weights.")
        return super()._fit(X, y, weight, classes)

    def _settings(self):
        settings = super()._settings()
        settings["probabilities"] = is_flag(self.probability) and bool(self.probability)
        return settings

    def _with_probabilities(self):
        return asks_for_probabilities(self, "probability")

    @available_if(_with_probabilities)
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Probability of each class: Platt's sigmoids of the pairs of classes, coupled (Wu, Lin and Weng 2004) and scaled by a softmax.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; ``predict`` gives the class of the greatest.
        """
        rows = self._rows_for_model(X)
        if not self._calibrated:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return self.model_.predict_proba(rows, threads=self._threads())

    predict_log_proba = available_if(_with_probabilities)(LogProbabilities.predict_log_proba)

    @property
    def probA_(self) -> NDArray[Any]:
        """Factor of the decision value in Platt's sigmoid, for each pair of classes; empty without probability=True."""
        return -self._sigmoids()[:, 0]

    @property
    def probB_(self) -> NDArray[Any]:
        """Constant of Platt's sigmoid, for each pair of classes; empty without probability=True."""
        return self._sigmoids()[:, 1]

    def _sigmoids(self):
        check_is_fitted(self)
        found = self.model_.sigmoids
        return np.empty((0, 2)) if found is None else found

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Decision values: one for two classes, else one for each class ("ovr") or pair of classes ("ovo", machines of pairs only).

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            For two classes above 0 is the second; for a pair above 0 is the first.
        """
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return self._scores(X)
        return super().decision_function(X) if self.decision_function_shape == "ovr" else -self._scores(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row as ``multiclass`` says, or the one of the greatest probability with ``probability=True``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Classes, as they were given.
        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self._calibrated or not self.break_ties or len(self.classes_) == 2 or self._way() != "pairs":
            return super().predict(X)
        return self.classes_.take(np.argmax(self._scores(X, by_class=True), axis=1))


class SupportVectorRegressor(SupportVectors, KernelRegressor):
    """A support vector regression."""

    _multi_output = False

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        coef, bias = model.expansion
        self.support_ = model.support.astype(np.int32)
        self.n_support_ = np.array([len(self.support_)], dtype=np.int32)
        self.intercept_ = bias
        self.n_iter_ = int(model.steps[0])
        self._keep_rows(X, self.support_)
        self.dual_coef_ = self._told(coef.T)


class OneClassMachine(SupportVectors, OutlierMixin, KernelEstimator):
    """A one-class support vector machine."""

    _supervised = False
    _in_grids = False

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the Gram matrix.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: 2 means that the row counts twice, 0 that it is absent.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit_without_target(X, sample_weight)

    def predict(self, X: Any) -> NDArray[Any]:
        """Whether each row is like the training rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            1 for inliers, -1 for outliers.
        """
        rows = self._rows_for_model(X)
        return self.model_.predict(rows, threads=self._threads())

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The score of each row less the offset.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            0 and above for inliers, below 0 for outliers.
        """
        rows = self._rows_for_model(X)
        return self.model_.decision_function(rows, threads=self._threads())

    def score_samples(self, X: Any) -> NDArray[Any]:
        """The score of each row: kernel values with the support vectors, weighted and summed.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            ``offset_`` and above for inliers.
        """
        return self.decision_function(X) + self.offset_

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        coef, bias = model.expansion
        self.support_ = model.support.astype(np.int32)
        self.n_support_ = np.array([len(self.support_)], dtype=np.int32)
        self.intercept_ = bias
        self.offset_ = -float(bias[0])
        self.n_iter_ = int(model.steps[0])
        self._keep_rows(X, self.support_)
        self.dual_coef_ = self._told(coef.T)


class ClassesOfSets(KernelClassifier):
    """A classifier of sets of vectors: a list of them, a column of them, or rows of numbers, each of which is a set of one vector."""

    def _by_column(self, kernel):
        return True

    def _columns(self, X):
        if names_of(X) is not None and not self._numbers:
            return self._dataset(X)
        vectors = X.toarray() if sp.issparse(X) else np.asarray(X)
        return Dataset({ONLY: [[row] for row in vectors.tolist()]}, types={ONLY: "set"})

    def _settings(self):
        return {**super()._settings(), "positive": self._class_names(self.positive)}

    def _class_names(self, labels):
        """Labels as the names of classes are written: a label that equals a class, or is its name, is that class."""
        classes = getattr(self, "classes_", np.empty(0))
        named = list(zip(classes.tolist(), map(str, plain_names(classes))))
        listed = labels.tolist() if isinstance(labels, np.ndarray) else labels
        listed = listed if isinstance(listed, (list, tuple)) else [listed]
        return [next((name for one, name in named if one == label or name == str(label)), str(label)) for label in listed]
