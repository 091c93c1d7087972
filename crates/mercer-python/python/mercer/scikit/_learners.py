"""Any estimator with any kernel, both written as expressions: prepared, tuned and limited as by mercer.Learner."""

import warnings

from sklearn.utils.metaestimators import available_if

from .._native import Kernel, Learner
from ..errors import MercerWarning
from ._base import KernelClassifier, KernelRegressor, Probabilities, Scores
from ._kernels import similarity


class Expressions:
    """What the two classes below share. Columns keep their names, so that a kernel may speak of them."""

    _allow_nan = True
    _by_column = True

    def _expression(self):
        return self.estimator

    def _similarity(self, X):
        return None if self.kernel is None else similarity(self, X)

    def _learner(self, kernel):
        return Learner(
            self.estimator, kernel, standardise=self.standardise, missing=self._policies(), seed=self._seed()
        )

    def _policies(self):
        """What is done with missing cells, by column; one word speaks of all of them."""
        if not isinstance(self.missing, str):
            return self.missing
        return {str(name): self.missing for name in self._names()}

    def _names(self):
        return getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])

    def _limits(self):
        return {"threads": self._threads(), "max_seconds": self.max_seconds, "max_memory": self.max_memory}

    def _tell(self, notices):
        for notice in notices:
            warnings.warn(notice, MercerWarning, stacklevel=4)


def _has(word):
    """Whether the estimator that was written has decision values or probabilities; asked of the library once it is fitted."""

    def has(self):
        if not hasattr(self, "model_"):
            return True
        return self.estimator.split("(")[0].strip() in word

    return has


class MercerClassifier(Expressions, KernelClassifier):
    """Any classifier of the library with any kernel."""

    def __init__(
        self,
        estimator="svc",
        kernel=None,
        *,
        standardise=True,
        missing=None,
        random_state=None,
        max_seconds=None,
        max_memory=None,
        n_jobs=None,
    ):
        self.estimator = estimator
        self.kernel = kernel
        self.standardise = standardise
        self.missing = missing
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.max_memory = max_memory
        self.n_jobs = n_jobs


class MercerRegressor(Expressions, KernelRegressor):
    """Any regressor of the library with any kernel."""

    def __init__(
        self,
        estimator="ridge",
        kernel=None,
        *,
        standardise=True,
        missing=None,
        random_state=None,
        max_seconds=None,
        max_memory=None,
        n_jobs=None,
    ):
        self.estimator = estimator
        self.kernel = kernel
        self.standardise = standardise
        self.missing = missing
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.max_memory = max_memory
        self.n_jobs = n_jobs
