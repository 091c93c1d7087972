"""Kernel methods: one kernel language, one Gram engine, every estimator.

    import mercer
    data, species = mercer.example("iris")
    model = mercer.Learner("svc(c=auto)", kernel="rbf").fit(data, species)
    model.predict(data)

Kernels are written as text or made by the functions of `mercer.kernels`; `mercer.catalogue()` lists kernels and
estimators with their parameters.
"""

from . import kernels
from ._native import (
    Comparison,
    Dataset,
    Kernel,
    Learner,
    Model,
    __version__,
    catalogue,
    compare,
    example,
    examples,
    read_table,
)
from .errors import DataError, ExpressionError, MercerError, MercerWarning, ModelFileError, ResourceError

load = Model.load

__all__ = [
    "Comparison",
    "DataError",
    "Dataset",
    "ExpressionError",
    "Kernel",
    "Learner",
    "MercerError",
    "MercerWarning",
    "Model",
    "ModelFileError",
    "ResourceError",
    "__version__",
    "catalogue",
    "compare",
    "example",
    "examples",
    "kernels",
    "load",
    "read_table",
]
