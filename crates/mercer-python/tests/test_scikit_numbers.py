"""scikit-learn's numbers: the same decision values, coefficients, means and evidence on tables that come with it."""

import os
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sklearn.gaussian_process as scikit_gp
import sklearn.kernel_ridge as scikit_ridge
import sklearn.neighbors as scikit_neighbours
import sklearn.svm as scikit_svm
from conftest import ROOT
from sklearn import datasets
from sklearn.base import clone
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    Exponentiation,
    ExpSineSquared,
    Matern,
    PairwiseKernel,
    RationalQuadratic,
    WhiteKernel,
)
from sklearn.preprocessing import StandardScaler
from sklearn.utils import compute_class_weight

import mercer

CLASSES = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "wine": lambda: datasets.load_wine(return_X_y=True),
    "breast cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "two moons": lambda: datasets.make_moons(300, noise=0.2, random_state=0),
    "five blobs": lambda: datasets.make_blobs(250, centers=5, n_features=6, random_state=0),
    "classification": lambda: datasets.make_classification(400, 20, n_informative=8, n_classes=3, random_state=0),
}
NUMBERS = {
    "diabetes": lambda: datasets.load_diabetes(return_X_y=True),
    "friedman": lambda: datasets.make_friedman1(200, noise=0.5, random_state=0),
    "regression": lambda: datasets.make_regression(150, 7, noise=5.0, random_state=0),
}


def table(source, rows=None):
    X, y = source()
    return StandardScaler().fit_transform(X)[:rows], y[:rows]


def pair(a, b):
    """A kernel of two rows, as KernelRidge takes it."""
    return np.exp(-0.1 * np.abs(a - b).sum())


def dual(model, X, y):
    """The value that the solver makes least: sum over pairs of classes of b'Kb/2 - sum |b|."""
    total = 0.0
    kernel = mercer.Kernel(f"rbf(gamma={1 / (X.shape[1] * X.var())})")(X[model.support_])
    classes = np.searchsorted(model.classes_, y[model.support_])
    for a in range(len(model.classes_)):
        for b in range(a + 1, len(model.classes_)):
            coef = np.where(classes == a, model.dual_coef_[b - 1], np.where(classes == b, model.dual_coef_[a], 0.0))
            total += coef @ kernel @ coef / 2 - np.abs(coef).sum()
    return total


@pytest.mark.parametrize("source", CLASSES.values(), ids=CLASSES)
def test_a_support_vector_machine_decides_as_scikit_learn_does(source):
    X, y = table(source)
    theirs = scikit_svm.SVC(tol=1e-6).fit(X, y)
    ours = mercer.SVC(tol=1e-6).fit(X, y)
    assert dual(ours, X, y) == pytest.approx(dual(theirs, X, y), rel=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for shape in ["ovr", "ovo"]:
        ours.decision_function_shape = theirs.decision_function_shape = shape
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=0, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=0, atol=1e-4)
    assert ours.dual_coef_.shape[0] == theirs.dual_coef_.shape[0]
    assert ours.n_support_.sum() == len(ours.support_) == ours.dual_coef_.shape[1]


@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("sparse", [False, True])
def test_attributes_of_a_support_vector_machine_are_those_of_scikit_learn(kernel, sparse):
    import scipy.sparse as sp

    X, y = table(CLASSES["wine"])
    rows = sp.csr_matrix(X) if sparse else X
    theirs = scikit_svm.SVC(kernel=kernel, tol=1e-8).fit(rows, y)
    ours = mercer.SVC(kernel=kernel, tol=1e-8).fit(rows, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    for name in ["dual_coef_", "support_vectors_", *(["coef_"] if kernel == "linear" else [])]:
        a, b = getattr(ours, name), getattr(theirs, name)
        assert sp.issparse(a) == sp.issparse(b), name
        a, b = (m.toarray() if sp.issparse(m) else m for m in (a, b))
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5)
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    assert ours.fit_status_ == 0 and ours.shape_fit_ == theirs.shape_fit_


