"""Classes with probabilities by a likelihood: Gaussian processes of classes, logistic regression, L2 vector machines."""

import mercer
import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern
from sklearn.linear_model import LogisticRegression

X, Y = make_classification(n_samples=80, n_features=3, n_informative=3, n_redundant=0, flip_y=0.1, random_state=3)
IRIS = load_iris(return_X_y=True)
KERNELS = [ConstantKernel(2.5) * RBF(0.8), ConstantKernel(1.3) * RBF([1.0, 2.0, 0.7]), ConstantKernel(2.0) * Matern(1.5, nu=1.5)]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_evidence_slope_and_probabilities_are_those_of_scikit_learn(kernel):
    theirs = GaussianProcessClassifier(kernel, optimizer=None, max_iter_predict=1000).fit(X, Y)
    ours = mercer.GaussianProcessClassifier(kernel, optimizer=None, tempered=False).fit(X, Y)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-7)
    for theta in (kernel.theta, kernel.theta + 0.3):
        value, slope = ours.log_marginal_likelihood(theta, eval_gradient=True)
        expected, of_slope = theirs.log_marginal_likelihood(theta, eval_gradient=True)
        assert value == pytest.approx(expected, abs=1e-7)
        np.testing.assert_allclose(slope, of_slope, atol=1e-5)
    new = X[:20] + 0.1
    # Theirs are sums of five error functions, which are off by up to 2e-3.
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=2e-3)
    assert (ours.predict(new) == theirs.predict(new)).all()
    assert (ours.predict(new) == ours.classes_[ours.predict_proba(new).argmax(axis=1)]).all()


def test_a_learnt_process_has_at_least_the_evidence_of_scikit_learn():
    kernel = ConstantKernel(1.0) * RBF([1.0, 1.0, 1.0])
    theirs = GaussianProcessClassifier(kernel).fit(X, Y)
    ours = mercer.GaussianProcessClassifier(kernel).fit(X, Y)
    assert ours.log_marginal_likelihood_value_ >= theirs.log_marginal_likelihood_value_ - 1e-4
    assert ours.kernel_.theta.shape == (4,) and ours.n_classes_ == 2
    labels = np.where(Y == 1, "yes", "no")
    named = mercer.GaussianProcessClassifier(ours.kernel_, optimizer=None).fit(X, labels)
    np.testing.assert_allclose(named.predict_proba(X), ours.predict_proba(X), atol=1e-8)
    assert set(named.predict(X)) == {"yes", "no"}


def test_several_classes_are_one_softmax_with_the_slope_of_differences():
    rows, classes = IRIS[0][::3], IRIS[1][::3]
    kernel = ConstantKernel(4.0) * RBF([1.0, 2.0, 1.5, 0.9])
    ours = mercer.GaussianProcessClassifier(kernel, optimizer=None).fit(rows, classes)
    p = ours.predict_proba(IRIS[0])
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
    assert (ours.predict(IRIS[0]) == p.argmax(axis=1)).all() and ours.score(*IRIS) > 0.93
    _, slope = ours.log_marginal_likelihood(kernel.theta, eval_gradient=True)
    for k in range(5):
        h = 1e-4 * np.eye(5)[k]
        difference = (ours.log_marginal_likelihood(kernel.theta + h) - ours.log_marginal_likelihood(kernel.theta - h)) / 2e-4
        assert slope[k] == pytest.approx(difference, abs=1e-5)


def test_an_expression_is_learnt_without_a_kernel_of_scikit_learn_and_ep_is_an_option():
    ours = mercer.GaussianProcessClassifier("auto*rbf").fit(X, Y)
    assert ours.score(X, Y) > 0.8 and "rbf" in str(ours.kernel_)
    nearer = mercer.GaussianProcessClassifier("4.0*rbf(length_scale=1.5)", inference="ep").fit(X, Y)
    laplace = mercer.GaussianProcessClassifier("4.0*rbf(length_scale=1.5)").fit(X, Y)
    assert nearer.log_marginal_likelihood_value_ > laplace.log_marginal_likelihood_value_
    assert abs(nearer.predict_proba(X) - laplace.predict_proba(X)).max() < 0.2


@pytest.mark.parametrize(("rows", "classes"), [(X, Y), IRIS], ids=["two", "three"])
def test_a_linear_kernel_gives_the_logistic_regression_of_scikit_learn(rows, classes):
    weight = 1.0 + np.arange(len(rows)) % 3
    theirs = LogisticRegression(C=2.0, tol=1e-12, solver="newton-cg", max_iter=10000).fit(rows, classes, weight)
    ours = mercer.KernelLogisticRegression(alpha=0.5, kernel="linear").fit(rows, classes, weight)
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-6)
    assert ours.certificate_["value"] < 1e-8
    balanced = mercer.KernelLogisticRegression(alpha=0.5, kernel="linear", class_weight="balanced").fit(rows, classes)
    expected = LogisticRegression(C=2.0, tol=1e-12, solver="newton-cg", max_iter=10000, class_weight="balanced").fit(rows, classes)
    np.testing.assert_allclose(balanced.predict_proba(rows), expected.predict_proba(rows), atol=1e-6)


def test_what_is_left_open_is_found_by_evidence():
    ours = mercer.KernelLogisticRegression().fit(*IRIS)
    assert ours.alpha_ > 0 and ours.score(*IRIS) > 0.95
    tuning = ours.model_.summary["tuning"]
    assert "evidence" in tuning["criterion"]
    machine = mercer.L2VectorClassifier().fit(*IRIS)
    assert machine.score(*IRIS) > 0.95
    assert (machine.predict(IRIS[0]) == machine.predict_proba(IRIS[0]).argmax(axis=1)).all()


def test_an_l2_vector_machine_is_a_ridge_on_the_similarities():
    x = np.linspace(0, 6, 40)[:, np.newaxis]
    y = np.sin(x[:, 0]) + 0.1 * np.cos(9 * x[:, 0])
    k = np.exp(-0.5 * (x - x.T) ** 2)
    ours = mercer.L2VectorRegressor(alpha=0.1, kernel="rbf(length_scale=1)", fit_intercept=False).fit(x, y)
    np.testing.assert_allclose(ours.predict(x), k @ np.linalg.solve(k @ k + 0.1 * np.eye(40), k @ y), atol=1e-8)
    # Similarities that no kernel has: tanh is indefinite.
    odd = mercer.L2VectorRegressor(alpha=0.1, kernel=lambda a, b: np.tanh(a @ b.T - 1)).fit(x, y)
    assert np.isfinite(odd.predict(x)).all()
    found = mercer.L2VectorRegressor().fit(x, y)
    assert found.score(x, y) > 0.97
