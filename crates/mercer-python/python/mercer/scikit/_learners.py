"""Any estimator with any kernel, both written as expressions: prepared, tuned and limited as by mercer.Learner."""

from __future__ import annotations

from typing import Any

from sklearn.utils.metaestimators import available_if

from .._native import Dataset, Learner, Model
from ..errors import DataError, MercerError, MercerWarning
from ._arguments import refused
from ._base import KernelClassifier, KernelRegressor, Probabilities, Scores
from ._estimator import ONLY
from ._kernels import similarity
from ._names import PROBABILITIES, SCORES
from ._rows import names_of
from ._warn import warn


class Expressions:
    """What the two classes below share. Columns keep their names, so that a kernel may speak of them."""

    _allow_nan = True

    def _estimator_name(self):
        return self._asked().get("name", "")

    def _asked(self):
        """The parameters of the estimator that is written; none where it cannot be read."""
        try:
            return Learner(self.estimator).parameters
        except (MercerError, TypeError):
            return {}

    def _expression(self):
        own = hasattr(self.estimator, "fit") and hasattr(self.estimator, "predict") and not isinstance(self.estimator, type)
        if not own and not isinstance(self.estimator, str):
            raise refused(self, "estimator", self.estimator, 'an expression such as "svc(c=auto)", or an object with fit and predict')
        return self.estimator

    def _similarity(self, X):
        return None if self.kernel is None else similarity(self, X)

    def _learner(self, kernel):
        words = {"standardise": self.standardise, "missing": self._policies(), "metric": self.metric}
        return Learner(self._expression(), kernel, seed=self._seed(), **words)

    def _policies(self):
        """What is done with missing cells, by column; one word speaks of all of them."""
        if not isinstance(self.missing, str):
            return self.missing
        return {str(name): self.missing for name in self._names()}

    def _checked(self, X, y=None, *, fitting=False):
        if fitting and self.types is not None and isinstance(X, Dataset):
            raise DataError(f"{type(self).__name__}: types={self.types!r} has no effect on a Dataset; give it where the Dataset is made: Dataset(.., types=..)")
        return super()._checked(X, y, fitting=fitting)

    def _structured(self):
        if isinstance(self.types, dict) and len(self.types) == 1:
            ((name, kind),) = self.types.items()
            return name, {"kind": kind}
        if self.kernel is not None:
            return super()._structured()
        model = self._asked().get("model")
        return ONLY, {} if model is None else {"model": model}

    def _tabled(self, X, fitting):
        return Dataset(X, types=self.types) if fitting else self._like_training(X, self._first_model())

    def _like_training(self, X, model):
        # What was declared of the training rows is declared of new ones.
        types = {name: kind for name, kind in (self.types or {}).items() if name in model.columns and name in (names_of(X) or X)}
        return Dataset(X, types=types or None, like=model)

    def _keeps_labels(self):
        return self.kernel is None or super()._keeps_labels()

    def _dataset(self, X):
        # Types are those of the training rows afterwards.
        known = hasattr(self, "model_") or self.types is None or isinstance(X, Dataset)
        return super()._dataset(X if known else Dataset(X, types=self.types))

    def _columns(self, X):
        columns = super()._columns(X)
        return self._dataset(columns) if isinstance(columns, dict) and self.types is not None else columns

    def _keep_settled(self, model):
        super()._keep_settled(model)
        self.estimator_, self.parameters_ = model.estimator, dict(model.parameters)

    def _by_column(self, kernel):
        return True

    def _limits(self):
        return {**super()._limits(), "max_memory": self.max_memory}

    def _tell(self, model):
        for notice in model._to_warn_of(every=True):
            warn(notice, MercerWarning)


def _has_scores(self):
    """Whether the estimator has decision values: one of these that are written, or an object that has them."""
    return self._estimator_name() in SCORES if isinstance(self.estimator, str) else hasattr(self.estimator, "decision_function")


def _has_probabilities(estimator):
    """Whether the estimator that is written has class probabilities, always or as it is written."""
    asked = estimator._asked()
    # A metric of probabilities turns them on.
    fitted = getattr(estimator, "parameters_", {})
    if asked.get("name") in PROBABILITIES or asked.get("probabilities") is True or fitted.get("probabilities") is True:
        return True
    if not isinstance(estimator.estimator, str):
        if hasattr(estimator.estimator, "predict_proba"):
            return True
        raise AttributeError(f"{type(estimator.estimator).__name__} has no predict_proba")
    name = asked.get("name", estimator.estimator)
    if "probabilities" in asked:
        raise AttributeError(f'{name} has class probabilities where they are asked for: MercerClassifier("{name}(probabilities=true)")')
    raise AttributeError(f"{name} has no class probabilities; these have: {', '.join(PROBABILITIES)}, svc(probabilities=true), ridge(probabilities=true)")


