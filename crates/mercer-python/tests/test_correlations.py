"""Canonical correlations of kernels, at rows and at new rows, against their eigenvalue problem written out in numpy."""

import numpy as np
import pytest

import mercer


def rbf(x, z, length):
    return np.exp(-((x[:, None] - z[None, :]) ** 2).sum(axis=2) / (2 * length**2))


def pairs(k, l, shrinkage):
    """Correlations and functions: singular vectors of (K + e I)^-1 K L (L + d I)^-1, K and L centred; f = K a with (K + e I) a = u."""
    n = len(k)
    h = np.eye(n) - 1 / n
    shrunk = [m + shrinkage * np.trace(m) * np.eye(n) for m in (h @ k @ h, h @ l @ h)]
    left = [np.linalg.solve(s, h @ m @ h) for s, m in zip(shrunk, (k, l))]
    u, values, v = np.linalg.svd(left[0] @ left[1])
    return values, [np.linalg.solve(shrunk[0], u), np.linalg.solve(shrunk[1], v.T)]


def at(values, among, a):
    """sum_i a_i (k(x, x_i) - mean_s k(x_s, x_i)) for a that sums to 0, scaled to variance 1 at the rows."""
    own = (among - among.mean(axis=0)) @ a
    return (values - among.mean(axis=0)) @ a / own.std(axis=0, ddof=1)


@pytest.mark.parametrize("shrinkage", [0.05, 0.2])
def test_functions_at_new_rows_are_those_of_the_eigenvalue_problem(rng, shrinkage):
    t = rng.uniform(-2, 2, size=45)
    a = np.column_stack([t, rng.normal(size=45)])
    b = np.column_stack([t**2 + 0.1 * rng.normal(size=45), rng.normal(size=45)])
    new_a, new_b = rng.normal(size=(9, 2)), rng.normal(size=(4, 2))
    words = {"count": 2, "shrinkage": shrinkage, "permutations": 0, "standardise": False}
    found = mercer.canonical_correlations(a, b, "rbf(length_scale=0.9)", "rbf(length_scale=1.4)", new_a=new_a, new_b=new_b, **words)
    k, l = rbf(a, a, 0.9), rbf(b, b, 1.4)
    values, (f, g) = pairs(k, l, shrinkage)
    np.testing.assert_allclose(found["correlations"], values[:2], atol=1e-6)
    f, g = f[:, :2], g[:, :2]
    rows = at(k, k, f)
    sign = np.sign(rows[np.abs(rows).argmax(axis=0), [0, 1]])
    for name, expected in [
        ("scores_a", rows),
        ("scores_b", at(l, l, g)),
        ("new_scores_a", at(rbf(new_a, a, 0.9), k, f)),
        ("new_scores_b", at(rbf(new_b, b, 1.4), l, g)),
    ]:
        np.testing.assert_allclose(found[name], sign * expected, atol=2e-4, err_msg=name)
    without = mercer.canonical_correlations(a, b, **words)
    assert without["new_scores_a"] is None and without["new_scores_b"] is None
    with pytest.raises(mercer.MercerError):
        mercer.canonical_correlations(a, b, new_a=new_a[:, :1], **words)