def test_weights_of_classes_and_rows_count_as_in_scikit_learn():
    X, y = table(CLASSES["classification"])
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    for by_class in ["balanced", {0: 3.0, 2: 0.5}]:
        # "balanced" counts a row of weight 2 as two rows, as compute_class_weight does; SVC of scikit-learn leaves the weights out there.
        factors = compute_class_weight(by_class, classes=np.unique(y), y=y, sample_weight=weight if by_class == "balanced" else None)
        theirs = scikit_svm.SVC(tol=1e-8, class_weight=dict(enumerate(factors))).fit(X, y, weight)
        ours = mercer.SVC(tol=1e-8, class_weight=by_class).fit(X, y, weight)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=0, atol=1e-5)
        np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)


@pytest.mark.parametrize("source", NUMBERS.values(), ids=NUMBERS)
def test_support_vector_regression_is_that_of_scikit_learn(source):
    X, y = table(source)
    y = (y - y.mean()) / y.std()
    theirs = scikit_svm.SVR(tol=1e-8).fit(X, y)
    ours = mercer.SVR(tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=0, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian", "cosine", "chi2"])
@pytest.mark.parametrize("source", NUMBERS.values(), ids=NUMBERS)
def test_kernel_ridge_is_that_of_scikit_learn(kernel, source):
    X, y = table(source)
    if kernel == "chi2":
        X = np.abs(X) * 0.1
    arguments = {"kernel": kernel, "alpha": 0.5, "gamma": 0.3 if kernel == "chi2" else None}
    theirs = scikit_ridge.KernelRidge(**arguments).fit(X, y)
    ours = mercer.KernelRidge(**arguments).fit(X, y)
    size = np.abs(theirs.predict(X)).max()
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-9 * size)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=0, atol=1e-9 * np.abs(theirs.dual_coef_).max())


def test_kernel_ridge_takes_weights_and_several_targets_as_scikit_learn_does():
    X, y = table(NUMBERS["diabetes"], 200)
    y = np.c_[y, -y, y**2]
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    theirs = scikit_ridge.KernelRidge(kernel="rbf").fit(X, y, weight)
    ours = mercer.KernelRidge(kernel="rbf").fit(X, y, weight)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf", pair], ids=["linear", "rbf", "a function"])
def test_each_target_may_have_a_penalty_of_its_own(kernel):
    X, y = table(NUMBERS["diabetes"], 100)
    y = np.c_[y, -y, y**2, y[::-1]]
    alpha, weight = [0.5, 2.0, 0.5, 10.0], np.random.default_rng(0).uniform(0.5, 2, len(y))
    for penalties in (alpha, np.array(alpha)):
        theirs = scikit_ridge.KernelRidge(kernel=kernel, alpha=penalties).fit(X, y, weight)
        ours = mercer.KernelRidge(kernel=kernel, alpha=penalties).fit(X, y, weight)
        np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-8, atol=1e-9 * np.abs(theirs.dual_coef_).max())
        np.testing.assert_allclose(ours.predict(X[:7]), theirs.predict(X[:7]), rtol=1e-9)
    one = mercer.KernelRidge(kernel=kernel, alpha=2.0).fit(X, y[:, 1], weight)
    np.testing.assert_allclose(ours.leave_one_out()[:, 1], one.leave_one_out(), rtol=1e-9)
    assert ours.certificate_["value"] <= 1e-8
    theirs = scikit_ridge.KernelRidge(kernel=kernel, alpha=[2.0]).fit(X, y[:, 0])
    np.testing.assert_allclose(mercer.KernelRidge(kernel=kernel, alpha=[2.0]).fit(X, y[:, 0]).predict(X), theirs.predict(X), rtol=1e-8)


