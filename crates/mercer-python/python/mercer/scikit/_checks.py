"""scikit-learn's checks of rows, targets and weights, which read what stands under a mask: here a masked cell is missing."""

import numpy as np
from sklearn.utils import validation

from .._native import unmasked
from ..errors import DataError
from ._rows import numbered


def check_array(X, **rules):
    """Rows as scikit-learn checks them."""
    return validation.check_array(unmasked(X), **rules)


def validate_data(estimator, X, y="no_validation", **rules):
    """Rows, and targets where there are some, as scikit-learn checks them."""
    y = y if isinstance(y, str) and y == "no_validation" else whole("y", y)
    return validation.validate_data(estimator, unmasked(X), y, **rules)


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
