"""Densities beside scikit-learn's and scipy's, bandwidths that follow the scale, supports."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")

from scipy.special import gamma
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity as Theirs

import mercer

RULES = ["auto", "normal_reference", "silverman", "scott", "sheather_jones", "isj", "cross_validation", "least_squares"]


def rows(n, dim, seed=0):
    return np.random.default_rng(seed).standard_normal((n, dim))


@pytest.mark.parametrize("kernel", ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_every_kernel_integrates_to_one(kernel, dim):
    radius = np.linspace(0, 60, 600_001)
    places = np.zeros((len(radius), dim))
    places[:, 0] = radius
    density = np.exp(mercer.KernelDensity(bandwidth=1.0, kernel=kernel).fit(np.zeros((1, dim))).score_samples(places))
    sphere = 2 * np.pi ** (dim / 2) / gamma(dim / 2)
    assert np.trapezoid(density * sphere * radius ** (dim - 1), radius) == pytest.approx(1, abs=5e-4)


@pytest.mark.parametrize("kernel", ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_densities_are_those_of_scikit_learn(kernel, dim):
    if (kernel, dim) == ("cosine", 2):
        pytest.skip("scikit-learn's integrates to .363 there; ours is held against its integral above")
    x, q = rows(500, dim), rows(50, dim, 1)
    weight = np.random.default_rng(2).uniform(0.5, 3, 500)
    ours = mercer.KernelDensity(bandwidth=0.7, kernel=kernel).fit(x, sample_weight=weight)
    theirs = Theirs(bandwidth=0.7, kernel=kernel, rtol=1e-12, atol=0).fit(x, sample_weight=weight)
    np.testing.assert_allclose(np.exp(ours.score_samples(q)), np.exp(theirs.score_samples(q)), rtol=1e-7, atol=1e-12)
    assert ours.bandwidth_ == theirs.bandwidth_ == 0.7


@pytest.mark.parametrize("rule", RULES)
def test_a_bandwidth_by_a_rule_follows_the_scale_and_not_the_place(rule):
    x = rows(200, 1)
    h = mercer.KernelDensity(bandwidth=rule).fit(x).bandwidth_
    for c, b in [(1000.0, 0.0), (1e-3, 0.0), (1.0, 50.0), (-2.0, 0.0)]:
        assert mercer.KernelDensity(bandwidth=rule).fit(c * x + b).bandwidth_ == pytest.approx(abs(c) * h, rel=1e-5)


def test_a_matrix_gives_the_densities_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    x, q = rows(300, 2) @ np.array([[1.0, 0.8], [0.0, 0.5]]), rows(20, 2, 1)
    theirs = stats.gaussian_kde(x.T, bw_method="scott")
    np.testing.assert_allclose(np.exp(mercer.KernelDensity(bandwidth="scott", covariance=True).fit(x).score_samples(q)), theirs(q.T), rtol=1e-10)
    np.testing.assert_allclose(np.exp(mercer.KernelDensity(bandwidth=theirs.covariance).fit(x).score_samples(q)), theirs(q.T), rtol=1e-10)


def test_what_is_drawn_stays_inside_of_the_support():
    x = np.abs(rows(300, 1))
    density = mercer.KernelDensity(bandwidth="auto", support=(0, None)).fit(x)
    drawn = density.sample(2000, random_state=3)
    assert drawn.min() >= 0 and (drawn == density.sample(2000, random_state=3)).all()
    grid = np.linspace(0, 8, 4001)[:, None]
    assert np.trapezoid(np.exp(density.score_samples(grid)), grid[:, 0]) == pytest.approx(1, abs=1e-4)
    assert density.score_samples([[-0.1]])[0] == -np.inf
    assert density.density_.cumulative([0.0, 100.0]).tolist() == [0.0, 1.0]


def test_a_pickled_density_gives_the_same_bits_and_a_search_takes_it():
    x, q = rows(100, 2), rows(10, 2, 1)
    density = mercer.KernelDensity(kernel="biweight", bandwidth=[1.0, 2.0]).fit(x)
    assert (pickle.loads(pickle.dumps(density)).score_samples(q) == density.score_samples(q)).all()
    search = GridSearchCV(mercer.KernelDensity(), {"bandwidth": [0.05, 0.5, 5.0]}).fit(x)
    assert search.best_params_ == {"bandwidth": 0.5}


def test_widths_of_rows_are_those_of_abramson():
    x = rows(80, 2) ** 3
    plain, own = mercer.KernelDensity(bandwidth=0.7).fit(x), mercer.KernelDensity(bandwidth=0.7, adaptive=True).fit(x)
    logs = plain.score_samples(x)
    widths = np.exp(0.5 * (logs.mean() - logs))
    np.testing.assert_allclose(own.density_.widths_of_rows, widths, rtol=1e-10)
    h = 0.7 * widths
    apart = ((x[:, None] - x[None]) ** 2).sum(2)
    direct = (np.exp(-0.5 * apart / h**2) / (2 * np.pi * h**2)).mean(1)
    np.testing.assert_allclose(np.exp(own.score_samples(x)), direct, rtol=1e-10)
    assert (pickle.loads(pickle.dumps(own)).score_samples(x) == own.score_samples(x)).all()


def test_many_places_in_the_plane_have_the_density_of_each():
    # All in one cell, ties, rows far from all others, and weights from tiny to huge: sums by cells against sums by the definition.
    random = np.random.default_rng(5)
    for x, w in [
        (0.1 * random.random((2000, 2)), None),
        (np.repeat(random.normal(size=(40, 2)), 50, axis=0), None),
        (np.vstack([random.normal(size=(1999, 2)), [[1e7, -1e7]]]), None),
        (random.normal(size=(2000, 2)) * [1, 1e-3], 10.0 ** random.uniform(-8, 8, 2000)),
        (np.column_stack([np.arange(2000.0), np.zeros(2000)]), None),
        (1e9 + random.normal(size=(2000, 2)), None),
    ]:
        q = np.vstack([x, x[:1000] + 3 * random.normal(size=(1000, 2)), x[:3] + 30])
        density = mercer.KernelDensity(bandwidth=0.5).fit(x, sample_weight=w)
        counts = np.ones(len(x)) if w is None else w
        z = (q[::7, None] - x[None]) / 0.5
        terms = np.log(counts / counts.sum()) - 0.5 * (z**2).sum(2) - np.log(2 * np.pi * 0.25)
        most = terms.max(axis=1)
        direct = most + np.log(np.exp(terms - most[:, None]).sum(1))
        np.testing.assert_allclose(density.score_samples(q)[::7], direct, rtol=1e-11, atol=3e-12)


def test_bandwidths_that_make_no_density_are_named():
    x = rows(20, 2)
    for bandwidth, words in [(0.0, "above 0"), (np.inf, "above 0"), ("scot", "did you mean 'scott'"), ("isj", "one column"), ([1.0], "expected 2")]:
        with pytest.raises(ValueError, match=words):
            mercer.KernelDensity(bandwidth=bandwidth).fit(x)
    with pytest.raises(ValueError, match="all 3"):
        mercer.KernelDensity(bandwidth="auto").fit(np.full((5, 1), 3.0))
