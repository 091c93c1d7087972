"""Translation of a kernel= argument: scikit-learn's names, expressions of Mercer, functions, precomputed values."""

from inspect import signature
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.metrics.pairwise import pairwise_kernels

from .._native import Kernel
from ..errors import DataError, ExpressionError, MercerWarning
from ._arguments import is_number, require
from ._given import Given
from ._rows import matrix, names_of, other_columns
from ._warn import warn

#: Names that scikit-learn gives to kernels of numbers, as expressions of the library.
WRITTEN = {
    "linear": "linear",
    "poly": "polynomial(degree={degree!r}, gamma={gamma!r}, offset={coef0!r})",
    "polynomial": "polynomial(degree={degree!r}, gamma={gamma!r}, offset={coef0!r})",
    "rbf": "rbf(gamma={gamma!r})",
    "laplacian": "laplacian(gamma={gamma!r})",
    "sigmoid": "sigmoid(gamma={gamma!r}, offset={coef0!r})",
    "cosine": "cosine",
    "chi2": "chi_squared(gamma={gamma!r})",
}
#: Names that are computed by scikit-learn itself.
ELSEWHERE = ("additive_chi2",)


class Pairwise:
    """A kernel computed by scikit-learn's pairwise_kernels; as an object it can be pickled."""

    def __init__(self, metric, **parameters):
        self.metric = metric
        self.parameters = parameters

    def __call__(self, X, Y):
        return pairwise_kernels(X, Y, metric=self.metric, filter_params=isinstance(self.metric, str), **self.parameters)


def of_rows_or_batches(function, X, parameters):
    """A function of two batches from a function of two rows, as scikit-learn has it here, or from one of two batches: asked which."""
    if not (isinstance(X, np.ndarray) or sp.issparse(X)) or X.shape[0] == 0:
        return Batches(function, parameters) if parameters else function
    first, last = X[:1], X[-1:]
    rows = [part.toarray()[0] if sp.issparse(part) else part[0] for part in (first, last)]
    try:
        said = function(*rows, **parameters)
        if np.ndim(said) == 0:
            return Pairwise(function, **parameters)
    except Exception:  # noqa: BLE001 (of whatever sort: a function of batches need not take rows)
        pass
    two, three = (X[np.zeros(count, dtype=int)] for count in (2, 3))
    try:
        is_of_batches = np.shape(function(two, three, **parameters)) == (2, 3)
    except Exception:  # noqa: BLE001 (what a function of rows raises is raised where it is used)
        is_of_batches = False
    if not is_of_batches:
        return Pairwise(function, **parameters)
    return Batches(function, parameters) if parameters else function


class Batches:
    """A function of two batches with its keywords; as an object it can be pickled."""

    def __init__(self, function, parameters):
        self.function = function
        self.parameters = parameters

    def __call__(self, X, Y):
        return self.function(X, Y, **self.parameters)


def similarity(estimator, X):
    """The kernel of an estimator for the rows X: a Kernel, or what gives kernel values."""
    kernel = estimator._asked_kernel()
    if hasattr(estimator, "gamma"):
        check_numbers(estimator)
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return Given(estimator._function(kernel, X))
    if not isinstance(kernel, str):
        raise ExpressionError(
            f"{type(estimator).__name__}: kernel={kernel!r}: expected a name, an expression, a mercer.Kernel or a function of two arrays"
        )
    if kernel == "precomputed":
        return Given()
    if kernel in (*WRITTEN, *ELSEWHERE) and not estimator._ignores_inputs:
        numbers_only(estimator, X, f"kernel={kernel!r}")
    if hasattr(estimator, "gamma") and kernel in (*WRITTEN, *ELSEWHERE):
        found = named(kernel, matrix(X), estimator.gamma, estimator.degree, estimator.coef0)
    else:
        found = Kernel(kernel)
    if isinstance(found, Kernel):
        told(estimator, found)
    return found


