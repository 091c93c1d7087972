"""Kernels of scikit-learn's Gaussian processes as expressions of the library, with where each number stands in theta."""

from typing import NamedTuple

import numpy as np
from sklearn.gaussian_process import kernels as scikit

from .._native import Kernel
from ..kernels import _text


class Place(NamedTuple):
    """Numbers of one parameter in theta: from where, how many, d number / d theta in units of the number. None: fixed."""

    start: int | None
    count: int
    slope: float


#: Kernels without parts: the text, the argument behind each hyperparameter (in scikit-learn's order), and its slope.
LEAVES = {
    scikit.ConstantKernel: ("constant(value={constant_value})", {"constant_value": ("constant.value", 1.0)}),
    scikit.WhiteKernel: ("white(value={noise_level})", {"noise_level": ("white.value", 1.0)}),
    scikit.RBF: ("rbf(length_scale={length_scale})", {"length_scale": ("rbf.length_scale", 1.0)}),
    scikit.Matern: ("matern(nu={nu}, length_scale={length_scale})", {"length_scale": ("matern.length_scale", 1.0)}),
    scikit.RationalQuadratic: (
        "rational_quadratic(alpha={alpha}, length_scale={length_scale})",
        {"alpha": ("rational_quadratic.alpha", 1.0), "length_scale": ("rational_quadratic.length_scale", 1.0)},
    ),
    scikit.ExpSineSquared: (
        "periodic(period={periodicity}, length_scale={length_scale})",
        {"length_scale": ("periodic.length_scale", 1.0), "periodicity": ("periodic.period", 1.0)},
    ),
    scikit.DotProduct: ("constant(value={sigma_0_square}) + linear", {"sigma_0": ("0.constant.value", 2.0)}),
}


def translated(kernel):
    """The expression of a kernel, and the places of its numbers in their order; None where the library has no such kernel."""
    found = _part(kernel, 0)
    return None if found is None else (Kernel(found[0]), found[1])


def _part(kernel, start):
    """Text, places, and where theta goes on."""
    if type(kernel) in (scikit.Sum, scikit.Product):
        first = _part(kernel.k1, start)
        second = first and _part(kernel.k2, first[2])
        if not second:
            return None
        sign = "+" if type(kernel) is scikit.Sum else "*"
        return f"({first[0]}) {sign} ({second[0]})", first[1] + second[1], second[2]
    if type(kernel) is scikit.Exponentiation:
        exponent = kernel.exponent
        inner = _part(kernel.kernel, start) if float(exponent).is_integer() and 1 <= exponent <= 64 else None
        return inner and (f"({inner[0]})^{int(exponent)}", inner[1], inner[2])
    if type(kernel) not in LEAVES:
        return None
    text, arguments = LEAVES[type(kernel)]
    values = {name: _number(value) for name, value in kernel.get_params().items() if not name.endswith("_bounds")}
    if "sigma_0" in values:
        values["sigma_0_square"] = _text(float(kernel.sigma_0) ** 2)
    text = text.format(**values)
    by_path = {}
    for name, (path, slope) in arguments.items():
        hyperparameter = getattr(kernel, f"hyperparameter_{name}")
        if not hyperparameter.fixed:
            by_path[path] = Place(start, hyperparameter.n_elements, slope)
            start += hyperparameter.n_elements
    places = [by_path.get(path, Place(None, np.size(value), 0.0)) for path, value in Kernel(text).parameters.items()]
    return text, places, start


def _number(value):
    values = np.atleast_1d(np.asarray(value, dtype=np.float64))
    return _text(values.tolist()) if values.size > 1 else _text(float(values[0]))


def gradient(kernel, places, by_number, size):
    """Derivatives by theta from those by the numbers of the expression, in the order of its parameters."""
    out = np.zeros(size)
    at = 0
    for place, value in zip(places, kernel.parameters.values()):
        if place.start is not None:
            numbers = np.asarray(by_number[at : at + place.count]) * np.atleast_1d(value) * place.slope
            out[place.start : place.start + place.count] += numbers
        at += place.count
    return out
