"""Gaussian processes of numbers through inducing rows."""

import pickle

import mercer
import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

RNG = np.random.default_rng(4)
X = RNG.uniform(-2, 2, (60, 2))
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * RNG.normal(size=60)
NEW = RNG.uniform(-2, 2, (7, 2))
KERNEL = ConstantKernel(1.4) * RBF([0.4, 0.6])


def test_with_all_rows_inducing_it_is_the_process_of_scikit_learn():
    theirs = GaussianProcessRegressor(KERNEL, alpha=0.05, optimizer=None).fit(X, Y)
    ours = mercer.GaussianProcessRegressor(KERNEL, alpha=0.05, optimizer=None, inducing=60).fit(X, Y)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-7)
    for found, expected in zip(ours.predict(NEW, return_std=True), theirs.predict(NEW, return_std=True), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-7)
    np.testing.assert_allclose(ours.predict(NEW, return_cov=True)[1], theirs.predict(NEW, return_cov=True)[1], atol=1e-7)


def test_few_rows_give_a_bound_with_its_slope_and_a_model_that_pickles():
    exact = mercer.GaussianProcessRegressor(KERNEL, alpha=0.05, optimizer=None).fit(X, Y)
    few = mercer.GaussianProcessRegressor(KERNEL, alpha=0.05, optimizer=None, inducing=15).fit(X, Y)
    assert few.alpha_.shape == (15,)
    assert few.log_marginal_likelihood_value_ < exact.log_marginal_likelihood_value_
    again = pickle.loads(pickle.dumps(few))
    for found, expected in zip(again.predict(NEW, return_std=True), few.predict(NEW, return_std=True), strict=True):
        np.testing.assert_array_equal(found, expected)
    _, slope = few.log_marginal_likelihood(KERNEL.theta, eval_gradient=True)
    steps = 1e-5 * np.eye(3)
    value = lambda theta: few.log_marginal_likelihood(theta)  # noqa: E731
    by_differences = [(value(KERNEL.theta + h) - value(KERNEL.theta - h)) / 2e-5 for h in steps]
    np.testing.assert_allclose(slope, by_differences, rtol=1e-4, atol=1e-4)


def test_more_inducing_rows_than_rows_are_all_of_them_and_none_is_refused():
    every = mercer.GaussianProcessRegressor(KERNEL, alpha=0.05, optimizer=None, inducing=61).fit(X, Y)
    exact = mercer.GaussianProcessRegressor(KERNEL, alpha=0.05, optimizer=None).fit(X, Y)
    np.testing.assert_allclose(every.predict(NEW), exact.predict(NEW), atol=1e-6)
    assert any("inducing=61 asks for more rows than the 60" in note for note in every.model_.summary["notes"])
    with pytest.raises(mercer.MercerError, match="inducing"):
        mercer.GaussianProcessRegressor(KERNEL, alpha=0.05, optimizer=None, inducing=0).fit(X, Y)


def test_inducing_inputs_move_to_a_greater_bound():
    model = mercer.Learner("gp(noise=0.02, variance=1, inducing=10)", "rbf(length_scale=0.7)").fit(X, Y)
    moved = model.move_inducing(X, Y)
    assert moved.summary["evidence"] > model.summary["evidence"] + 1 and len(moved.support) == 0
    again = mercer.Model.from_bytes(moved.to_bytes())
    np.testing.assert_array_equal(again.predict(NEW, std=True), moved.predict(NEW, std=True))
    with pytest.raises(mercer.MercerError, match="inducing"):
        mercer.Learner("ridge", "rbf").fit(X, Y).move_inducing(X, Y)
