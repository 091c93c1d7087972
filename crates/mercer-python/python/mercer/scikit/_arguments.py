"""What arguments may be, by the records of the library."""

from functools import lru_cache
from numbers import Real

import numpy as np

from .._native import Learner, catalogue
from ..errors import ExpressionError

#: The entry of each estimator in the catalogue of the library, and the record of each of its parameters.
ENTRIES = {entry["name"]: entry for entry in catalogue()["estimators"]}
RECORDS = {name: {record["name"]: record for record in entry["params"]} for name, entry in ENTRIES.items()}

#: What a number of a domain is called.
NUMBERS = {
    "above 0": "a number above 0",
    "above 0 and finite": "a finite number above 0",
    "0 or above": "a number of 0 or above",
    "strictly between 0 and 1": "a number strictly between 0 and 1",
}


@lru_cache(maxsize=256)
def readable(text):
    """Refuses an expression of an estimator that the library does not read."""
    Learner(text)


def expected(record):
    """What a parameter may be, in words of Python."""
    kind, number = record["kind"], NUMBERS.get(record["domain"], record["domain"])
    if kind == "flag":
        return "True or False"
    if kind == "choice":
        return "one of " + ", ".join(map(repr, record["choices"]))
    if kind == "words":
        return "a list of words"
    if kind == "term":
        return f'an expression such as "{record["default"]}", or an object with fit, log_density and score'
    if kind == "count_or_share":
        return f'{number}, or "auto"'
    if record["searched"]:
        return f'{number}, "auto" or a pair (low, high)'
    return f'{number}, or "auto"' if record["default"] == "auto" else number


def fits(record, value):
    """Whether a value is of a type that the parameter may have; its size is checked by the library."""
    kind = record["kind"]
    if kind == "flag":
        return is_flag(value)
    if kind == "choice":
        return isinstance(value, str)
    if kind == "words":
        return isinstance(value, (list, tuple)) and all(isinstance(word, str) for word in value)
    if kind == "term":
        return isinstance(value, str) or is_own_model(value)
    if kind == "count_or_share":
        return is_number(value) or value == "auto"
    if isinstance(value, str):
        return value != "auto" or record["searched"] or record["default"] == "auto"
    return is_number(value) or is_pair(value)


def is_own_model(value):
    """Whether a value is a generative model as an object of Python."""
    return hasattr(value, "fit") and hasattr(value, "log_density") and not isinstance(value, type)


def is_number(value):
    """Whether a value is one number."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def is_pair(value):
    """Whether a value is the two ends of a range."""
    return isinstance(value, tuple) and len(value) == 2 and all(is_number(end) for end in value)


def is_open(value):
    """Whether a value is left to a search."""
    return isinstance(value, tuple) or (isinstance(value, str) and (value == "auto" or ".." in value))


def refused(estimator, argument, value, may_be):
    """The refusal of the value of an argument."""
    return ExpressionError(f"{type(estimator).__name__}: {argument}={value!r}: expected {may_be}")


def require(estimator, argument, fine, may_be):
    """Refuses the value of an argument that is not fine."""
    value = getattr(estimator, argument)
    if not fine(value):
        raise refused(estimator, argument, value, may_be)


def is_flag(value):
    """Whether a value is True or False."""
    return isinstance(value, (bool, np.bool_))
