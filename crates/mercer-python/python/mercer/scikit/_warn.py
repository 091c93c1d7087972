"""Warnings that point at the line of the user."""

import sys
import warnings

_HERE = __name__.rpartition(".")[0]


def warn(message, category):
    """Warns of the first line outside of this package and of scikit-learn."""
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_globals.get("__name__", "").startswith((_HERE, "sklearn.")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