def test_without_a_penalty_the_solution_is_that_of_least_norm():
    X, y = table(NUMBERS["diabetes"], 100)
    y = np.c_[y, y**2]
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    weight[:7] = 0.0
    # K = X X' has rank 10: f(x) = x'w with w the least squares of numpy, and K^+ = X (X'X)^-2 X'.
    for w, root in [(None, np.ones(len(y))), (weight, np.sqrt(weight))]:
        Z, t = root[:, None] * X, root[:, None] * y
        model = mercer.KernelRidge(alpha=0).fit(X, y, w)
        expected = X @ np.linalg.lstsq(Z, t, rcond=None)[0]
        np.testing.assert_allclose(model.predict(X), expected, rtol=0, atol=1e-9 * np.abs(expected).max())
        inverse = np.linalg.inv(Z.T @ Z)
        coef = root[:, None] * (Z @ inverse @ inverse @ Z.T @ t)
        np.testing.assert_allclose(model.dual_coef_, coef, rtol=0, atol=1e-9 * np.abs(coef).max())
        assert model.certificate_["value"] <= 1e-8
    # With a constant: least squares on columns and ones, of least norm without the constant.
    constant = mercer.KernelRidge(alpha=0, fit_intercept=True).fit(X, y)
    expected = np.c_[X, np.ones(len(X))] @ np.linalg.lstsq(np.c_[X, np.ones(len(X))], y, rcond=None)[0]
    np.testing.assert_allclose(constant.predict(X), expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    # A kernel matrix of full rank: the interpolating solution, as numpy solves it.
    rows = np.arange(12.0)[:, None]
    gram = np.exp(-np.abs(rows - rows.T))
    solved = mercer.KernelRidge(alpha=0, kernel="laplacian", gamma=1.0).fit(rows, y[:12])
    np.testing.assert_allclose(solved.dual_coef_, np.linalg.solve(gram, y[:12]), rtol=1e-10)
    # Rows that stand twice with different targets: the mean of both.
    twice = mercer.KernelRidge(alpha=0, kernel="rbf").fit([[0.0], [0.0], [3.0]], [1.0, 2.0, 5.0])
    np.testing.assert_allclose(twice.predict([[0.0], [3.0]]), [1.5, 5.0], rtol=1e-9)


def test_a_message_speaks_of_alpha_where_the_argument_is_alpha():
    gram = np.diag([1.0, 1.0, -1.0])
    with pytest.raises(mercer.ResourceError, match=r"more noise \(alpha\)"):
        mercer.KernelRidge(alpha=1e-9, kernel="precomputed").fit(gram, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"give ridge a penalty \(alpha\) above 0"):
        mercer.KernelRidge(alpha=0).fit(np.ones((4, 2)), [1.0, 2.0, 3.0, 4.0]).leave_one_out()


def test_deviations_of_a_process_take_no_matrix_among_the_new_rows():
    X, y = table(NUMBERS["friedman"], 60)
    new = np.random.default_rng(0).normal(size=(2500, X.shape[1]))
    for kernel in (PairwiseKernel(metric="laplacian", gamma=0.2) + WhiteKernel(0.1), RBF(2.0) + PairwiseKernel(metric="cosine")):
        theirs = scikit_gp.GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(X, y)
        ours = mercer.GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(X, y)
        for a, b in zip(ours.predict(new, return_std=True), theirs.predict(new, return_std=True)):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)

    shapes = []

    def given(a, b):
        shapes.append(len(a) * len(b))
        return np.exp(-0.1 * ((a[:, None] - b) ** 2).sum(axis=2))

    function = mercer.GaussianProcessRegressor(given, alpha=0.1).fit(X, y)
    named = mercer.GaussianProcessRegressor("rbf(gamma=0.1)", alpha=0.1).fit(X, y)
    shapes.clear()
    mean, deviation = function.predict(new, return_std=True)
    # The mean asks for new rows against 60; variances for blocks of them, and for small squares.
    assert max(shapes) <= len(new) * 60
    np.testing.assert_allclose(deviation, named.predict(new, return_std=True)[1], rtol=1e-7)
    np.testing.assert_allclose(mean, named.predict(new), rtol=1e-8, atol=1e-10)


def test_predictions_without_a_row_are_those_of_fits_without_it():
    X, y = table(NUMBERS["friedman"], 40)
    ours = mercer.KernelRidge(kernel="rbf", alpha=0.1, fit_intercept=True).fit(X, y)
    others = [np.delete(np.arange(40), i) for i in range(40)]
    each = [mercer.KernelRidge(kernel="rbf", gamma=1 / X.shape[1], alpha=0.1, fit_intercept=True).fit(X[o], y[o]) for o in others]
    expected = [model.predict(X[[i]])[0] for i, model in enumerate(each)]
    np.testing.assert_allclose(ours.leave_one_out(), expected, rtol=1e-9)
    given = mercer.KernelRidge(kernel=lambda a, b: np.exp(-((a - b) @ (a - b)) / X.shape[1]), alpha=0.1, fit_intercept=True)
    np.testing.assert_allclose(given.fit(X, y).leave_one_out(), expected, rtol=1e-9)


