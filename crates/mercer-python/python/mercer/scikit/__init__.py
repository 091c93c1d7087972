"""Estimators of scikit-learn's form: `from mercer import SVC` takes the place of `from sklearn.svm import SVC`.

scikit-learn is imported when the first of them is asked for, and not before.
"""

from ._names import NAMES, SEARCHES

__all__ = [*NAMES, *SEARCHES]


def __getattr__(name):
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise ImportError(f"mercer.{name} needs scikit-learn: pip install scikit-learn") from error
    from . import _classes

    return getattr(_classes, name)


def __dir__():
    return sorted([*globals(), *__all__])
