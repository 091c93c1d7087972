"""A grid search of scikit-learn's form that computes the cells of a grid together."""

from __future__ import annotations

import copy
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import model_selection
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.metrics._scorer import _Scorer
from sklearn.model_selection import ParameterGrid, check_cv

from .._native import Kernel, grid
from ._base import class_factors, times_factors
from ._checks import check_sample_weight
from ._rows import are_numbers, row_count
from ._warn import warn

if TYPE_CHECKING:
    from typing_extensions import Self


class GridSearchCV(model_selection.GridSearchCV):
    """Exhaustive search over parameter values of an estimator, like ``sklearn.model_selection.GridSearchCV``.

    It takes the same arguments and has the same attributes. Where the estimator is ``mercer.SVC`` or ``mercer.SVR`` on rows of
    numbers, all cells and folds are computed in one call: kernel values are computed once for each kernel and serve every fold,
    along the penalty each fit starts from the one before, and folds run side by side. Anything else (subclasses, pipelines, several
    metrics, a function as the scorer or as the kernel, scores of training rows, a cell that cannot be fitted) is searched by
    scikit-learn itself.

    Parameters
    ----------
    estimator : estimator object
        What is fitted: `mercer.SVC` or `mercer.SVR`, or any other estimator of scikit-learn's form.
    param_grid : dict or list of dict
        Values to try by the names of parameters.
    scoring : str, callable, list, tuple or dict, default=None
        What candidates are ranked by; None: the estimator's own score.
    n_jobs : int or None, default=None
        Threads where cells are computed together, else processes or threads of joblib: None for as many as
        joblib.parallel_config allows; -1 for all cores.
    refit : bool, str or callable, default=True
        Whether the best candidate is fitted to all rows; of several metrics the one that decides.
    cv : int, splitter or iterable, default=None
        Folds: their number, an object that splits, or pairs of row numbers (or masks) of training and test rows; None: 5.
    verbose : int, default=0
        How much is printed.
    pre_dispatch : int or str, default="2*n_jobs"
        Fits that are handed to joblib ahead; of no effect where cells are computed together.
    error_score : "raise" or float, default=numpy.nan
        The score of a fit that fails.
    return_train_score : bool, default=False
        Whether scores of training rows are computed too.

    Attributes
    ----------
    cv_results_ : dict of ndarray
        Scores and times of each candidate in each fold.
    best_estimator_ : estimator object
        The best candidate, fitted to all rows, where `refit` asks for it.
    best_score_ : float
        Its mean score.
    best_params_ : dict
        Its parameters.
    best_index_ : int
        Its place in `cv_results_`.
    scorer_ : callable or dict
        What the candidates were scored by.
    n_splits_ : int
        Number of folds.
    refit_time_ : float
        Seconds of the last fit.
    multimetric_ : bool
        Whether there were several metrics.

    Examples
    --------
    >>> from mercer import SVC, GridSearchCV
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchCV(SVC(), {"C": [0.1, 1, 10], "gamma": [0.01, 0.1, 1]}).fit(X, y)
    >>> search.best_params_
    {'C': 1, 'gamma': 0.1}
    """

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit every candidate on every fold, then the best one to all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Classes or numbers.
        **params : dict
            What goes to the estimator, such as ``sample_weight``, and to the splitter, such as ``groups``.

        Returns
        -------
        self : object
            The fitted search.
        """
        given = self.cv
        if hasattr(given, "__iter__") and not isinstance(given, str):
            # A generator gives its folds once.
            self.cv = list(given)
        try:
            return self._searched(X, y, params)
        finally:
            self.cv = given

    def _searched(self, X, y, params):
        """The search, its folds a list where they were given one by one."""
        together = Together.of(self, X, y, params)
        out = together and together.out()
        if not out:
            return super().fit(X, y, **params)
        self.scorer_, self.multimetric_, self.n_splits_ = together.scorer, False, len(together.folds)
        self.cv_results_ = self._format_results(together.candidates, self.n_splits_, out)
        self.best_index_ = self._select_best_index(self.refit, "score", self.cv_results_)
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        if not callable(self.refit):
            self.best_score_ = self.cv_results_["mean_test_score"][self.best_index_]
        if self.refit:
            self.best_estimator_ = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
            begin = time.perf_counter()
            self.best_estimator_.fit(X, y, **params)
            self.refit_time_ = time.perf_counter() - begin
            if hasattr(self.best_estimator_, "feature_names_in_"):
                self.feature_names_in_ = self.best_estimator_.feature_names_in_
        return self


class Together:
    """A search whose cells are computed in one call."""

    @classmethod
    def of(cls, search, X, y, params):
        """The work of a search, or None where it is for scikit-learn."""
        estimator, candidates = search.estimator, list(ParameterGrid(search.param_grid))
        # A subclass may fit or predict in another way.
        ours = getattr(estimator, "_in_grids", False) and type(estimator).__module__ == f"{__package__}._classes"
        able = ours and candidates and set(params) <= {"sample_weight"}
        # A function may ask the fitted estimator for anything; a scorer of scikit-learn asks it for the answers of the rows it is given.
        plain = search.scoring is None or isinstance(search.scoring, (str, _Scorer))
        if not able or not plain or search.return_train_score or search.verbose > 1:
            return None
        if not are_numbers(X, labels=True) or y is None or estimator._lone_column(X, True) is not None:
            return None
        known = set(estimator.get_params(deep=False)) - {"kernel"}
        if not all(set(c) - {"kernel"} <= known for c in candidates):
            return None
        weight = params.get("sample_weight")
        if weight is not None:
            weight = check_sample_weight(weight, X)
            if not (weight > 0).all():
                return None
        try:
            return cls(search, candidates, X, y, weight)
        except (TypeError, ValueError):
            # Rows that are refused: in the words of the search that takes anything.
            return None

    def __init__(self, search, candidates, X, y, weight):
        self.search, self.candidates, self.weight = search, candidates, weight
        self.scorer = check_scoring(search.estimator, search.scoring)
        classifies = is_classifier(search.estimator)
        folds = check_cv(search.cv, y, classifier=classifies).split(X, y)
        self.folds = [(_places(train), _places(test)) for train, test in folds]
        self.base = clone(search.estimator)
        self.base.n_jobs = search.n_jobs if search.n_jobs is not None else search.estimator.n_jobs
        self.X, self.y = self.base._checked(X, y, fitting=True)
        # The rows of a fold are asked for without their names.
        vars(self.base).pop("feature_names_in_", None)
        if classifies:
            self.base.classes_, self.target, self.names = self.base._coded(self.y)
        else:
            self.target, self.names, self.base._flat = self.y.astype(np.float64), None, True

    def out(self):
        """What scikit-learn's search notes of each candidate and fold; None where a cell cannot be computed here."""
        if self.names is not None and any(len(np.unique(self.target[train])) < len(self.names) for train, _ in self.folds):
            return None
        made = [self._with(candidate) for candidate in self.candidates]
        if self.search.verbose > 0:
            print(f"Fitting {len(self.folds)} folds for each of {len(made)} candidates, totalling {len(made) * len(self.folds)} fits")
        cells = [[None] * len(self.folds) for _ in made]
        try:
            for alike in self._alike(made):
                # What depends on the training rows of a fold is settled for each.
                by_fold = any(isinstance(made[k].gamma, str) for k in alike) or isinstance(self._class_weight(made[alike[0]]), str)
                batches = [[f] for f in range(len(self.folds))] if by_fold else [list(range(len(self.folds)))]
                if not all(self._compute(made, alike, batch, cells) for batch in batches):
                    return None
        except (TypeError, ValueError):
            # A cell that cannot be fitted, or one with something left open, which each fit searches: error_score says what is done.
            return None
        missed = sum(not cell["converged"] for row in cells for cell in row)
        if missed:
            warn(f"GridSearchCV: the tolerance was not met in {missed} of {len(made) * len(self.folds)} fits", ConvergenceWarning)
        # Weights that reach the scorer too, by the rules of scikit-learn.
        routed = self.search._get_routed_params_for_fit({"sample_weight": self.weight} if self.weight is not None else {})
        weighed = "sample_weight" in routed.scorer.score
        tests = [(self.X[test], self.y[test], self.weight[test] if weighed else None) for _, test in self.folds]
        return [self._noted(e, cell, *test) for e, row in zip(made, cells) for cell, test in zip(row, tests)]

    def _with(self, candidate):
        """The estimator with the parameters of a candidate."""
        made = copy.copy(self.base)
        for name, value in candidate.items():
            setattr(made, name, value)
        return made

    @staticmethod
    def _class_weight(made):
        return getattr(made, "class_weight", None)

    def _alike(self, made):
        """Places of the candidates that have one class weight."""
        groups = {}
        for k, e in enumerate(made):
            groups.setdefault(repr(self._class_weight(e)), []).append(k)
        return groups.values()

    def _weights(self, class_weight, train):
        """Weights of all rows, those of the classes taken from training rows."""
        if class_weight is None:
            return self.weight
        weight = None if self.weight is None else self.weight[train]
        factors = class_factors(class_weight, self.base.classes_, self.y[train], weight)
        if not (factors > 0).all():
            raise ValueError("a class without weight is absent")
        return times_factors(self.weight, factors, self.target)

    def _compute(self, made, places, batch, cells):
        """Computes the cells of some candidates and folds; whether each could be."""
        train = self.folds[batch[0]][0]
        learnt = self.X[train]
        strips = {}
        for k in places:
            e = made[k]
            e._check_arguments()
            kernel = e._similarity(learnt)
            if not isinstance(kernel, Kernel) or kernel.by_column:
                return False
            strips.setdefault(str(kernel), (kernel, []))[1].append((_penalty(e), e._expression(), k))
        chains = [(kernel, sorted(chain)) for kernel, chain in strips.values()]
        found = grid(
            {"x": self.X},
            self.target,
            [self.folds[f] for f in batch],
            [(kernel, [text for _, text, _ in chain]) for kernel, chain in chains],
            self._weights(self._class_weight(made[places[0]]), train),
            classes=None if self.names is None else [str(name) for name in self.names],
            seed=self.base._seed(),
            scores=True,
            probabilities=any(made[k]._settings().get("probabilities") is True for k in places),
            threads=self.base._threads(),
        )
        for (_, chain), strip in zip(chains, found):
            for f, row in zip(batch, strip):
                for (_, _, k), cell in zip(chain, row):
                    if "error" in cell:
                        return False
                    cells[k][f] = cell
        return True

    def _noted(self, made, cell, X, y, weight):
        """Score and times of one cell."""
        begin = time.perf_counter()
        made.model_, made._calibrated = Answers(cell), cell["probabilities"] is not None
        if self.search.scoring is None and self.names is not None:
            score = float(np.average(made.predict(X) == y, weights=weight))
        else:
            score = self.scorer(made, X, y, **({} if weight is None else {"sample_weight": weight}))
        scoring = time.perf_counter() - begin
        return {"test_scores": score, "n_test_samples": row_count(X), "fit_time": cell["fitting"], "score_time": cell["predicting"] + scoring}


def _places(rows):
    """Numbers of rows out of a sequence of them or a mask."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows


def _penalty(estimator):
    """What settings of one kernel are ordered by, so that each starts from a weaker penalty."""
    value = estimator.C
    return float(value) if isinstance(value, (int, float)) else 0.0


class Answers:
    """A model that has given its answers already. It answers like a Model."""

    takes_arrays = True

    def __init__(self, cell):
        self.cell = cell
        self.sigmoids = cell["probabilities"]

    def predict(self, X, *, codes=True, threads=0):
        """Predicted numbers, or codes of classes."""
        return self.cell["values"]

    def decision_function(self, X, *, by_class=False, threads=0):
        """Decision values."""
        return self.cell["by_class" if by_class else "scores"]

    def predict_proba(self, X, *, threads=0):
        """Probabilities of the classes."""
        return self.cell["probabilities"]