def test_machines_without_a_row_are_those_of_libsvm():
    X, y = table(NUMBERS["friedman"], 40)
    y = (y - y.mean()) / y.std()
    label = np.array(["low", "middle", "high"])[np.digitize(y, [-0.5, 0.5])]
    rest = [np.delete(np.arange(40), i) for i in range(40)]
    weight = 0.5 + np.arange(40) % 3

    def theirs(model, target):
        each = [clone(model).fit(X[o], target[o], weight[o]) for o in rest]
        ask = "decision_function" if hasattr(model, "decision_function") else "predict"
        return np.array([getattr(one, ask)(X[[i]])[0] for i, one in enumerate(each)])

    # libsvm keeps kernel values in single precision.
    words = {"C": 2.0, "gamma": 0.3, "tol": 1e-10}
    numbers = theirs(scikit_svm.SVR(epsilon=0.5, **words), y)
    ours = mercer.SVR(epsilon=0.5, **words).fit(X, y, weight)
    np.testing.assert_allclose(ours.leave_one_out(X), numbers, rtol=0, atol=2e-6)
    with pytest.raises(mercer.DataError, match="needs the training rows once more: the model keeps"):
        ours.leave_one_out()
    with pytest.raises(mercer.DataError, match="training rows given once more"):
        ours.leave_one_out(X[1:])
    function = mercer.SVR(kernel=lambda a, b: np.exp(-0.3 * ((a[:, None] - b) ** 2).sum(axis=2)), C=2.0, epsilon=0.5, tol=1e-10).fit(X, y, weight)
    np.testing.assert_allclose(function.leave_one_out(), numbers, rtol=0, atol=2e-6)
    gram = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    given = mercer.SVC(kernel="precomputed", C=2.0, tol=1e-10).fit(gram, label, weight)
    model = mercer.SVC(**words).fit(X, label, weight)
    assert (given.leave_one_out(gram) == model.leave_one_out(X)).all()
    two = np.where(y > 0, "b", "a")
    model = mercer.SVC(**words).fit(X, two, weight)
    scores = model.model_.leave_one_out((two == "b").astype(int), weight, data=X, scores=True)
    values = theirs(scikit_svm.SVC(**words), two)
    np.testing.assert_allclose(scores, values, rtol=0, atol=2e-6)
    assert (model.leave_one_out(X) == np.where(values > 0, "b", "a")).all()


def test_rows_that_were_not_learnt_from_are_not_left_out_once_more():
    X, y = table(NUMBERS["friedman"], 40)
    weight = np.where(np.arange(40) % 4, 1.5, 0.0)
    used = weight > 0
    arguments = {"kernel": "rbf", "gamma": 0.2, "alpha": 0.1}
    expected = mercer.KernelRidge(**arguments).fit(X[used], y[used], weight[used]).leave_one_out()
    np.testing.assert_allclose(mercer.KernelRidge(**arguments).fit(X, y, weight).leave_one_out(), expected, rtol=1e-12)
    given = mercer.KernelRidge(kernel=lambda a, b: np.exp(-0.2 * (a - b) @ (a - b)), alpha=0.1).fit(X, y, weight)
    np.testing.assert_allclose(given.leave_one_out(), expected, rtol=1e-9)


def test_a_gaussian_process_leaves_rows_out_in_units_of_the_target():
    X, y = table(NUMBERS["friedman"], 30)
    process = mercer.GaussianProcessRegressor(RBF(2.0), alpha=0.1, optimizer=None).fit(X, y)
    rest = [np.delete(np.arange(30), i) for i in range(30)]
    each = [mercer.GaussianProcessRegressor(RBF(2.0), alpha=0.1, optimizer=None).fit(X[r], y[r]) for r in rest]
    np.testing.assert_allclose(process.leave_one_out(), [m.predict(X[[i]])[0] for i, m in enumerate(each)], rtol=1e-8)
    # Shifted and scaled targets give shifted and scaled predictions where they are normalised.
    normal = [mercer.GaussianProcessRegressor(RBF(2.0), alpha=0.1, optimizer=None, normalize_y=True).fit(X, t) for t in (y, 7 * y + 100)]
    np.testing.assert_allclose(normal[1].leave_one_out(), 7 * normal[0].leave_one_out() + 100, rtol=1e-9)


