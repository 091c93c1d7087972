"""Kernels of scikit-learn's Gaussian processes as expressions of the library, with where each number stands in theta."""

from typing import NamedTuple

import numpy as np
from sklearn.gaussian_process import kernels as scikit

from .._native import Kernel
from ..kernels import _text


class Numbers(NamedTuple):
    """The numbers of an expression: their values, where each stands in theta (-1: nowhere, it is fixed), and the power p of
    number = exp(p theta)."""

    values: np.ndarray
    place: np.ndarray
    power: np.ndarray

    @property
    def free(self):
        """Which of them theta moves."""
        return self.place >= 0

    def ends(self, bounds):
        """The ends of each number by those of theta, None where it is fixed."""
        found = np.exp(self.power[:, np.newaxis] * bounds[self.place])
        return [tuple(pair) if free else None for pair, free in zip(found.tolist(), self.free)]

    def at(self, theta):
        """The numbers that theta moves."""
        return np.exp(self.power * theta[self.place])[self.free]

    def theta(self, numbers):
        """The theta of such numbers."""
        out = np.empty(self.free.sum())
        out[self.place[self.free]] = np.log(numbers) / self.power[self.free]
        return out

    def gradient(self, by_number):
        """Derivatives by theta from those by numbers."""
        out = np.empty(self.free.sum())
        out[self.place[self.free]] = (by_number * self.values * self.power)[self.free]
        return out


#: Kernels without parts: the text, the path behind each hyperparameter (in scikit-learn's order), and its power.
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


def has_compound(kernel):
    """Whether a kernel of scikit-learn is a CompoundKernel or has one among its parts: it has no single kernel matrix."""
    parts = (getattr(kernel, name, None) for name in ("k1", "k2", "kernel"))
    return isinstance(kernel, scikit.CompoundKernel) or any(has_compound(part) for part in parts if isinstance(part, scikit.Kernel))


def translated(kernel):
    """The expression of a kernel and its numbers in their order; None where the library has no such kernel."""
    for scaled in (True, False):
        found = _part(kernel, 0, scaled)
        if found is None:
            return None
        expression = Kernel(found[0])
        values = [np.atleast_1d(value) for value in expression.parameters.values()]
        # Factors that stand side by side are read as one.
        if sum(map(len, values)) == len(found[1]):
            place, power = np.array(found[1]).reshape(-1, 2).T
            return expression, Numbers(np.concatenate(values), place.astype(int), power)
    return None


def _part(kernel, start, scaled):
    """Text, the place in theta and the power of each number, and where theta goes on. With `scaled`, a constant that multiplies a
    kernel is a factor, which costs no matrix of its own."""
    if type(kernel) is scikit.Product and scaled:
        constants = [type(part) is scikit.ConstantKernel for part in (kernel.k1, kernel.k2)]
        if constants.count(True) == 1:
            parts, at = [kernel.k1, kernel.k2], constants.index(True)
            size = parts[0].n_dims
            other = _part(parts[1 - at], start + (size if at == 0 else 0), scaled)
            factor = _part(parts[at], start + (size if at == 1 else 0), scaled)
            return other and (f"{_number(parts[at].constant_value)}*({other[0]})", factor[1] + other[1], start + kernel.n_dims)
    if type(kernel) in (scikit.Sum, scikit.Product):
        first = _part(kernel.k1, start, scaled)
        second = first and _part(kernel.k2, first[2], scaled)
        if not second:
            return None
        sign = "+" if type(kernel) is scikit.Sum else "*"
        return f"({first[0]}) {sign} ({second[0]})", first[1] + second[1], second[2]
    if type(kernel) is scikit.Exponentiation:
        exponent = kernel.exponent
        inner = _part(kernel.kernel, start, scaled) if float(exponent).is_integer() and 1 <= exponent <= 64 else None
        return inner and (f"({inner[0]})^{int(exponent)}", inner[1], inner[2])
    if type(kernel) not in LEAVES:
        return None
    text, arguments = LEAVES[type(kernel)]
    values = {name: _number(value) for name, value in kernel.get_params().items() if not name.endswith("_bounds")}
    if "sigma_0" in values:
        values["sigma_0_square"] = _text(float(kernel.sigma_0) ** 2)
    text = text.format(**values)
    by_path = {}
    for name, (path, power) in arguments.items():
        hyperparameter = getattr(kernel, f"hyperparameter_{name}")
        if not hyperparameter.fixed:
            by_path[path] = [(start + k, power) for k in range(hyperparameter.n_elements)]
            start += hyperparameter.n_elements
    numbers = [by_path.get(path, [(-1, 1.0)] * np.size(value)) for path, value in Kernel(text).parameters.items()]
    return text, sum(numbers, []), start


def _number(value):
    values = np.atleast_1d(np.asarray(value, dtype=np.float64))
    return _text(values.tolist()) if values.size > 1 else _text(float(values[0]))
