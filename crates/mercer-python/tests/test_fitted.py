"""Estimators on kernel values that are given, and what models tell of themselves: expansions, criteria, parameters."""

import pickle

import numpy as np
import pytest

import mercer


def fitted_on(estimator, gram, target, **words):
    """A model on kernel values that are given, valid or not."""
    return mercer.Learner(estimator, "precomputed", allow_non_mercer=True).fit(gram, target, **words)


@pytest.fixture
def table(rng):
    x = rng.normal(size=(30, 3))
    return x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=30)


K = mercer.Kernel("rbf(length_scale=1.5)")


def test_a_fit_on_given_values_is_the_fit_with_the_kernel(table, rng):
    x, y = table
    new = rng.normal(size=(5, 3))
    given = fitted_on("gp(noise=0.1, variance=2, standardise_target=false)", K(x), y)
    model = mercer.Learner("gp(noise=0.1, variance=2, standardise_target=false)", K, standardise=False).fit({"x": x}, y)
    np.testing.assert_allclose(given.predict(K(new, x)), model.predict(new), rtol=1e-12)
    np.testing.assert_allclose(given.variance(mercer.Dataset.precomputed(K(new, x), given, diagonal=np.diag(K(new)))), model.variance(new), rtol=1e-10)
    np.testing.assert_allclose(given.covariance(mercer.Dataset.precomputed(K(new, x), given, among=K(new))), model.covariance(new), rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(given.leave_one_out(y, data=K(x)), model.leave_one_out(y), rtol=1e-10)
    assert given.summary["evidence"] == pytest.approx(model.summary["evidence"], rel=1e-12)
    assert "gp(noise=0.1" in repr(given)
    for ask, what in [(given.variance, r"needs k\(x, x\) of the new rows"), (given.covariance, r"needs k\(x, x\) of the new rows")]:
        with pytest.raises(mercer.DataError, match=what):
            ask(K(new, x))
    with pytest.raises(mercer.DataError, match="kernel values among the new rows"):
        given.covariance(mercer.Dataset.precomputed(K(new, x), given, diagonal=np.diag(K(new))))
    with pytest.raises(mercer.DataError, match="needs the training kernel matrix once more"):
        given.leave_one_out(y)
    with pytest.raises(mercer.DataError, match="takes columns and not kernel values"):
        mercer.Dataset.precomputed(K(new, x), model)


def test_an_expansion_is_the_prediction(table, rng):
    x, y = table
    new = rng.normal(size=(5, 3))
    for estimator, target in [("ridge(lambda=0.1)", y), ("svr(c=1, epsilon=0.1)", y), ("svc(c=1)", np.where(y > 0, "a", "b"))]:
        model = mercer.Learner(estimator, K, standardise=False).fit({"x": x}, target)
        coef, bias = model.expansion
        values = K(new, x[model.support]) @ coef + bias
        found = model.decision_function(new) if estimator.startswith("svc") else model.predict(new)
        np.testing.assert_allclose(values[:, 0], found, rtol=1e-10)
        assert sum(model.steps) == model.summary["iterations"]
    assert mercer.Learner("knn(k=3)", K).fit({"x": x}, y).expansion is None


def test_a_stored_fit_predicts_the_same_bits(table):
    x, y = table
    classes = (y > 0).astype(int)
    for given in [fitted_on("svc(c=1)", K(x), classes, classes=["low", "high"]), fitted_on("knn(k=3)", K(x), y)]:
        for again in [pickle.loads(pickle.dumps(given)), mercer.Model.from_bytes(given.to_bytes())]:
            np.testing.assert_array_equal(again.predict(K(x)), given.predict(K(x)))
            np.testing.assert_array_equal(again.support, given.support)


def test_a_model_of_kernel_values_keeps_none_of_them(rng):
    x = rng.normal(size=(300, 3))
    assert len(fitted_on("ridge(lambda=1)", K(x), x[:, 0]).to_bytes()) < 300 * 300


@pytest.mark.parametrize("estimator", ["gp(noise=0.1, variance=2)", "ridge(lambda=0.1)"])
def test_a_criterion_has_the_slopes_of_its_values(estimator, table):
    x, y = table

    def at(length, scale):
        kernel = f"{float(scale)!r}*rbf(length_scale={float(length)!r}) + matern(nu=1.5, length_scale=2)"
        return mercer.Learner(estimator, kernel, standardise=False).criterion({"x": x}, y)

    value, slopes = at(1.5, 0.7)
    step = 1e-5
    by_scale = (at(1.5, 0.7 + step)[0] - at(1.5, 0.7 - step)[0]) / (2 * step)
    by_length = (at(1.5 + step, 0.7)[0] - at(1.5 - step, 0.7)[0]) / (2 * step)
    np.testing.assert_allclose(slopes[:2], [by_scale, by_length], rtol=1e-5, atol=1e-8)
    kernel = mercer.Kernel("0.7*rbf(length_scale=1.5) + matern(nu=1.5, length_scale=2)")
    assert list(kernel.parameters) == ["0.scale", "0.0.rbf.length_scale", "1.matern.nu", "1.matern.length_scale"]
    given, by_value = mercer.Learner(estimator, "precomputed").criterion(kernel(x), y)
    assert given == pytest.approx(value, rel=1e-12)
    change = np.random.default_rng(1).normal(size=(30, 30)) * 1e-6
    change += change.T
    moved = [mercer.Learner(estimator, "precomputed").criterion(kernel(x) + sign * change, y)[0] for sign in (1, -1)]
    assert (moved[0] - moved[1]) / 2 == pytest.approx((by_value * change).sum(), rel=1e-4)


def test_numbers_of_an_expression_are_told_by_their_paths():
    kernel = mercer.Kernel("auto*rbf(length_scale=0.1..10) + matern(length_scale=[1, 2])")
    assert kernel.parameters["0.scale"] == "auto"
    assert kernel.parameters["0.0.rbf.length_scale"] == (0.1, 10.0)
    assert kernel.parameters["1.matern.length_scale"] == [1.0, 2.0]
    assert mercer.Kernel("on(a, rbf)").by_column and not kernel.by_column


def test_rows_become_the_data_that_a_kernel_takes():
    assert mercer.Kernel("spectrum(k=2)").dataset(["ab", "ba"]).columns == {"x": "sequence"}
    assert mercer.Kernel("equal").dataset(["ab", "ba"]).columns == {"x": "category"}
    assert len(mercer.Kernel("rbf").dataset(np.eye(3)).columns) == 1


def test_codes_of_classes_are_named_and_checked(table):
    x, y = table
    codes = (y > 0).astype(int)
    model = mercer.Learner("svc(c=1)", K).fit({"x": x}, codes, classes=["low", "high"])
    assert set(model.predict(x)) == {"low", "high"}
    np.testing.assert_array_equal(model.classes[model.predict(x, codes=True)], model.predict(x))
    with pytest.raises(mercer.DataError, match=r"row 1 \(index 0\) has the code 2 and there are 2 classes"):
        mercer.Learner("svc(c=1)", K).fit({"x": x}, codes * 0 + 2, classes=["low", "high"])


def test_what_is_wrong_with_given_values_is_named(table):
    x, y = table
    gram = K(x)
    gram[3, 4] = np.nan
    with pytest.raises(mercer.DataError, match=r"holds NaN in row 4 \(index 3\), column 5 \(index 4\)"):
        fitted_on("ridge(lambda=1)", gram, y)
    with pytest.raises(mercer.DataError, match="square"):
        fitted_on("ridge(lambda=1)", K(x)[:, :5], y)
    with pytest.raises(mercer.DataError):
        fitted_on("ridge(lambda=1)", K(x), y[:5])
    fitted = fitted_on("ridge(lambda=1)", K(x), y)
    with pytest.raises(mercer.DataError, match="30"):
        fitted.predict(K(x)[:, :5])
    with pytest.raises(mercer.MercerError, match="cannot predict classes"):
        fitted_on("svr(c=1)", K(x), (y > 0).astype(int), classes=["a", "b"])
    with pytest.raises(mercer.DataError, match="no class probabilities"):
        fitted.predict_proba(K(x))


# The library has a test with every formula.
def test_a_matrix_that_is_not_symmetric_is_features_to_those_that_take_any_similarity(table, rng):
    x, y = np.asarray(table[0]).reshape(len(table[1]), -1), np.asarray(table[1], dtype=float)
    centre = rng.normal(size=(3, x.shape[1]))
    values = lambda a, b: np.sin(a @ centre[0])[:, None] * np.cos(2 * b @ centre[1]) + np.tanh((a[:, None] - 2 * b) @ centre[2])
    given, new = values(x, x), values(x[:5] + 0.1, x)
    assert np.abs(given - given.T).max() > 0.1 and np.linalg.eigvalsh(given + given.T)[0] < -0.1
    model = mercer.Learner("l2vm(lambda=0.2, intercept=false)", "precomputed").fit(given, y)
    w = np.linalg.solve(given.T @ given + 0.2 * np.eye(len(y)), given.T @ y)
    np.testing.assert_allclose(model.predict(new), new @ w, rtol=1e-6, atol=1e-8)
    for name in ["l1vm", "rvm", "rbf_network"]:
        assert np.isfinite(mercer.Learner(name, "precomputed").fit(given, y).predict(new)).all()
    labels = np.where(y > np.median(y), "up", "down")
    for name, target in [("svc", labels), ("gp", y), ("ridge", y), ("kernel_pca", None)]:
        with pytest.raises(mercer.ExpressionError, match=rf"{name} needs a symmetric similarity.*\(rvm, l2vm, l1vm, rbf_network\)"):
            mercer.Learner(name, "precomputed").fit(given, target) if target is not None else mercer.Learner(name, "precomputed").fit(given)
    # The derivative of the criterion is that by every value.
    value, by_value = mercer.Learner("l2vm(lambda=0.2)", "precomputed").criterion(given, y)
    change = rng.normal(size=given.shape) * 1e-6
    moved = [mercer.Learner("l2vm(lambda=0.2)", "precomputed").criterion(given + sign * change, y)[0] for sign in (1, -1)]
    assert (moved[0] - moved[1]) / 2 == pytest.approx((by_value * change).sum(), rel=1e-4)
