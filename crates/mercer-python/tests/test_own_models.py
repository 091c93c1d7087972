"""Generative models written in Python: kernels of their score vectors, learnt on folds, stored and read with their class."""

import pickle

import numpy as np
import pytest

import mercer
from mercer import kernels


class Normal:
    """Independent normal columns, with the score vector in means and variances."""

    def __init__(self, floor=0.0):
        self.floor = floor

    def fit(self, inputs, weight):
        self.mean = np.average(inputs, axis=0, weights=weight)
        self.variance = np.average((inputs - self.mean) ** 2, axis=0, weights=weight) + self.floor

    def log_density(self, inputs):
        return -0.5 * (np.log(2 * np.pi * self.variance) + (inputs - self.mean) ** 2 / self.variance).sum(axis=1)

    def score(self, inputs):
        z = inputs - self.mean
        return np.hstack([z / self.variance, 0.5 * (z**2 / self.variance - 1) / self.variance])


class Letters:
    """Independent letters, with the counts of each letter over its probability as score."""

    def fit(self, inputs, weight):
        self.letters = sorted(set("".join(inputs)))
        counts = self.counts(inputs)
        self.shares = (weight[:, None] * counts).sum(axis=0) / (weight @ counts.sum(axis=1))

    def counts(self, inputs):
        return np.array([[text.count(letter) for letter in self.letters] for text in inputs], dtype=float)

    def log_density(self, inputs):
        return self.counts(inputs) @ np.log(self.shares)

    def score(self, inputs):
        return self.counts(inputs) / self.shares


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(60, 3)) * [1.0, 2.0, 0.5] + [0.0, 1.0, -1.0]
    return x, np.where(x[:, 0] + 0.3 * x[:, 1] > 0.3, "yes", "no")


def test_the_kernel_is_the_inner_product_of_scores(rows):
    x, _ = rows
    own = Normal()
    own.fit(x, np.ones(len(x)))
    scores = own.score(x)
    identity = mercer.Kernel(kernels.fisher(Normal(), information="identity"))(x)
    np.testing.assert_allclose(identity, scores @ scores.T, rtol=1e-10)
    # By the mean of g g' over the rows, which is what a class without a formula takes.
    empirical = kernels.fisher(Normal())(x)
    expected = scores @ np.linalg.solve(scores.T @ scores / len(x), scores.T)
    np.testing.assert_allclose(empirical, expected, rtol=1e-7, atol=1e-8)
    # The model of the list has the same scores of means and variances.
    listed = mercer.Kernel("fisher(gaussian(covariance=diagonal), information=identity)")(x)
    np.testing.assert_allclose(identity, listed, rtol=1e-8)


def test_it_is_learnt_from_strings_and_beside_other_kernels(rows):
    texts = ["ACGT" * (i % 3 + 1) + "A" * (4 * (i % 2)) for i in range(24)]
    target = np.array(["a", "b"] * 12)
    model = mercer.Learner("svc(c=10)", kernels.fisher(Letters())).fit(texts, target)
    assert (model.predict(texts) == target).mean() > 0.9
    x, y = rows
    both = mercer.Learner("svc(c=1)", kernels.fisher(Normal()) + kernels.rbf(1.0)).fit(x, y)
    assert (both.predict(x) == y).mean() > 0.9
    found = mercer.compare(x, y, kernel=kernels.fisher(Normal(floor=1e-6)), estimators=["svc(c=1)", "baseline"])
    assert len(found.rows) == 2
    # No list names what one process was given.
    assert "python" not in {entry["name"] for entry in mercer._native.catalogue().get("models", [])}


def test_a_fit_is_of_a_copy_and_counts_rows_by_weight(rows):
    x, y = rows
    own = Normal()
    mercer.Learner("ridge(lambda=1)", kernels.fisher(own)).fit(x, x[:, 0])
    assert not hasattr(own, "mean")
    weights = np.where(np.arange(60) % 2 == 0, 2.0, 1.0)
    repeated = np.repeat(np.arange(60), weights.astype(int))
    weighed = mercer.Learner("ridge(lambda=1)", kernels.fisher(Normal()), standardise=False).fit(x, x[:, 0], weights)
    copied = mercer.Learner("ridge(lambda=1)", kernels.fisher(Normal()), standardise=False).fit(x[repeated], x[repeated, 0])
    np.testing.assert_allclose(weighed.predict(x), copied.predict(x), rtol=0, atol=1e-7)


def test_a_model_file_is_read_with_its_class_alone(rows, tmp_path):
    x, y = rows
    path = tmp_path / "own.mercer"
    model = mercer.Learner("svc(c=1)", kernels.fisher(Normal(floor=0.01))).fit(x, y)
    model.save(path)
    again = mercer.load(path, classes=[Normal])
    assert (again.decision_function(x) == model.decision_function(x)).all() if hasattr(model, "decision_function") else True
    assert (again.predict(x) == model.predict(x)).all()
    with pytest.raises(mercer.ModelFileError, match="Normal.*classes"):
        mercer.load(path)
    with pytest.raises(mercer.ModelFileError, match="Normal"):
        mercer.load(path, classes=[Letters])
    copied = pickle.loads(pickle.dumps(model))
    assert (copied.predict(x) == model.predict(x)).all()


class Raises(Normal):
    def score(self, inputs):
        raise ValueError("no score today")


class Short(Normal):
    def score(self, inputs):
        return super().score(inputs)[:-1]


class Endless(Normal):
    def score(self, inputs):
        return super().score(inputs) * np.inf


def test_faults_are_named(rows):
    x, y = rows
    with pytest.raises(mercer.DataError, match="Raises.score raised ValueError: no score today"):
        kernels.fisher(Raises())(x)
    with pytest.raises(mercer.DataError, match="Short.score.*expected"):
        kernels.fisher(Short())(x)
    with pytest.raises(mercer.MercerError, match="not finite|singular|finite"):
        kernels.fisher(Endless(), information="identity")(x)
    with pytest.raises(mercer.DataError, match="without log_density"):

        class Half:
            def fit(self, inputs, weight): ...

        kernels.fisher(Half())
    with pytest.raises(mercer.ExpressionError, match="information=empirical"):
        kernels.fisher(Normal(), information="analytic")(x)
    with pytest.raises(mercer.ExpressionError, match="fisher"):
        kernels.probability_product(Normal())(x)
