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


def test_a_mixture_is_looked_into_like_that_of_scikit_learn():
    rng = np.random.default_rng(2)
    rows = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(40, 2)) * 0.5 + [6.0, 0.0]])
    for form, word in (("full", "full"), ("diag", "diagonal")):
        ours = GenerativeDensity(f"gaussian_mixture(components=2, covariance={word}, prior=1, tolerance=1e-10, iterations=1000)").fit(rows)
        theirs = GaussianMixture(2, covariance_type=form, n_init=3, tol=1e-10, max_iter=1000, reg_covar=0.0, random_state=0).fit(rows)
        order = [int(np.argmin(((ours.means_ - mean) ** 2).sum(axis=1))) for mean in theirs.means_]
        np.testing.assert_allclose(ours.weights_[order], theirs.weights_, rtol=1e-5)
        np.testing.assert_allclose(ours.means_[order], theirs.means_, atol=1e-4)
        np.testing.assert_allclose(ours.covariances_[order], theirs.covariances_, atol=1e-4)
        np.testing.assert_array_equal(ours.predict(rows), np.array(order)[theirs.predict(rows)])
        np.testing.assert_allclose(ours.predict_proba(rows)[:, order], theirs.predict_proba(rows), atol=1e-4)
        assert ours.sample(5, random_state=1).shape == (5, 2)
        np.testing.assert_array_equal(ours.sample(5, random_state=1), ours.sample(5, random_state=1))
    assert not hasattr(GenerativeDensity().fit(rows), "predict") and not hasattr(GenerativeDensity(), "predict")
    with pytest.raises(AttributeError, match="its parameters are: mean_, covariance_"):
        GenerativeDensity().fit(rows).transmat_


def test_hidden_states_of_series_are_those_of_all_paths():
    rng = np.random.default_rng(3)
    path = np.repeat([0, 1, 0, 1], 40)
    rows = [[[x] for x in rng.normal(5.0 * path, 1.0)]]
    hmm = GenerativeDensity("gaussian_hmm(states=2)").fit(rows)
    (states,) = hmm.predict(rows)
    high = int(np.argmax(hmm.means_[:, 0]))
    assert np.mean((states == high) == (path == 1)) > 0.97
    short = [0.5, 4.0, 2.4, 5.5]
    means, variances = hmm.means_[:, 0], hmm.covars_[:, 0]
    density = np.exp(-0.5 * (np.subtract.outer(short, means)) ** 2 / variances) / np.sqrt(2 * np.pi * variances)
    paths = np.array(np.meshgrid(*[[0, 1]] * 4, indexing="ij")).reshape(4, -1).T
    joint = np.array([hmm.startprob_[p[0]] * np.prod(hmm.transmat_[p[:-1], p[1:]]) * np.prod(density[range(4), p]) for p in paths])
    new = [[[x] for x in short]]
    np.testing.assert_array_equal(hmm.predict(new)[0], paths[np.argmax(joint)])
    expected = np.array([[joint[paths[:, t] == q].sum() / joint.sum() for q in (0, 1)] for t in range(4)])
    np.testing.assert_allclose(hmm.predict_proba(new)[0], expected, atol=1e-12)
    np.testing.assert_allclose(hmm.score_samples(new), [np.log(joint.sum())], rtol=1e-12)
    assert np.shape(hmm.sample(2, random_state=0)[0])[0] == 160
    free = 1 + 2 + 4
    bic = free * np.log(160) - 2 * hmm.score(rows)
    (said,) = [note.split("BIC ")[1].split()[0] for note in hmm.model_.summary["notes"] if "BIC" in note]
    assert float(said) == pytest.approx(bic, rel=1e-5)


def test_models_of_classes_are_looked_into_by_class():
    model = BayesClassifier().fit(X, Y)
    theirs = GaussianNB(var_smoothing=0).fit(X, Y)
    for label, one in model.distributions_.items():
        np.testing.assert_allclose(one.mean_, theirs.theta_[label], rtol=1e-12)
        np.testing.assert_allclose(one.covariance_, theirs.var_[label], rtol=1e-9)
        assert one.prior == pytest.approx(1 / 3) and one.sample(3, seed=1).shape == (3, 4)
    # Columns of a Learner are standardised; parameters are in the units of the table all the same.
    scaled = mercer.Learner("bayes(gaussian)").fit(X, Y)
    for one, label in zip(scaled.distributions, theirs.classes_, strict=True):
        assert one.label == label and set(one.parameters) == {"mean", "covariance"}
        np.testing.assert_allclose(one.mean_, theirs.theta_[label], rtol=1e-10)
        np.testing.assert_allclose(one.covariance_, theirs.var_[label], rtol=1e-8)
    again = pickle.loads(pickle.dumps(scaled.distributions[1]))
    np.testing.assert_array_equal(again.mean_, scaled.distributions[1].mean_)
    chains = BayesClassifier("markov(order=1)").fit({"s": ["ACGT", "AAAC", "GGTT", "GTGT"] * 3}, [0, 0, 1, 1] * 3)
    assert chains.distributions_[1].axes["transmat"] == [list("ACGT"), list("ACGT")]
    assert mercer.Learner("ridge").fit(X, Y).distributions == []


def test_letters_that_no_training_row_has_are_improbable_and_told():
    rows = {"s": ["wxyz", "wxzy", "xxyz"] * 4}
    for model in ("hmm(alphabet=text)", "markov(alphabet=text)"):
        density = GenerativeDensity(model).fit(rows)
        plain, one, all_ = density.score_samples({"s": ["wxyz", "wxQz", "QQQQ"]})
        assert all_ < one < plain
        np.testing.assert_allclose(all_, 4 * np.log(density.unseen_))


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
