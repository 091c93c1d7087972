"""What kernel ridge regression has besides the rest in scikit-learn."""

import sys

import numpy as np

from ._base import KernelClassifier, KernelRegressor, Scores
from ._kernels import Pairwise


class Ridge:
    """Arguments and attributes that regression and classification share."""

    def _settings(self):
        settings = super()._settings()
        if np.ndim(settings["lambda"]) == 0 and not isinstance(settings["lambda"], str) and settings["lambda"] == 0:
            # No penalty: the least one that there is leaves every bit of the diagonal as it is.
            settings["lambda"] = sys.float_info.min
        return settings

    def _function(self, kernel):
        """A function of two rows, as scikit-learn's KernelRidge takes it."""
        return Pairwise(kernel, **(self.kernel_params or {}))

    def _keep(self, X, y, weight, model):
        super()._keep(X, y, weight, model)
        self.X_fit_ = X
        coef, self.intercept_ = model.expansion
        every = np.zeros((len(y), coef.shape[1]))
        every[model.support] = coef
        self.dual_coef_ = every[:, 0] if coef.shape[1] == 1 and getattr(self, "_flat", True) else every


class RidgeRegression(Ridge, KernelRegressor):
    """Kernel ridge regression."""


class RidgeClassification(Ridge, Scores, KernelClassifier):
    """Kernel ridge regression to indicators of classes."""
