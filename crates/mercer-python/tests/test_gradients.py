"""Derivatives of predictions in the inputs, against differences of scikit-learn's predictions and refusals."""

import mercer
import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern

RNG = np.random.default_rng(4)
X = RNG.uniform(-2, 2, (40, 2)) * [1, 30]
Y = np.column_stack([np.sin(2 * X[:, 0]) + 0.01 * X[:, 1], X[:, 0] ** 2])
NEW = RNG.uniform(-2, 2, (6, 2)) * [1, 30]
KERNEL = ConstantKernel(1.4) * RBF([0.8, 30]) + Matern([1.0, 40], nu=2.5)


def differences(model, column, step):
    h = np.zeros(2)
    h[column] = step
    at = lambda by: model.predict(NEW + by * h, return_std=True)  # noqa: E731
    of = lambda k, power: (8 * (at(1)[k] ** power - at(-1)[k] ** power) - (at(2)[k] ** power - at(-2)[k] ** power)) / (12 * step)  # noqa: E731
    return of(0, 1), of(1, 2)


@pytest.mark.parametrize("y", [Y[:, 0], Y])
def test_derivatives_are_those_of_the_process_of_scikit_learn(y):
    theirs = GaussianProcessRegressor(KERNEL, alpha=0.05, optimizer=None, normalize_y=True).fit(X, y)
    ours = mercer.GaussianProcessRegressor(KERNEL, alpha=0.05, optimizer=None, normalize_y=True).fit(X, y)
    mean, variance = ours.predict_gradient(NEW)
    assert mean.shape == variance.shape == (6, *y.shape[1:], 2)
    for column, step in enumerate([2e-3, 6e-2]):
        for found, expected in zip((mean, variance), differences(theirs, column, step), strict=True):
            np.testing.assert_allclose(found[..., column], expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


def test_models_answer_in_the_units_of_the_table_and_refuse_by_name():
    model = mercer.Learner("ridge(lambda=0.1)", "rbf").fit(X, Y[:, 0])
    mean, variance = model.predict_gradient(NEW)
    assert variance is None
    step = np.array([0, 1e-3])
    np.testing.assert_allclose(mean[:, 1], (model.predict(NEW + step) - model.predict(NEW - step)) / 2e-3, rtol=1e-5, atol=1e-8)
    for estimator, kernel, named in [("gp(noise=0.1, variance=1)", "laplacian", "laplacian"), ("knn", "rbf", "knn")]:
        with pytest.raises(mercer.DataError, match=named):
            mercer.Learner(estimator, kernel).fit(X, Y[:, 0]).predict_gradient(NEW)
