"""Estimators written in Python: fitted on kernel values, compared, stored and read with their class."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import mercer
from mercer import kernels


class KernelRidge:
    """(W K + penalty) a = W y, without intercept."""

    def __init__(self, penalty=1.0):
        self.penalty = penalty

    def fit(self, gram, target, sample_weight=None):
        weights = np.ones(len(target)) if sample_weight is None else sample_weight
        self.coef = np.linalg.solve(weights[:, None] * gram + self.penalty * np.eye(len(target)), (weights * target.T).T)
        return self

    def predict(self, cross):
        return cross @ self.coef


class NearestMean:
    """The class whose mean in feature space is nearest (Shawe-Taylor and Cristianini 2004, 5.1)."""

    def fit(self, gram, target):
        self.members = [np.flatnonzero(target == k) for k in range(target.max() + 1)]
        self.squares = np.array([gram[np.ix_(m, m)].mean() for m in self.members])

    def distances(self, cross):
        return self.squares - 2 * np.stack([cross[:, m].mean(axis=1) for m in self.members], axis=1)

    def predict(self, cross):
        return self.distances(cross).argmin(axis=1)


class NearestMeanShare(NearestMean):
    def predict_proba(self, cross):
        shares = np.exp(-self.distances(cross))
        return shares / shares.sum(axis=1, keepdims=True)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 3))
    return x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=40)


def test_numbers_are_those_of_the_estimator_of_the_list(rows):
    x, y = rows
    weights = np.arange(1.0, 41.0)
    for given in (None, weights):
        own = mercer.Learner(KernelRidge(0.5), kernels.rbf(1.5)).fit(x, y, given)
        listed = mercer.Learner("ridge(lambda=0.5, intercept=false)", kernels.rbf(1.5)).fit(x, y, given)
        np.testing.assert_allclose(own.predict(x), listed.predict(x), rtol=0, atol=1e-10)
    two = mercer.Learner(KernelRidge(0.5), kernels.rbf(1.5)).fit(x, np.column_stack([y, -y]))
    np.testing.assert_allclose(two.predict(x)[:, 0], -two.predict(x)[:, 1], rtol=0, atol=1e-12)


def test_classes_are_predicted_by_name_and_with_probabilities():
    data, species = mercer.example("iris")
    model = mercer.Learner(NearestMean(), "rbf(length_scale=2)").fit(data, species)
    assert set(model.predict(data)) == {"setosa", "versicolor", "virginica"}
    assert np.mean(model.predict(data) == species) > 0.85
    shares = mercer.Learner(NearestMeanShare(), "rbf(length_scale=2)").fit(data, species)
    assert (shares.predict(data) == model.predict(data)).all()
    found = shares.predict_proba(data)
    assert found.shape == (150, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-12)


def test_a_learner_fits_a_copy_and_expressions_show_the_parameters(rows):
    own = KernelRidge(2.0)
    learner = mercer.Learner(own, "linear")
    model = learner.fit(*rows)
    assert not hasattr(own, "coef")
    assert "KernelRidge(penalty=2.0)" in learner.estimator
    assert learner.estimator == model.estimator


def test_it_is_compared_beside_the_estimators_of_the_list(rows):
    x, y = rows
    found = mercer.compare(x, y, kernel="rbf(length_scale=1.5)", estimators=[KernelRidge(0.1), "baseline", "ridge(lambda=0.1, intercept=false)"])
    scores = {row["estimator"]: row["metrics"]["rmse"]["mean"] for row in found.rows}
    assert len(scores) == 3
    ours, theirs = (next(v for k, v in scores.items() if k.startswith(name)) for name in ("python", "ridge"))
    assert abs(ours - theirs) <= 1e-9
    # A comparison that names no estimator has those of the list alone.
    assert not any(row["estimator"].startswith("python") for row in mercer.compare(x, y, max_seconds=20).rows)


def test_a_model_file_is_read_with_its_class_alone(rows, tmp_path):
    x, y = rows
    path = tmp_path / "own.mercer"
    model = mercer.Learner(KernelRidge(0.5), "rbf(length_scale=1.5)").fit(x, y)
    model.save(path)
    again = mercer.load(path, classes=[KernelRidge])
    assert (again.predict(x) == model.predict(x)).all()
    with pytest.raises(mercer.ModelFileError, match="KernelRidge"):
        mercer.load(path)
    with pytest.raises(mercer.DataError, match="classes"):
        mercer.load(path, classes=["KernelRidge"])
    copied = pickle.loads(pickle.dumps(model))
    assert (copied.predict(x) == model.predict(x)).all()
    # Another program, which knows no such class and imports none.
    read = f"import mercer\ntry:\n    mercer.load({str(path)!r})\nexcept mercer.ModelFileError as error:\n    print('KernelRidge' in str(error))"
    assert subprocess.run([sys.executable, "-c", read], check=True, capture_output=True, text=True).stdout.strip() == "True"
    # Models of the list need none.
    mercer.Learner("ridge(lambda=1)", "linear").fit(x, y).save(path)
    assert mercer.load(path, classes=[KernelRidge]).predict(x).shape == (40,)


class Wrong:
    def __init__(self, said):
        self.said = said

    def fit(self, gram, target, sample_weight=None):
        if self.said == "raise":
            raise ValueError("no such thing")

    def predict(self, cross):
        return {"few": np.zeros(1), "words": np.array(["a"] * len(cross)), "classes": np.full(len(cross), 7)}[self.said]


@pytest.mark.parametrize(
    ("said", "target", "message"),
    [
        ("raise", "numbers", r"Wrong.fit raised ValueError: no such thing"),
        ("few", "numbers", r"Wrong.predict .*expected 40 rows, found 1"),
        ("words", "numbers", r"Wrong.predict .*array of numbers"),
        ("classes", "words", r"Wrong.predict: expected numbers of classes from 0 to 1, found 7"),
    ],
)
def test_what_a_class_does_wrong_is_named(rows, said, target, message):
    x, y = rows
    y = y if target == "numbers" else np.where(y > 0, "up", "down")
    with pytest.raises(mercer.DataError, match=message):
        mercer.Learner(Wrong(said), "linear").fit(x, y).predict(x)


def test_what_is_no_estimator_is_refused(rows):
    for wrong in (KernelRidge, 3, object()):
        with pytest.raises(mercer.DataError, match="fit and predict"):
            mercer.Learner(wrong)
    model = mercer.Learner(KernelRidge(lambda x: x), "linear")
    with pytest.raises(mercer.DataError, match="KernelRidge.fit raised"):
        model.fit(*rows)


class Holder:
    def __init__(self, **state):
        vars(self).update(state)


def test_the_state_of_an_object_comes_back_as_it_was():
    from mercer import _own

    state = {
        "array": np.arange(6, dtype=np.int32).reshape(2, 3),
        "scalar": np.float32(0.1),
        "numbers": [1, 2.5, float("inf"), -0.0],
        "pair": (True, None, "é"),
        "nested": {"a": {"b": np.array([1 + 2j])}},
    }
    again = _own.unpack(Holder, _own.pack(Holder(**state)))
    assert vars(again).keys() == state.keys()
    assert again.array.dtype == np.int32 and (again.array == state["array"]).all()
    assert type(again.scalar) is np.float32 and again.scalar == np.float32(0.1)
    assert repr(again.numbers) == repr(state["numbers"]) and again.pair == state["pair"]
    assert again.nested["a"]["b"][0] == 1 + 2j
    assert np.isnan(_own.unpack(Holder, _own.pack(Holder(x=float("nan")))).x)
    with pytest.raises(TypeError, match="Holder.f is a function"):
        _own.pack(Holder(f=lambda: 0))
