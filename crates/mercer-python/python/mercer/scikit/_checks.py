"""scikit-learn's checks of rows, targets and weights, which read what stands under a mask: here a masked cell is missing."""

import numpy as np
from sklearn.utils import validation

from .._native import unmasked
from ..errors import DataError
from ._rows import numbered


def check_array(X, **rules):
    """Rows as scikit-learn checks them."""
    return validation.check_array(_timeless("X", unmasked(X)), **rules)


def validate_data(estimator, X, y="no_validation", **rules):
    """Rows, and targets where there are some, as scikit-learn checks them."""
    y = y if isinstance(y, str) and y == "no_validation" else whole("y", y)
    return validation.validate_data(estimator, _timeless("X", unmasked(X)), numbers_of(y) if rules.get("y_numeric") else y, **rules)


def check_sample_weight(weight, X, **rules):
    """Weights of rows as floats; None where there are none."""
    return None if weight is None else validation._check_sample_weight(whole("sample_weight", weight), X, dtype=np.float64, **rules)


def whole(name, values):
    """Targets or weights; those that are masked are refused, as there is nothing to put in their place."""
    masked = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else np.zeros(0, dtype=bool)
    if masked.any():
        row = int(np.argwhere(masked)[0][0])
        raise DataError(f"Input {name} is masked in {numbered('row', row)}: it cannot be missing; leave the row out")
    return np.asarray(values) if isinstance(values, np.ma.MaskedArray) else values


def numbers_of(y):
    """A target of numbers, which dates and durations are not."""
    return _timeless("y", y)


def _timeless(name, values):
    """Refuses dates and durations, which scikit-learn would take for counts of whatever unit they happen to be stored in."""
    dtype = str(getattr(values, "dtype", "")).lower()
    found = next((word for start, word in (("datetime", "dates"), ("timedelta", "durations"), ("duration", "durations"), ("date", "dates")) if dtype.startswith(start)), None)
    if found is None:
        return values
    numbers = f"({name} - {name}.min()) / numpy.timedelta64(1, 'D') makes days" if found == "dates" else f"{name} / numpy.timedelta64(1, 's') makes seconds"
    raise DataError(f"Input {name} holds {found} ({values.dtype}), expected numbers: {numbers} of an array")


def plain_names(classes):
    """The names of classes: labels that numpy writes as another type, such as dates, go by their text."""
    return (classes if classes.dtype.kind in "biufUO" else classes.astype(str)).tolist()