def check_numbers(estimator):
    """Refuses what gamma, degree and coef0 cannot be, and warns where they are given and the kernel has its own numbers."""
    whole = estimator._whole_degree
    require(estimator, "gamma", lambda value: _is_gamma(value, estimator._gammas), '"scale", "auto" or a number of 0 or above')
    require(
        estimator,
        "degree",
        lambda value: _at_least_0(value) and (not whole or isinstance(value, Integral)),
        "a whole number from 0" if whole else "a number of 0 or above",
    )
    require(estimator, "coef0", lambda value: is_number(value) and np.isfinite(value), "a finite number")
    kernel = estimator._asked_kernel()
    if isinstance(kernel, str) and kernel in (*WRITTEN, *ELSEWHERE, "precomputed"):
        return
    given = [name for name in ("gamma", "degree", "coef0") if getattr(estimator, name) != default_of(estimator, name)]
    if given:
        what = "a function" if callable(kernel) and not isinstance(kernel, Kernel) else "an expression"
        where = "it takes its numbers by itself" if what == "a function" else 'write it there, such as "0.5*rbf(gamma=0.1)"'
        said = ", ".join(f"{name}={getattr(estimator, name)!r}" for name in given)
        warn(f"{type(estimator).__name__}: {said} changes nothing where the kernel is {what}: {where}", MercerWarning)


def default_of(estimator, argument):
    """The default of an argument. A subclass may have a constructor without it."""
    inits = (vars(cls).get("__init__") for cls in type(estimator).__mro__)
    signatures = (signature(init).parameters for init in inits if init is not None)
    return next((parameters[argument].default for parameters in signatures if argument in parameters), None)


def _is_gamma(value, words):
    return value in words if value is None or isinstance(value, str) else _at_least_0(value)


def _at_least_0(value):
    return is_number(value) and value >= 0


def numbers_only(estimator, X, what):
    """Refuses rows that hold more than numbers, for what takes numbers in scikit-learn and hence here."""
    if estimator._numbers:
        return
    first = "encode them first (OneHotEncoder)"
    found, kind, example = "the rows are str", "a kernel of strings", "normalise(spectrum(k=3))"
    if names_of(X) is not None:
        others = other_columns(X)
        if not others:
            return
        name, holds = next(iter(others.items()))
        found = f"column '{name}' holds {holds}"
        numeric = next((other for other in names_of(X) if other not in others), None)
        kind = "a kernel that says what it does with each column"
        example = f"on({name}, equal)" if numeric is None else f"on({numeric}, rbf) + on({name}, equal)"
    if "kernel" in estimator.get_params():
        advice = f'{first}, give {kind}, such as kernel="{example}", or take MercerClassifier or MercerRegressor, which encode by themselves'
    else:
        other = "MercerClassifier" if is_classifier(estimator) else "MercerRegressor"
        advice = f'{first}, or take {other}("{estimator._name}"), which encodes by itself or takes {kind}, such as kernel="{example}"'
    if names_of(X) is not None and (days := as_days(name, holds)) is not None:
        advice = f"make numbers of it first, such as days: {days}"
    raise DataError(f"{type(estimator).__name__}: {what} takes numbers, as in scikit-learn, and {found}; {advice}")


def as_days(name, holds):
    """How a column of pandas that holds dates, periods or durations becomes days; None for any other."""
    if "timedelta" in holds or holds.startswith(("Duration", "duration")):
        return f"X['{name}'] / pandas.Timedelta(days=1)"
    if holds.startswith("period"):
        return f"(X['{name}'].dt.start_time - X['{name}'].dt.start_time.min()) / pandas.Timedelta(days=1)"
    if "datetime" in holds.lower() or holds.startswith(("timestamp", "date")) or holds == "Date":
        return f"(X['{name}'] - X['{name}'].min()) / pandas.Timedelta(days=1)"
    return None


def named(name, X, gamma, degree, coef0):
    """A kernel by scikit-learn's name and parameters. What lies outside the library's domains is computed by scikit-learn."""
    plain = {"gamma": float(factor(name, X, gamma)), "degree": degree, "coef0": float(coef0)}
    try:
        return Kernel(WRITTEN[name].format(**plain))
    except (KeyError, ExpressionError):
        return Given(Pairwise("poly" if name == "polynomial" else name, **plain))


def factor(name, X, gamma):
    """gamma as a number: scale is 1 / (columns * variance), auto and None are 1 / columns (1 for chi2)."""
    if isinstance(gamma, str) and gamma == "scale":
        size = X.multiply(X).mean() - X.mean() ** 2 if hasattr(X, "multiply") else X.var()
        return 1.0 / (X.shape[1] * size) if size != 0 else 1.0
    if gamma is None or (isinstance(gamma, str) and gamma == "auto"):
        return 1.0 if name == "chi2" else 1.0 / X.shape[1]
    return gamma


def told(estimator, kernel):
    """Warns of a kernel that is no kernel of a feature space."""
    if kernel.mercer == "never":
        warn(
            f"{type(estimator).__name__}: {kernel} is not positive semi-definite ({kernel.mercer_reason}); the solution may be a "
            "local one",
            MercerWarning,
        )
