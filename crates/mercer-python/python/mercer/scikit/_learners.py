"""Any estimator with any kernel, both written as expressions: prepared, tuned and limited as by mercer.Learner."""

from __future__ import annotations

from typing import Any

from sklearn.utils.metaestimators import available_if

from .._native import Learner
from ..errors import MercerError, MercerWarning
from ._base import KernelClassifier, KernelRegressor, Probabilities, Scores
from ._kernels import similarity
from ._names import PROBABILITIES, SCORES
from ._warn import warn


class Expressions:
    """What the two classes below share. Columns keep their names, so that a kernel may speak of them."""

    _allow_nan = True

    def _estimator_name(self):
        return str(self.estimator).partition("(")[0].strip()

    def _expression(self):
        return self.estimator

    def _similarity(self, X):
        return None if self.kernel is None else similarity(self, X)

    def _learner(self, kernel):
        words = {"standardise": self.standardise, "missing": self._policies(), "metric": self.metric}
        return Learner(self.estimator, kernel, seed=self._seed(), **words)

    def _policies(self):
        """What is done with missing cells, by column; one word speaks of all of them."""
        if not isinstance(self.missing, str):
            return self.missing
        return {str(name): self.missing for name in self._names()}

    def _by_column(self, kernel):
        return True

    def _limits(self):
        return {**super()._limits(), "max_seconds": self.max_seconds, "max_memory": self.max_memory}

    def _tell(self, notices):
        for notice in notices:
            warn(notice, MercerWarning)


def _is_one_of(names):
    """Whether the estimator that is written is one of these."""
    return lambda self: self._estimator_name() in names


def _has_probabilities(estimator):
    """Whether the estimator that is written has class probabilities, always or as it is written."""
    if estimator._estimator_name() in PROBABILITIES:
        return True
    try:
        return "probabilities=true" in Learner(estimator.estimator).estimator
    except MercerError:
        return False


class MercerClassifier(Expressions, KernelClassifier):
    """Any classifier of the library with any kernel.

    Parameters
    ----------
    estimator : str
        An expression such as "svc(c=auto)"; what is auto or a range 0.1..10 is tuned.
    kernel : str, mercer.Kernel, callable or None, default=None
        An expression such as "rbf + on(city, equal)", "precomputed", or a function of two arrays; None: made from the
        types of the columns.
    standardise : bool, default=True
        Whether numbers are brought to mean 0 and standard deviation 1 first.
    missing : dict or str, default=None
        What is done with missing cells, by column or for all: "median+flag" (numbers, where nothing is said), "drop" or
        "error".
    metric : str, default=None
        What cross-validation tunes by, such as "auc", "f1" or "mae"; None: accuracy for classes, rmse for numbers.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float, default=None
        Searches and solvers then stop with their best so far.
    max_memory : int or str, default=None
        Bytes, or a size such as "4GB".
    n_jobs : int or None, default=None
        Threads: None for all cores, or as many as OMP_NUM_THREADS allows, which joblib sets in its workers.

    Examples
    --------
    >>> import mercer
    >>> from mercer import MercerClassifier
    >>> data, species = mercer.example("iris")
    >>> MercerClassifier("svc(c=1)", "rbf").fit(data, species).predict(data).shape
    (150,)
    """

    decision_function = available_if(_is_one_of(SCORES))(Scores.decision_function)
    predict_proba = available_if(_has_probabilities)(Probabilities.predict_proba)

    def __init__(
        self,
        estimator: str = "svc",
        kernel: Any = None,
        *,
        standardise: bool = True,
        missing: dict[str, str] | str | None = None,
        metric: str | None = None,
        random_state: Any = None,
        max_seconds: float | None = None,
        max_memory: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.kernel = kernel
        self.standardise = standardise
        self.missing = missing
        self.metric = metric
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.max_memory = max_memory
        self.n_jobs = n_jobs


class MercerRegressor(Expressions, KernelRegressor):
    """Any regressor of the library with any kernel.

    Parameters
    ----------
    estimator : str
        An expression such as "svc(c=auto)"; what is auto or a range 0.1..10 is tuned.
    kernel : str, mercer.Kernel, callable or None, default=None
        An expression such as "rbf + on(city, equal)", "precomputed", or a function of two arrays; None: made from the
        types of the columns.
    standardise : bool, default=True
        Whether numbers are brought to mean 0 and standard deviation 1 first.
    missing : dict or str, default=None
        What is done with missing cells, by column or for all: "median+flag" (numbers, where nothing is said), "drop" or
        "error".
    metric : str, default=None
        What cross-validation tunes by, such as "auc", "f1" or "mae"; None: accuracy for classes, rmse for numbers.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float, default=None
        Searches and solvers then stop with their best so far.
    max_memory : int or str, default=None
        Bytes, or a size such as "4GB".
    n_jobs : int or None, default=None
        Threads: None for all cores, or as many as OMP_NUM_THREADS allows, which joblib sets in its workers.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import MercerRegressor
    >>> X = np.linspace(0, 6, 50).reshape(-1, 1)
    >>> MercerRegressor("ridge", "rbf").fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.99
    True
    """

    def __init__(
        self,
        estimator: str = "ridge",
        kernel: Any = None,
        *,
        standardise: bool = True,
        missing: dict[str, str] | str | None = None,
        metric: str | None = None,
        random_state: Any = None,
        max_seconds: float | None = None,
        max_memory: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.kernel = kernel
        self.standardise = standardise
        self.missing = missing
        self.metric = metric
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.max_memory = max_memory
        self.n_jobs = n_jobs