KERNELS = [
    ConstantKernel(2.0) * RBF(1.5) + WhiteKernel(0.5),
    ConstantKernel(1.0) * RBF([1.0, 2.0, 3.0]) + WhiteKernel(),
    RationalQuadratic(alpha=0.7) + WhiteKernel(),
    Matern(nu=1.5) * ConstantKernel() + WhiteKernel(),
    Matern(length_scale=2.0, nu=0.5, length_scale_bounds="fixed") + WhiteKernel(),
    DotProduct() + WhiteKernel(),
    Exponentiation(DotProduct(0.5), 2) + WhiteKernel(),
    PairwiseKernel(metric="laplacian", gamma=0.5) + WhiteKernel(),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("normalise", [False, True])
def test_a_gaussian_process_has_the_evidence_and_the_predictions_of_scikit_learn(kernel, normalise):
    X, y = table(NUMBERS["diabetes"], 120)
    X, new = X[:, :3], X[:15, :3] + 0.1
    y = y if normalise else (y - 150) / 70
    arguments = {"normalize_y": normalise, "alpha": 1e-3}
    theirs = scikit_gp.GaussianProcessRegressor(kernel, optimizer=None, **arguments).fit(X, y)
    ours = mercer.GaussianProcessRegressor(kernel, optimizer=None, **arguments).fit(X, y)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-9)
    for words in [{"return_std": True}, {"return_cov": True}]:
        for a, b in zip(ours.predict(new, **words), theirs.predict(new, **words)):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10 * np.abs(b).max())
    theta = theirs.kernel_.theta + 0.3
    (value, slope), (their_value, their_slope) = (g.log_marginal_likelihood(theta, eval_gradient=True) for g in (ours, theirs))
    assert value == pytest.approx(their_value, rel=1e-9)
    np.testing.assert_allclose(slope, their_slope, rtol=1e-7, atol=1e-9 * np.abs(their_slope).max())


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_gaussian_process_learns_numbers_as_good_as_those_of_scikit_learn(kernel):
    X, y = table(NUMBERS["diabetes"], 120)
    arguments = {"normalize_y": True, "alpha": 1e-3, "n_restarts_optimizer": 1, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = scikit_gp.GaussianProcessRegressor(kernel, **arguments).fit(X[:, :3], y)
        ours = mercer.GaussianProcessRegressor(kernel, **arguments).fit(X[:, :3], y)
    assert ours.log_marginal_likelihood_value_ >= theirs.log_marginal_likelihood_value_ - 1e-6
    assert ours.kernel_.theta.shape == theirs.kernel_.theta.shape


def test_a_periodic_kernel_of_scikit_learn_is_ours():
    X = np.linspace(0, 10, 60).reshape(-1, 1)
    y = np.sin(2 * X[:, 0])
    kernel = ExpSineSquared(0.8, 3.0) + WhiteKernel(0.1)
    theirs = scikit_gp.GaussianProcessRegressor(kernel, optimizer=None).fit(X, y)
    ours = mercer.GaussianProcessRegressor(kernel, optimizer=None).fit(X, y)
    np.testing.assert_allclose(ours.predict(X + 0.05), theirs.predict(X + 0.05), rtol=1e-9)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-9)


def test_noise_of_single_rows_and_several_targets_are_taken_as_scikit_learn_does():
    X, y = table(NUMBERS["friedman"], 60)
    y = np.c_[y, y[::-1]]
    alpha = np.random.default_rng(0).uniform(0.01, 0.5, 60)
    alpha[:3] = 0.0
    theirs = scikit_gp.GaussianProcessRegressor(RBF(2.0), alpha=alpha, normalize_y=True, optimizer=None).fit(X, y)
    ours = mercer.GaussianProcessRegressor(RBF(2.0), alpha=alpha, normalize_y=True, optimizer=None).fit(X, y)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-9)
    for words in [{"return_std": True}, {"return_cov": True}]:
        for a, b in zip(ours.predict(X[:9] + 0.1, **words), theirs.predict(X[:9] + 0.1, **words)):
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)
    assert ours.sample_y(X[:4], 5).shape == theirs.sample_y(X[:4], 5).shape == (4, 2, 5)


def test_an_unfitted_gaussian_process_samples_its_prior():
    X = np.linspace(0, 1, 7).reshape(-1, 1)
    theirs, ours = scikit_gp.GaussianProcessRegressor(RBF(0.3)), mercer.GaussianProcessRegressor(RBF(0.3))
    for words in [{"return_std": True}, {"return_cov": True}]:
        for a, b in zip(ours.predict(X, **words), theirs.predict(X, **words)):
            np.testing.assert_allclose(a, b, atol=1e-12)
    np.testing.assert_allclose(ours.sample_y(X, 3), theirs.sample_y(X, 3), atol=1e-6)


