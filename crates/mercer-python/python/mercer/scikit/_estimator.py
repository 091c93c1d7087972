"""What every estimator of scikit-learn's form shares: rows in, a fitted model of the library behind it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._native import Dataset, Kernel, Learner, Model, check_labels, lone_kinds, unmasked
from ..errors import DataError, ExpressionError, MercerError, MercerWarning
from ..kernels import _own_in, _restore, _text
from ._arguments import RECORDS, expected, fits, is_open, readable, refused
from ._checks import check_array, check_sample_weight, validate_data, whole
from ._given import FunctionModel, Given, values
from ._kernels import ELSEWHERE, WRITTEN, similarity
from ._left_out import RowsLeftOut
from ._rows import (
    are_numbers,
    as_floats,
    fields,
    first_missing,
    is_plain,
    is_plain_target,
    is_tabular,
    matrix,
    measured,
    names_of,
    numbered,
    row_count,
    texts_of,
)
from ._threads import threads
from ._time import Timed
from ._warn import warn


#: The column of rows without names.
ONLY = "x"


class KernelEstimator(RowsLeftOut, Timed, BaseEstimator):
    """An estimator of the library.

    `_name` is its name there, `_parameter_names` says which argument sets which of its parameters, `_constants` what the others are.
    `_ignores_inputs` says that predictions do not depend on the rows. `_settled` names the attributes of values that were searched
    where they are not called after their arguments. `_expensive_attributes` are attributes that take time or memory to make: they are
    not listed, so that completion and display do not make them.
    """

    _name = ""
    _parameter_names = {}
    _constants = {}
    _ignores_inputs = False
    #: Whether a fit needs a target.
    _supervised = True
    _allow_nan = False
    _settled = {}
    _expensive_attributes = ()
    #: Whether the rows of the model are kernel values.
    _takes_values = False
    #: Words that gamma may be, and whether the degree of a polynomial is a whole number.
    _gammas = ("scale", "auto", None)
    _whole_degree = False

    def __dir__(self):
        return [name for name in object.__dir__(self) if name not in self._expensive_attributes and hasattr(self, name)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        kernel = self._asked_kernel()
        given = isinstance(kernel, str) and kernel == "precomputed"
        tags.input_tags.pairwise = given
        tags.input_tags.sparse = not given
        tags.input_tags.allow_nan = self._allow_nan
        return tags

    @classmethod
    @lru_cache(maxsize=None)  # noqa: B019 (classes live as long as the module)
    def _get_param_names(cls):
        """Names of the arguments: read from the signature once, which a search asks for several times a fit."""
        return super()._get_param_names()

    def __getstate__(self):
        # Kernels of one's own go along by where their functions stand.
        state, own = super().__getstate__(), _own_in(vars(self).get("kernel"))
        return {**state, "_own_kernels": own} if own else state

    def __setstate__(self, state):
        _restore(state.get("_own_kernels", []))
        super().__setstate__({name: value for name, value in state.items() if name != "_own_kernels"})

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_")

    def _check_arguments(self):
        """Refuses arguments without a record in the library that are out of range, and warns of those that have no effect."""
        kernel = self._asked_kernel()
        is_function = callable(kernel) and not isinstance(kernel, Kernel)
        if getattr(self, "kernel_params", None) and not is_function:
            name = type(self).__name__
            warn(f"{name}: kernel_params={self.kernel_params!r} has no effect: it holds keywords of a kernel that is a function", MercerWarning)

    def _estimator_name(self):
        return self._name

    def _settings(self):
        """Parameters of the library's estimator with their values."""
        return {**self._constants, **{ours: getattr(self, theirs) for ours, theirs in self._parameter_names.items()}}

    def _expression(self):
        """The estimator as an expression. A fault is told of the argument that it came by."""
        settings = self._settings()
        records = RECORDS[self._name]
        for ours, value in settings.items():
            if not fits(records[ours], value):
                raise self._refused_setting(ours)
        try:
            return self._written(settings)
        except ExpressionError:
            for ours, value in settings.items():
                try:
                    self._written({ours: value})
                except ExpressionError:
                    if records[ours]["kind"] == "term":
                        # A fault inside an expression is reported with its position.
                        raise
                    raise self._refused_setting(ours) from None
            raise

    def _refused_setting(self, ours):
        argument = self._parameter_names.get(ours, ours)
        return refused(self, argument, getattr(self, argument), self._may_be(ours))

    def _may_be(self, ours):
        """What a parameter of the library may be."""
        return expected(RECORDS[self._name][ours])

    def _written(self, settings):
        """An expression of the estimator with these parameters, read once."""
        text = f"{self._name}({', '.join(f'{ours}={_text(value)}' for ours, value in settings.items())})"
        readable(text)
        return text

    def _asked_kernel(self):
        """The kernel that the arguments ask for."""
        return getattr(self, "kernel", None)

    def _similarity(self, X):
        """A Kernel, or values that are given."""
        return similarity(self, X)

    def _function(self, kernel, X):
        """A function of two batches from a function of the user."""
        return kernel

    def _threads(self):
        """Threads to use; 0 is all."""
        return threads(self.n_jobs)

    def _seed(self):
        state = getattr(self, "random_state", None)
        return 0 if state is None else int(check_random_state(state).randint(np.iinfo(np.int32).max))

    def _checked(self, X, y=None, *, fitting=False):
        """Rows (and targets) as the library takes them; numbers by scikit-learn's own rules, columns of other things by name."""
        if fitting and self._supervised and y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        X, y = unmasked(fields(X)), whole("y", y)
        tags = self.__sklearn_tags__().input_tags
        lone = self._lone_column(X, fitting)
        if lone is not None:
            return self._structures(X, y, fitting, *lone)
        if is_tabular(X):
            X = self._tabled(X, fitting)
        if fitting:
            self._numbers = are_numbers(X, labels=self._keeps_labels()) or tags.pairwise
        if not self._numbers:
            return self._others(X, y, fitting)
        if isinstance(X, Dataset):
            names = None if fitting else getattr(self, "feature_names_in_", None)
            X = check_array(matrix(X, names), ensure_all_finite="allow-nan" if tags.allow_nan else True)
            if not fitting and X.shape[1] == self.n_features_in_:
                return X
        if is_plain(X) and self._fits(X, y, fitting, tags):
            return (X, y) if fitting else X
        if tags.pairwise and fitting:
            check_labels(X)
        X = as_floats(X)
        if sp.issparse(X) and tags.pairwise and not tags.sparse:
            raise TypeError("Sparse precomputed kernels are not supported.")
        finite = "allow-nan" if tags.allow_nan else True
        rules = {"accept_sparse": "csr", "dtype": np.float64, "order": "C", "ensure_all_finite": finite, "reset": fitting}
        try:
            if fitting and self._supervised:
                X, y = validate_data(self, X, y, **rules, **self._target_rules())
            else:
                X = validate_data(self, X, **rules)
        except ValueError as error:
            if "inhomogeneous shape" in str(error):
                raise self._undecided("rows are of unlike shapes") from None
            if "Found array with dim" in str(error):
                raise self._undecided(str(error)) from None
            if "Input X contains NaN" not in str(error):
                raise
            raise self._refused(*first_missing(X)) from None
        if fitting and tags.pairwise and X.shape[0] != X.shape[1]:
            raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
        return (X, y) if fitting else X

    def _lone_column(self, X, fitting):
        """Name and kind of the column that rows without names are, where they are series, sets, graphs or trees; None for others."""
        if is_plain(X) and not fitting and self._numbers:
            return None
        if isinstance(X, Dataset) or sp.issparse(X) or names_of(X) is not None or isinstance(X, str) or not hasattr(X, "__len__"):
            return None
        if fitting:
            name, takes = self._structured()
        else:
            columns = {} if self._numbers else getattr(self._first_model(), "columns", {})
            name, kind = next(iter(columns.items())) if len(columns) == 1 else (None, None)
            takes = None if kind is None else {"kind": kind}
        kinds = [] if takes is None else lone_kinds(X, **takes)
        if len(kinds) > 1:
            raise self._undecided(f"rows may be a column of {' or '.join(kinds)}")
        return (name, kinds[0]) if kinds else None

    def _structured(self):
        """The name of a column of rows without names, and the words that say of `lone_kinds` what kinds it may be; None for none."""
        kernel = self._asked_kernel()
        if isinstance(kernel, str) and kernel not in (*WRITTEN, *ELSEWHERE, "precomputed"):
            try:
                kernel = Kernel(kernel)
            except ExpressionError:
                # Its fault is reported where it is used; words for distances are no kernels.
                kernel = None
        return ONLY, {"kernel": kernel} if isinstance(kernel, Kernel) else None

    def _structures(self, X, y, fitting, name, kind):
        """Rows that are series, sets, graphs or trees as a Dataset of one column, which has no name of the user's."""
        data = Dataset({name: X}, types={name: kind})
        if fitting:
            self._numbers = False
        checked = self._others(data, y, fitting)
        if fitting:
            vars(self).pop("feature_names_in_", None)
        return checked

    def _undecided(self, why):
        """The refusal of rows of which nothing says what they are."""
        return DataError(
            f"{type(self).__name__}: {why}; rows that are series, sets, graphs or trees need a kernel or a model of these, or a Dataset that "
            'says what they are: Dataset({"x": rows}, types={"x": "series"})'
        )

    def _tabled(self, X, fitting):
        """A dict of columns or a list of records as a Dataset: its columns of numbers are measurements, as in an array, and new rows have
        the columns of the training rows."""
        return Dataset(X, types=measured(X)) if fitting or self._numbers else Dataset(X, like=self._first_model())

    def _keeps_labels(self):
        """Whether categorical columns of a frame stay labels where these are numbers. The kernels that scikit-learn knows by name, and
        functions, take them as numbers, as in scikit-learn."""
        kernel = self._asked_kernel()
        return kernel not in (*WRITTEN, *ELSEWHERE, "precomputed") if isinstance(kernel, str) else isinstance(kernel, Kernel)

    def _fits(self, X, y, fitting, tags):
        """Whether rows that are plain need no other check, which for a few of them would take longer than the rest; at a fit
        also notes their columns."""
        if not fitting:
            return X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_")
        if tags.pairwise or self._supervised and not is_plain_target(y, len(X)):
            return False
        vars(self).pop("feature_names_in_", None)
        self.n_features_in_ = X.shape[1]
        return True

    def _refused(self, row, column):
        """The refusal of a missing cell, its row counted from 0."""
        return DataError(
            f"Input X contains NaN: {numbered('row', row)}, column '{column}'. {type(self).__name__} takes no missing values; fill them before, "
            "or take MercerClassifier or MercerRegressor, whose missing= says what is done with them"
        )

    def _others(self, X, y, fitting):
        """Rows with columns that are no numbers: texts, categories, anything that a kernel or a function is made for."""
        names = names_of(X)
        if names is None and not sp.issparse(X):
            texts = texts_of(X)
            X = X if texts is None else self._whole(texts)
        if fitting:
            vars(self).pop("feature_names_in_", None)
            if names is not None:
                self.feature_names_in_ = np.asarray(names, dtype=object)
            self.n_features_in_ = 1 if names is None else len(names)
            if not self._supervised:
                return X, None
            rows, targets = row_count(X), len(y)
            if rows != targets:
                raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, targets]}")
            return X, self._target(y)
        return X

    def _whole(self, texts):
        """Texts without gaps. A missing one is refused, or an empty text where missing cells are taken."""
        gaps = np.flatnonzero(texts == None)  # noqa: E711 (cell by cell)
        if len(gaps) and not self.__sklearn_tags__().input_tags.allow_nan:
            raise DataError(
                f"Input X has no text in {numbered('row', int(gaps[0]))}: {type(self).__name__} takes no missing values; write '' for an "
                "empty text, or leave the row out"
            )
        texts[gaps] = ""
        return texts

    def _target(self, y):
        return np.asarray(y)

    def _target_rules(self):
        return {}

    def _columns(self, X):
        """Rows as the library's Dataset takes them: an array is one column of points unless the kernel names columns."""
        if names_of(X) is not None:
            return self._dataset(X)
        if getattr(X, "ndim", 1) != 2 or not self._numbers:
            return X
        if self._as_points:
            return {"x": X}
        dense = X.toarray() if sp.issparse(X) else X
        return {str(name): dense[:, j] for j, name in enumerate(self._names())}

    def _dataset(self, X):
        """A frame as a Dataset, like that of the training where there was one. A missing cell is refused as among numbers."""
        model = self._first_model()
        data = X if isinstance(X, Dataset) or model is not None else Dataset(X)
        if not self.__sklearn_tags__().input_tags.allow_nan:
            # Taken like the training rows, a missing label is one more label that training did not have.
            known = set(names_of(X) or ())
            labels = {} if model is None else {name: sort for name, sort in model.columns.items() if sort == "category" and name in known}
            whole = data if isinstance(data, Dataset) else Dataset(X, types=labels)
            for name, rows in whole.missing.items():
                if whole.columns[name] in ("number", "category"):
                    raise self._refused(rows[0], name)
        if not isinstance(data, Dataset):
            data = self._like_training(X, model)
        # What is known from training is not reported again.
        for notice in data._to_show() if model is None else model._not_yet_reported(data._to_show()):
            warn(notice, MercerWarning)
        return data

    def _like_training(self, X, model):
        """New rows as a Dataset of the columns of training."""
        return Dataset(X, like=model)

    def _first_model(self):
        """The fitted model, the first of several; None before a fit."""
        model = getattr(self, "model_", None)
        return getattr(model, "models", [model])[0]

    def _names(self):
        return getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])

    def _fit_without_target(self, X, sample_weight, **rules):
        """Fits to rows and their weights, for which there may be further rules."""
        vars(self).pop("model_", None)
        X, _ = self._checked(X, fitting=True)
        weight = check_sample_weight(sample_weight, X, **rules)
        return self._fit(X, None, weight, None)

    def _fit(self, X, y, weight, classes):
        """Fits on checked rows; `weight` may be None, `classes` names the codes in y. The object stays unfitted on any error."""
        vars(self).pop("kernel_", None)
        self._check_arguments()
        self._begin()
        try:
            model = self._model(X, y, weight, classes)
        except MercerError as error:
            told = self._translate(str(error))
            few = {1: "1 sample"}.get(row_count(X)) or {1: "1 class"}.get(len(classes or ()))
            if few is not None and isinstance(error, DataError):
                told = f"{told} (there is {few})"
            if told == str(error):
                raise
            raise type(error)(told) from None
        finally:
            vars(self).pop("_end", None)
        if self._parameter_names.keys() & {"max_iterations", "passes"}:
            self.n_iter_ = max(1, model.summary["iterations"])
        self._keep(X, y, weight, model)
        self._keep_settled(model)
        self.model_ = model
        if not model.summary["converged"]:
            warn(self._unconverged(), ConvergenceWarning)
        return self

    def _translate(self, text):
        """A message of the library with parameters called as the arguments that set them: lambda= becomes alpha=."""
        for ours, theirs in self._parameter_names.items():
            text = re.sub(rf"(?<!\w){ours}(?=[=)])", theirs, text)
        return text.replace(f"{self._name}(values=distances)", f'{type(self).__name__}(values="distances")')

    def _keep_settled(self, model):
        """Values that were left open, as attributes: `C_` after C="auto"."""
        for ours, theirs in self._parameter_names.items():
            name = self._settled.get(ours, f"{theirs}_")
            vars(self).pop(name, None)
            if is_open(getattr(self, theirs)):
                setattr(self, name, model.parameters[ours])
        known = isinstance(model, Model) and not (self._ignores_inputs or self._takes_values)
        if known and not hasattr(self, "kernel_") and "kernel" in vars(self):
            self.kernel_ = model.kernel

    def _model(self, X, y, weight, classes):
        kernel = self._similarity(X)
        words = {"classes": classes, **self._limits()}
        function, self._takes_values = getattr(kernel, "function", None), isinstance(kernel, Given)
        if self._takes_values:
            rows = X if function is None else values(function, X, X)
            learner = Learner(self._expression(), "precomputed", seed=self._seed(), allow_non_mercer=True)
        else:
            learner = self._learner(kernel)
            self._as_points = sp.issparse(X) or not self._by_column(kernel)
            rows = self._columns(X) if self._numbers or names_of(X) is not None or kernel is None else kernel.dataset(X)
        task = "regression" if classes is None and self._supervised else None
        model = learner.fit(rows, y, weight, task=task, intervals=False, tell=False, **words)
        self._tell(model)
        return model if function is None else FunctionModel(function, X, model)

    def _learner(self, kernel):
        return Learner(self._expression(), kernel, standardise=False, seed=self._seed(), allow_non_mercer=True, keep_rows=True)

    def _by_column(self, kernel):
        """Whether columns go to the kernel one by one, under their names."""
        return kernel.by_column

    def _tell(self, model):
        """Warns of what a fit changed and of what a search asks for, such as a wider range; whatever else is worth knowing about a fit is
        in model_.notices."""
        for notice in model._to_warn_of(every=False):
            warn(f"{type(self).__name__}: {self._translate(notice)}", MercerWarning)

    def _unconverged(self):
        summary = self.model_.summary
        found = summary["certificate"]
        notes = " ".join(f"{self._translate(note[:1].upper() + note[1:])}." for note in summary["notes"])
        name, steps = type(self).__name__, summary["iterations"]
        if found is None:
            return f"{name}: it ended before it converged, after {steps} iteration{'s' if steps != 1 else ''}. {notes}".rstrip()
        return f"{name}: the tolerance was not met: {found['name']} {found['value']:.3g}, asked for {found['tolerance']:.3g}. {notes}".rstrip()

    def _keep(self, X, y, weight, model):
        """What attributes are made of, besides the model."""
        self._learnt = (y, weight)

    def _training_values(self):
        """The kernel values, or the distances that were given, among the training rows, which are kept as `_fitted_rows`."""
        check_is_fitted(self)
        rows = self._fitted_rows
        if isinstance(self.model_, FunctionModel):
            return values(self.model_.function, rows, rows)
        if self._takes_values:
            return np.array(rows.toarray() if sp.issparse(rows) else rows)
        return self.model_.kernel(self._columns(rows), threads=self._threads())

    def _rows_for_model(self, X):
        check_is_fitted(self)
        X = self._checked(X)
        return X if self._takes_values or getattr(self.model_, "takes_arrays", False) else self._columns(X)

    @property
    def certificate_(self) -> dict[str, Any]:
        """The number that proves how good the fit is: its name, its value, the tolerance it was asked to meet."""
        check_is_fitted(self)
        return self.model_.summary["certificate"]
