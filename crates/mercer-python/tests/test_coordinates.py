"""Estimators that read features of rows: the classes written for them and the learner give the same numbers."""

import pickle

import numpy as np
import pytest

import mercer
from mercer import Learner, Model


def test_a_density_is_a_model_with_the_numbers_of_the_class(rng):
    pytest.importorskip("sklearn")
    x, new = rng.normal(size=(40, 2)) * [1.0, 50.0], rng.normal(size=(7, 2)) * [1.0, 50.0]
    for expression, words in [("kde(bandwidth=[0.4, 20])", {"bandwidth": [0.4, 20.0]}), ("kde(rule=scott, adaptive=true)", {"bandwidth": "scott", "adaptive": True})]:
        model = Learner(expression).fit(x)
        logs = model.predict(new)
        assert logs.shape == (7,)
        np.testing.assert_allclose(logs, mercer.KernelDensity(**words).fit(x).score_samples(new), rtol=1e-10)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(new), logs)
    weight = np.arange(40) % 3
    weighed = Learner("kde(bandwidth=0.7)").fit(x[:, :1], sample_weight=weight).predict(new[:, :1])
    np.testing.assert_allclose(weighed, Learner("kde(bandwidth=0.7)").fit(np.repeat(x[:, :1], weight, axis=0)).predict(new[:, :1]), rtol=1e-10)


def test_a_local_regression_is_a_model_with_the_numbers_of_the_class(rng, tmp_path):
    pytest.importorskip("sklearn")
    x = np.sort(rng.uniform(0, 9, 60))[:, None]
    y = np.sin(x[:, 0]) + 0.2 * rng.normal(size=60)
    new = np.array([[0.5], [4.2]])
    for degree in [0, 1, 2]:
        model = Learner(f"local_regression(bandwidth=0.9, degree={degree})", standardise=False).fit(x, y)
        values, deviations = mercer.LocalRegression(bandwidth=0.9, degree=degree).fit(x, y).predict(new, return_std=True)
        found, std = model.predict(new, std=True)
        np.testing.assert_allclose(found, values, rtol=0, atol=1e-10)
        assert (std > deviations).all()
        model.save(tmp_path / "m.mercer")
        np.testing.assert_array_equal(Model.load(tmp_path / "m.mercer").predict(new), model.predict(new))


def test_linear_machines_are_models_with_the_weights_of_the_classes(rng):
    pytest.importorskip("sklearn")
    x = rng.normal(size=(150, 4))
    labels = np.where(x @ [1.0, -2.0, 0.5, 0.0] + 0.3 * rng.normal(size=150) > 0.2, "up", "down")
    for loss in ["hinge", "squared_hinge"]:
        words = f"linear_svc(c=0.5, loss={loss}, tolerance=1e-9, max_iterations=100000)"
        model = Learner(words, standardise=False).fit(x, labels)
        own = mercer.LinearSVC(C=0.5, loss=loss, tol=1e-9, max_iter=100_000).fit(x, labels)
        np.testing.assert_allclose(model.decision_function(x), own.decision_function(x), rtol=0, atol=1e-6)
        np.testing.assert_array_equal(model.predict(x), own.predict(x))
    calibrated = mercer.MercerClassifier("linear_svc(c=1, probabilities=true)").fit(x, labels)
    probabilities = calibrated.predict_proba(x)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert np.mean((probabilities[:, 1] > 0.5) == (labels == "up")) > 0.9
    np.testing.assert_array_equal(np.sign(mercer.MercerClassifier("linear_svc(c=1)").fit(x, labels).decision_function(x)) > 0, calibrated.decision_function(x) > 0)
    y = x @ [1.0, -2.0, 0.5, 0.0] + 3.0
    model = Learner("linear_svr(c=10, epsilon=0.01, standardise_target=false, tolerance=1e-9, max_iterations=100000)", standardise=False).fit(x, y)
    own = mercer.LinearSVR(C=10.0, epsilon=0.01, tol=1e-9, max_iter=100_000).fit(x, y)
    np.testing.assert_allclose(model.predict(x), own.predict(x), rtol=0, atol=1e-6)


def test_kernels_without_features_are_refused_in_words(rng):
    x = rng.normal(size=(20, 2))
    with pytest.raises(mercer.MercerError, match="leave the kernel out, or take linear"):
        Learner("kde", "rbf").fit(x)
    with pytest.raises(mercer.MercerError, match="features of rows"):
        Learner("linear_svr", "rbf").fit(x, x[:, 0])