class MercerClassifier(Expressions, KernelClassifier):
    """Any classifier of the library with any kernel.

    Parameters
    ----------
    estimator : str or object
        An expression such as "svc(c=auto)"; what is auto or a range 0.1..10 is tuned. Where that is by leave-one-out (ridge)
        or by evidence (gp), equal rows are looked at once: a row of weight 2 is not two rows there. Or an object of one's own or
        of scikit-learn, fitted as `mercer.Learner` fits it.
    kernel : str, mercer.Kernel, callable or None, default=None
        An expression such as "rbf + on(city, equal)", "precomputed", or a function of two arrays; None: made from the
        types of the columns.
    standardise : bool, default=True
        Whether numbers are standardised (mean 0, standard deviation 1) first.
    missing : dict or str, default=None
        What is done with missing cells, by column or for all: "median+flag" (numbers, where nothing is said),
        "interpolate" (series, where nothing is said), "forward" or "skip" (series), "drop" or "error".
    types : dict, default=None
        What columns hold where their cells do not say so, {"id": "number", "b": "ignore"}: "number", "category", "text",
        "sequence", "tree", "set", "graph", "series", "date", "flag", "ordinal" or "ignore". Of rows without names, such as a list of series, the
        one type is theirs: {"x": "series"}.
    metric : str, default=None
        What cross-validation tunes by, such as "auc", "f1" or "mae"; None: accuracy for classes, rmse for numbers. One that is
        computed from class probabilities, such as "log_loss", turns them on.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float, default=None
        Searches and solvers then stop with their best so far.
    max_memory : int or str, default=None
        Bytes, or a size such as "4GB".
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    estimator_ : str
        The estimator with the numbers that were found.
    parameters_ : dict
        These numbers by their names.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found, on prepared columns; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import mercer
    >>> from mercer import MercerClassifier
    >>> data, species = mercer.example("iris")
    >>> MercerClassifier("svc(c=1)", "rbf").fit(data, species).predict(data).shape
    (150,)
    """

    decision_function = available_if(_has_scores)(Scores.decision_function)
    predict_proba = available_if(_has_probabilities)(Probabilities.predict_proba)
    predict_log_proba = available_if(_has_probabilities)(Probabilities.predict_log_proba)

    def __init__(
        self,
        estimator: Any = "svc",
        kernel: Any = None,
        *,
        standardise: bool = True,
        missing: dict[str, str] | str | None = None,
        types: dict[str, str] | None = None,
        metric: str | None = None,
        class_weight: Any = None,
        random_state: Any = None,
        max_seconds: float | None = None,
        max_memory: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.kernel = kernel
        self.standardise = standardise
        self.missing = missing
        self.types = types
        self.metric = metric
        self.class_weight = class_weight
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.max_memory = max_memory
        self.n_jobs = n_jobs


class MercerRegressor(Expressions, KernelRegressor):
    """Any regressor of the library with any kernel.

    Parameters
    ----------
    estimator : str or object
        An expression such as "svc(c=auto)"; what is auto or a range 0.1..10 is tuned. Where that is by leave-one-out (ridge)
        or by evidence (gp), equal rows are looked at once: a row of weight 2 is not two rows there. Or an object of one's own or
        of scikit-learn, fitted as `mercer.Learner` fits it.
    kernel : str, mercer.Kernel, callable or None, default=None
        An expression such as "rbf + on(city, equal)", "precomputed", or a function of two arrays; None: made from the
        types of the columns.
    standardise : bool, default=True
        Whether numbers are standardised (mean 0, standard deviation 1) first.
    missing : dict or str, default=None
        What is done with missing cells, by column or for all: "median+flag" (numbers, where nothing is said),
        "interpolate" (series, where nothing is said), "forward" or "skip" (series), "drop" or "error".
    types : dict, default=None
        What columns hold where their cells do not say so, {"id": "number", "b": "ignore"}: "number", "category", "text",
        "sequence", "tree", "set", "graph", "series", "date", "flag", "ordinal" or "ignore". Of rows without names, such as a list of series, the
        one type is theirs: {"x": "series"}.
    metric : str, default=None
        What cross-validation tunes by, such as "auc", "f1" or "mae"; None: accuracy for classes, rmse for numbers. One that is
        computed from class probabilities, such as "log_loss", turns them on.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float, default=None
        Searches and solvers then stop with their best so far.
    max_memory : int or str, default=None
        Bytes, or a size such as "4GB".
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    estimator_ : str
        The estimator with the numbers that were found.
    parameters_ : dict
        These numbers by their names.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found, on prepared columns; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

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
        estimator: Any = "ridge",
        kernel: Any = None,
        *,
        standardise: bool = True,
        missing: dict[str, str] | str | None = None,
        types: dict[str, str] | None = None,
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
        self.types = types
        self.metric = metric
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.max_memory = max_memory
        self.n_jobs = n_jobs

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows; for ``kernel="precomputed"`` their kernel values with all training rows.
        return_std : bool, default=False
            Whether the standard deviation of a new target around each prediction is returned too (gp, rvm, baseline).

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Numbers.
        y_std : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Only where ``return_std`` is true.
        """
        if not return_std:
            return super().predict(X)
        rows = self._rows_for_model(X)
        if not isinstance(self.model_, Model):
            raise DataError("standard deviations of a new target need a kernel that is an expression; GaussianProcessRegressor has them for others")
        return tuple(self._shaped(part) for part in self.model_.predict(rows, std=True, threads=self._threads()))
