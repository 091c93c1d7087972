"""What kernel ridge regression has besides the rest in scikit-learn."""

import copy
from itertools import groupby

import numpy as np

from ..errors import ExpressionError
from ._arguments import is_open, is_pair
from ._base import AskedProbabilities, KernelClassifier, KernelRegressor, Scores
from ._kernels import of_rows_or_batches
from ._several import EachTarget


def counted(number, what):
    """A number of things."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


class Ridge:
    """Arguments and attributes that regression and classification share."""

    def _settings(self):
        if self._penalties() is not None:
            raise ExpressionError(f"{type(self).__name__}: alpha={self.alpha!r}: one number is taken here")
        return super()._settings()

    def _penalties(self):
        """A penalty for each target, where alpha says so; a pair is searched between."""
        alpha = self.alpha
        single = isinstance(alpha, str) or is_pair(alpha) or np.ndim(np.asarray(alpha, dtype=object)) == 0
        return None if single else list(alpha)

    def _function(self, kernel, X):
        return of_rows_or_batches(kernel, X, self.kernel_params or {})

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        self.X_fit_ = X
        coef, self.intercept_ = model.expansion
        every = np.zeros((len(y), coef.shape[1]))
        every[model.support] = coef
        self.dual_coef_ = every[:, 0] if coef.shape[1] == 1 and getattr(self, "_flat", True) else every


class RidgeRegression(Ridge, KernelRegressor):
    """Kernel ridge regression."""

    def _model(self, X, y, weight, classes):
        penalties = self._penalties()
        if penalties is None:
            return super()._model(X, y, weight, classes)
        targets = y.reshape(len(y), -1)
        if len(penalties) != targets.shape[1]:
            raise ExpressionError(
                f"{type(self).__name__}: alpha: found {len(penalties)} penalties for {counted(targets.shape[1], 'target')}; give one for "
                "each, or one for all"
            )
        columns = sorted(range(len(penalties)), key=lambda j: (str(penalties[j]), j))
        parts = []
        for _, group in groupby(columns, key=lambda j: str(penalties[j])):
            group = list(group)
            one = copy.copy(self)
            one.alpha = penalties[group[0]]
            parts.append((group, one._model(X, np.ascontiguousarray(targets[:, group]), weight, classes)))
            vars(self).update(_as_points=getattr(one, "_as_points", None))
        return EachTarget(parts)

    def _may_be(self, ours):
        return super()._may_be(ours) + (", or a list of such for each target" if ours == "lambda" else "")

    def _keep_settled(self, model):
        penalties = self._penalties()
        if penalties is None or len(model.models) == 1:
            one = model if penalties is None else model.models[0]
            super()._keep_settled(one)
        else:
            kernels = model.in_order("kernel")
            vars(self).pop("alpha_", None)
            if all(kernel is not None for kernel in kernels):
                self.kernel_ = kernels
        if penalties is not None and any(is_open(penalty) for penalty in penalties):
            self.alpha_ = np.array([settled["lambda"] for settled in model.in_order("parameters")])


class RidgeClassification(Ridge, Scores, AskedProbabilities, KernelClassifier):
    """Kernel ridge regression to indicators of classes."""