# spec: GP10
def test_draws_of_a_field_in_the_plane_and_of_an_ou_process_have_their_covariances():
    plane = np.array([[0.0, 0.0], [0.7, 0.1], [0.2, 1.1], [-0.5, 0.4]])
    line = np.array([[0.0], [0.3], [1.0], [1.1]])
    apart = np.linalg.norm(plane[:, None] - plane[None], axis=-1)
    fields = [("rbf(length_scale=1)", plane, np.exp(-(apart**2) / 2)), ("matern(nu=0.5, length_scale=1)", line, np.exp(-np.abs(line - line.T)))]
    for kernel, X, expected in fields:
        draws = 20_000
        f = mercer.GaussianProcessRegressor(kernel).sample_y(X, draws, random_state=3)
        error = np.sqrt((1 + expected**2) / draws)
        assert np.all(np.abs(f @ f.T / draws - expected) <= 3.5 * error)


@pytest.mark.parametrize("words", [{}, {"metric": "manhattan"}, {"p": 3}, {"metric": "cosine"}, {"weights": "distance"}], ids=str)
def test_nearest_neighbours_are_those_of_scikit_learn(words):
    X, y = table(CLASSES["classification"])
    theirs = scikit_neighbours.KNeighborsClassifier(7, **words).fit(X, y)
    ours = mercer.KNeighborsClassifier(7, **words).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X + 0.01), theirs.predict_proba(X + 0.01), atol=1e-6)
    np.testing.assert_array_equal(ours.kneighbors(X[:3])[1], theirs.kneighbors(X[:3])[1])
    theirs = scikit_neighbours.KNeighborsRegressor(7, **words).fit(X, y)
    ours = mercer.KNeighborsRegressor(7, **words).fit(X, y)
    np.testing.assert_allclose(ours.predict(X + 0.01), theirs.predict(X + 0.01), atol=1e-12)


@pytest.mark.parametrize("name", ["sonar", "ionosphere", "vowel"])
def test_a_table_of_a_file_gives_the_same_numbers(name):
    folder = Path(os.environ.get("MERCER_SHARED", ROOT.parent / "shared")) / "data" / name
    if not folder.exists():
        print(f"{folder} is absent: the comparison on it is left out")
        return
    cells = np.genfromtxt(next(folder.glob("*.csv")), delimiter=",", dtype=str)
    X, y = cells[1:, :-1], cells[1:, -1]
    numeric = [j for j in range(X.shape[1]) if np.char.isnumeric(np.char.strip(np.char.replace(X[:, j], ".", ""), "-")).all()]
    X = X[:, numeric].astype(float)
    theirs, ours = scikit_svm.SVC(tol=1e-6).fit(X, y), mercer.SVC(tol=1e-6).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=0, atol=1e-4)


@pytest.mark.parametrize("given", ["frame", "sparse", "list", "precomputed", "two"])
def test_a_relevance_vector_machine_tells_its_noise_and_deviations_hold_it(given):
    import pandas as pd
    import scipy.sparse as sp

    random = np.random.default_rng(0)
    x = random.uniform(-10, 10, (200, 1))
    y = np.sinc(x[:, 0] / np.pi) + 0.1 * random.normal(size=200)
    rows = {"sparse": sp.csr_matrix(x), "list": x.tolist(), "frame": pd.DataFrame(x)}.get(given, x)
    kernel = "rbf(length_scale=2)"
    if given == "precomputed":
        kernel, rows = given, np.exp(-0.5 * ((x - x.T) / 2) ** 2)
    model = mercer.RelevanceVectorRegressor(kernel=kernel).fit(rows, np.column_stack([y, 3 * y]) if given == "two" else y)
    # The noise is of variance 0.01.
    noise = np.atleast_1d(model.noise_)
    assert noise.shape == ((2,) if given == "two" else (1,))
    np.testing.assert_allclose(noise, [0.01, 0.09][: len(noise)], rtol=0.25)
    if given != "precomputed":
        deviation = model.predict(rows, return_std=True)[1]
        assert (deviation.reshape(200, -1) > np.sqrt(noise)).all()
