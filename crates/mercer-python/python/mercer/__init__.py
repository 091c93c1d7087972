"""Kernel methods: one kernel language, one Gram engine, every estimator.

    import mercer
    data, species = mercer.example("iris")
    model = mercer.Learner("svc(c=auto)", kernel="rbf").fit(data, species)
    model.predict(data)

`from mercer import SVC` takes the place of `from sklearn.svm import SVC`, and so on: see `mercer.scikit`.

Kernels are written as text or made by the functions of `mercer.kernels`; `mercer.catalogue()` lists kernels,
generative models and estimators with their parameters.
"""

import typing as _typing
from importlib.util import find_spec as _find_spec

from . import kernels, scikit
from ._native import (
    Advice,
    Comparison,
    Dataset,
    Distribution,
    Kernel,
    Learner,
    Model,
    Partial,
    Plan,
    SvmPath,
    __version__,
    advise,
    canonical_correlations,
    catalogue,
    compare,
    example,
    examples,
    explain,
    independence_test,
    learn_on,
    load,
    plan,
    pre_images,
    read_table,
    svm_path,
    two_sample_test,
)
from .errors import DataError, ExpressionError, InternalError, MercerError, MercerWarning, ModelFileError, ResourceError
from .interchange import from_sklearn

if _typing.TYPE_CHECKING:
    from .scikit._classes import *  # noqa: F403

__all__ = [
    "Advice",
    "Comparison",
    "DataError",
    "Dataset",
    "Distribution",
    "ExpressionError",
    "InternalError",
    "Kernel",
    "Learner",
    "MercerError",
    "MercerWarning",
    "Model",
    "Partial",
    "ModelFileError",
    "Plan",
    "ResourceError",
    "SvmPath",
    "__version__",
    "advise",
    "canonical_correlations",
    "catalogue",
    "compare",
    "example",
    "examples",
    "from_sklearn",
    "independence_test",
    "kernels",
    "learn_on",
    "load",
    "plan",
    "explain",
    "pre_images",
    "read_table",
    "scikit",
    "svm_path",
    "two_sample_test",
]
if _find_spec("sklearn"):
    __all__ += scikit.__all__


# A type checker sees the names above, and would take any name for one that this function knows.
if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        if name in scikit.__all__:
            return getattr(scikit, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *scikit.__all__})
