"""Generative models and machines of sets in scikit-learn's form, against scikit-learn and SciPy."""

import pickle

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

import mercer
from mercer import BayesClassifier, GenerativeDensity, MultipleInstanceSVC

X, Y = load_iris(return_X_y=True)


def test_classes_of_independent_columns_are_those_of_naive_bayes():
    weight = 1.0 + np.arange(len(Y)) % 3
    ours, theirs = BayesClassifier().fit(X, Y, sample_weight=weight), GaussianNB(var_smoothing=0).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_a_density_is_that_of_the_normal_distribution_of_its_moments():
    density = GenerativeDensity("gaussian(covariance=full)").fit(X)
    expected = multivariate_normal(X.mean(axis=0), np.cov(X.T, bias=True)).logpdf(X)
    np.testing.assert_allclose(density.score_samples(X), expected, rtol=1e-8)
    assert density.score(X) == pytest.approx(expected.sum(), rel=1e-10)


def test_strings_have_classes_and_densities():
    rows = {"s": ["ACGT", "AAAC", "GGTT", "GTGT"] * 3}
    model = BayesClassifier("markov(order=1)").fit(rows, [0, 0, 1, 1] * 3)
    new = {"s": ["AACC", "GGGT"]}
    np.testing.assert_array_equal(model.predict(new), [0, 1])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(new), model.predict_proba(new))
    assert GenerativeDensity("markov").fit(rows).score_samples(new).shape == (2,)


def test_numbers_of_a_model_are_searched():
    model = BayesClassifier("gaussian_mixture(components=1..3)").fit(X, Y)
    assert "gaussian_mixture" in model.distribution_ and ".." not in model.distribution_
    assert model.score(X, Y) > 0.95


def test_a_model_that_is_none_is_refused_with_its_place():
    with pytest.raises(mercer.ExpressionError, match="did you mean 'gaussian'"):
        BayesClassifier("gausian").fit(X, Y)
    with pytest.raises(mercer.DataError, match="markov is a model of .*models of these: gaussian"):
        BayesClassifier("markov").fit(X, Y)
    graphs = {"g": ["C C | 0-1", "C O | 0-1"] * 6}
    with pytest.raises(mercer.DataError, match=r"its columns: g \(graph\); no model takes these: give one column of sequences or texts"):
        BayesClassifier("markov").fit(graphs, [0, 1] * 6)


def test_sets_are_lists_columns_and_rows_of_one_vector():
    bags = [[[0.0, 1.0], [2.0, 3.0]], [[5.0, 5.0]], [[0.0, 0.5]], [[5.0, 4.0], [0.0, 0.0]]] * 3
    classes = ["n", "p", "n", "p"] * 3
    model = MultipleInstanceSVC(C=1.0).fit(bags, classes)
    np.testing.assert_array_equal(model.predict(bags), classes)
    column = MultipleInstanceSVC(C=1.0).fit({"bag": bags}, classes)
    np.testing.assert_array_equal(column.decision_function({"bag": bags}), model.decision_function(bags))
    single = [[bag[0]] for bag in bags]
    rows = np.array([bag[0] for bag in bags])
    of_rows, of_sets = MultipleInstanceSVC(C=1.0).fit(rows, classes), MultipleInstanceSVC(C=1.0).fit(single, classes)
    np.testing.assert_allclose(of_rows.decision_function(rows), of_sets.decision_function(single), rtol=1e-9)
    named = MultipleInstanceSVC(C=1.0, positive=["n"]).fit(bags, classes)
    assert not np.allclose(named.decision_function(bags), model.decision_function(bags))
    with pytest.raises(mercer.MercerError, match="did you mean 'p'|there are: n, p|class"):
        MultipleInstanceSVC(positive=["q"]).fit(bags, classes)


def test_the_number_of_components_is_chosen_by_the_bic_of_scikit_learn():
    rng = np.random.default_rng(1)
    rows = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(40, 2)) * 0.5 + [6.0, 0.0], rng.normal(size=(50, 2)) + [0.0, 7.0]])
    density = GenerativeDensity("gaussian_mixture(components=1..5, covariance=full, prior=1, tolerance=1e-9, iterations=2000)").fit(rows)
    theirs = [GaussianMixture(k, n_init=5, tol=1e-9, max_iter=2000, reg_covar=0.0, random_state=0).fit(rows).bic(rows) for k in (1, 2, 3)]
    assert "components=3" in density.distribution_ and theirs[2] == min(theirs)
    assert -2 * density.score(rows) + 17 * np.log(len(rows)) == pytest.approx(theirs[2], rel=1e-6)


class Independent:
    """Independent normal columns."""

    def fit(self, inputs, weight):
        self.mean = np.average(inputs, axis=0, weights=weight)
        self.variance = np.average((inputs - self.mean) ** 2, axis=0, weights=weight)

    def log_density(self, inputs):
        return -0.5 * (np.log(2 * np.pi * self.variance) + (inputs - self.mean) ** 2 / self.variance).sum(axis=1)

    def score(self, inputs):
        z = inputs - self.mean
        return np.hstack([z / self.variance, 0.5 * (z**2 / self.variance - 1) / self.variance])


def test_a_model_of_ones_own_is_a_density_and_the_model_of_each_class():
    weight = 1.0 + np.arange(len(Y)) % 2
    own, listed = BayesClassifier(Independent()).fit(X, Y, sample_weight=weight), BayesClassifier().fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(own.predict_proba(X), listed.predict_proba(X), atol=1e-9)
    again = pickle.loads(pickle.dumps(own))
    np.testing.assert_array_equal(again.predict_proba(X), own.predict_proba(X))
    assert cross_val_score(own, X, Y).mean() > 0.9
    density = GenerativeDensity(Independent()).fit(X)
    np.testing.assert_allclose(density.score_samples(X), GenerativeDensity().fit(X).score_samples(X), rtol=1e-9)
    with pytest.raises(mercer.ExpressionError, match="an object with fit, log_density and score"):
        BayesClassifier(3).fit(X, Y)
    with pytest.raises(mercer.DataError, match="without score"):
        BayesClassifier(GaussianLike()).fit(X, Y)


class GaussianLike:
    """Has no score vector."""

    def fit(self, inputs, weight):
        pass

    def log_density(self, inputs):
        return np.zeros(len(inputs))
