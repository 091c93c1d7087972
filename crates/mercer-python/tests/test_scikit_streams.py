"""Networks with centroids, and estimators that learn row by row, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import Perceptron, Ridge
from sklearn.metrics.pairwise import rbf_kernel

import mercer


def two_moons(count, seed=0):
    random = np.random.default_rng(seed)
    angle = random.uniform(0, np.pi, count)
    side = random.integers(0, 2, count)
    x = np.c_[np.cos(angle) + side, np.sin(angle) * (1 - 2 * side) + 0.4 * side]
    return x + random.normal(scale=0.1, size=x.shape), np.array(["upper", "lower"])[side]


def test_a_network_of_numbers_is_ridge_on_the_similarities_with_its_centroids():
    X, _ = two_moons(80)
    y = np.sin(X[:, 0]) + X[:, 1]
    for centroids in ("k_medoids", "k_means", "grid"):
        network = mercer.RBFNetworkRegressor(alpha=0.3, n_centroids=9, centroids=centroids, kernel="rbf(gamma=0.7)").fit(X, y)
        assert len(network.support_) == 9
        other = Ridge(alpha=0.3).fit(rbf_kernel(X, X[network.support_], gamma=0.7), y)
        assert np.abs(network.predict(X) - other.predict(rbf_kernel(X, X[network.support_], gamma=0.7))).max() < 1e-8
    open_ = mercer.RBFNetworkRegressor(kernel="rbf(gamma=0.7)").fit(X, y)
    assert open_.alpha_ > 0 and open_.n_centroids_ == round(2 * 80**0.5)


def test_a_network_of_classes_gives_probabilities_whose_greatest_is_the_prediction():
    X, y = two_moons(120)
    network = mercer.RBFNetworkClassifier(n_centroids=12).fit(X, y)
    p = network.predict_proba(X)
    assert (network.classes_[p.argmax(axis=1)] == network.predict(X)).all()
    assert network.score(X, y) > 0.9
    sparse = mercer.L1VectorClassifier(lambda_=2.0).fit(X, y)
    assert 0 < len(sparse.support_) < 60


def test_relevance_vectors_are_rows_by_both_names_and_predictions_need_no_others():
    X, y = two_moons(120)
    values = rbf_kernel(X, gamma=0.7)
    for machine, target in ((mercer.RelevanceVectorClassifier(kernel="precomputed"), y), (mercer.RelevanceVectorRegressor(kernel="precomputed"), np.sin(X[:, 0]))):
        machine.fit(values, target)
        assert 0 < len(machine.relevance_) < 60
        assert (machine.relevance_ == machine.support_).all()
        anything = values.copy()
        anything[:, np.setdiff1d(np.arange(120), machine.relevance_)] = 1e6
        assert (machine.predict(anything) == machine.predict(values)).all()


def test_a_linear_kernel_perceptron_is_that_of_scikit_learn():
    X, y = two_moons(60, seed=3)
    ours = mercer.KernelPerceptron(kernel="linear", vector="last", order="given", max_iter=3, fit_intercept=False).fit(X, y)
    other = Perceptron(shuffle=False, max_iter=3, tol=None, fit_intercept=False).fit(X, y)
    assert np.abs(ours.decision_function(X) - other.decision_function(X)).max() < 1e-10


@pytest.mark.parametrize("vector", ["averaged", "voted", "last"])
def test_rows_that_come_in_pieces_teach_what_they_teach_at_once(vector):
    X, y = two_moons(90, seed=5)
    y = np.where(np.arange(90) % 7 == 0, "between", y)
    whole = mercer.KernelPerceptron(kernel="rbf(gamma=2)", vector=vector, order="given", max_iter=1).fit(X, y)
    pieces = mercer.KernelPerceptron(kernel="rbf(gamma=2)", vector=vector)
    for start, end in ((0, 4), (4, 40), (40, 90)):
        pieces.partial_fit(X[start:end], y[start:end], classes=["upper", "between", "lower"])
    assert (whole.classes_ == pieces.classes_).all()
    assert np.abs(whole.decision_function(X) - pieces.decision_function(X)).max() < 1e-10
    assert (whole.predict(X) == pieces.predict(X)).all()
    assert pieces.support_vectors_.shape[1] == 2


def test_numbers_follow_the_least_mean_squares_rule_of_the_columns():
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.7
    stream = mercer.KernelLMS(kernel="linear", learning_rate=0.05)
    # A stream starts at its first number.
    theta, bias = np.zeros(3), y[0]
    for start in range(0, 300, 100):
        stream.partial_fit(X[start : start + 100], y[start : start + 100])
    for row, target in zip(X, y, strict=True):
        error = target - row @ theta - bias
        theta, bias = theta + 0.05 * error * row, bias + 0.05 * error
    assert np.abs(stream.predict(X) - X @ theta - bias).max() < 1e-9


def test_a_budget_holds_the_rows_that_are_kept():
    X, y = two_moons(400, seed=8)
    machine = mercer.KernelPerceptron(kernel="rbf(gamma=2)", budget=25)
    for start in range(0, 400, 50):
        machine.partial_fit(X[start : start + 50], y[start : start + 50], classes=["upper", "lower"])
        assert len(machine.support_vectors_) <= 25
    assert machine.score(X, y) > 0.85


def test_a_class_that_was_not_named_and_kernel_values_are_refused():
    X, y = two_moons(30)
    machine = mercer.KernelPerceptron(kernel="rbf(gamma=1)").partial_fit(X, y)
    with pytest.raises(ValueError, match="name all classes at the first call"):
        machine.partial_fit(X[:2], ["upper", "neither"])
    given = mercer.KernelPerceptron(kernel="precomputed").fit(rbf_kernel(X), y)
    with pytest.raises(mercer.DataError, match="partial_fit needs a kernel that makes its values of rows"):
        given.partial_fit(rbf_kernel(X), y)


def test_weights_of_rows_that_come_count():
    X, y = two_moons(40, seed=9)
    weight = np.ones(40)
    weight[10:20] = 0
    kept = weight > 0
    with_zeros = mercer.KernelPerceptron(kernel="rbf(gamma=2)").partial_fit(X[:5], y[:5], classes=["upper", "lower"])
    with_zeros.partial_fit(X[5:], y[5:], sample_weight=weight[5:])
    without = mercer.KernelPerceptron(kernel="rbf(gamma=2)").partial_fit(X[:5], y[:5], classes=["upper", "lower"])
    without.partial_fit(X[5:][kept[5:]], y[5:][kept[5:]])
    assert (with_zeros.decision_function(X) == without.decision_function(X)).all()
