"""Estimators written in Python: fitted on kernel values, compared, stored and read with their class."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

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
    assert learner.estimator == model.estimator == "KernelRidge(penalty=2)"
    assert mercer.Learner(KernelRidge()).estimator == "KernelRidge()"
    assert model.parameters == {"penalty": 2.0}


def test_it_is_compared_beside_the_estimators_of_the_list(rows):
    x, y = rows
    found = mercer.compare(x, y, kernel="rbf(length_scale=1.5)", estimators=[KernelRidge(0.1), "baseline", "ridge(lambda=0.1, intercept=false)"])
    scores = {row["estimator"]: row["metrics"]["rmse"]["mean"] for row in found.rows}
    assert len(scores) == 3
    assert abs(scores["KernelRidge(penalty=0.1)"] - scores["ridge(lambda=0.1, intercept=false)"]) <= 1e-9
    assert "python" not in str(found)
    # A comparison that names no estimator has those of the list alone.
    assert not any(row["estimator"].startswith("KernelRidge") for row in mercer.compare(x, y, "rbf(length_scale=1)", folds=2, effort=0.1).rows)


def test_a_pair_in_place_of_a_number_is_searched_between(rows):
    x, y = rows
    found = mercer.Learner(KernelRidge((1e-3, 10.0)), "rbf(length_scale=1.5)").fit(x, y, tell=False)
    listed = mercer.Learner("ridge(lambda=0.001..10, intercept=false)", "rbf(length_scale=1.5)").fit(x, y, tell=False)
    assert 1e-3 <= found.parameters["penalty"] <= 10 and f"penalty={found.parameters['penalty']:.4g}"[:10] in found.estimator
    # By cross-validation here and by leave-one-out there: alike, and better than either end.
    assert found.score(x, y) > 0.9 and abs(np.log10(found.parameters["penalty"] / listed.parameters["lambda"])) < 1.5
    forest = mercer.Learner(RandomForestRegressor(n_estimators=5, max_depth=(1, 4))).fit(x, y, tell=False)
    assert isinstance(forest.parameters["max_depth"], int) and "n_estimators=5" in forest.estimator
    piped = mercer.Learner(make_pipeline(StandardScaler(), SVC(C=(0.1, 10)))).fit(x, np.where(y > 0, "up", "down"), tell=False)
    assert 0.1 <= piped.parameters["svc__C"] <= 10
    # A pair that is what an argument takes stays one.
    assert mercer.Learner(make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression())).parameters == {"name": "Pipeline"}


def test_two_objects_that_are_shown_alike_are_two(rows):
    x, y = rows

    class Shift:
        def __init__(self, by):
            self.by = by

        def fit(self, gram, target):
            pass

        def predict(self, cross):
            return np.full(len(cross), float(np.sum(self.by)))

    ones, twos = Shift(np.ones(30)), Shift(np.full(30, 2.0))
    found = mercer.compare(x, y, kernel="linear", estimators=[ones, twos])
    assert sorted(row["estimator"] for row in found.rows) == ["Shift(by=ndarray)", "Shift_2(by=ndarray)"]
    assert len({row["metrics"]["rmse"]["mean"] for row in found.rows}) == 2


def test_it_stands_in_scikit_learns_searches_and_pipelines(rows):
    x, y = rows
    made = mercer.MercerRegressor(estimator=KernelRidge(0.1), kernel="rbf(length_scale=1.5)")
    plain = mercer.Learner(KernelRidge(0.1), "rbf(length_scale=1.5)").fit(x, y)
    np.testing.assert_array_equal(clone(made).fit(x, y).predict(x), plain.predict(x))
    assert made.fit(x, y).estimator_ == "KernelRidge(penalty=0.1)" and made.parameters_ == {"penalty": 0.1}
    assert cross_val_score(made, x, y, cv=3).mean() > 0.5
    grid = {"mercerregressor__estimator": [KernelRidge(0.1), KernelRidge(1e3)]}
    for search in (GridSearchCV, mercer.GridSearchCV):
        found = search(make_pipeline(StandardScaler(), made), grid, cv=3).fit(x, y)
        assert found.best_params_["mercerregressor__estimator"].penalty == 0.1
    searched = mercer.MercerRegressor(KernelRidge((1e-3, 1e3)), "rbf(length_scale=1.5)").fit(x, y)
    assert 1e-3 < searched.parameters_["penalty"] < 1e3
    nested = GridSearchCV(mercer.MercerRegressor(RandomForestRegressor(5, random_state=0)), {"estimator__max_depth": [1, 4]}, cv=3).fit(x, y)
    assert nested.best_params_ == {"estimator__max_depth": 4}
    again = pickle.loads(pickle.dumps(nested.best_estimator_))
    np.testing.assert_array_equal(again.predict(x), nested.predict(x))
    labels = np.where(y > 0, "up", "down")
    shares = mercer.MercerClassifier(NearestMeanShare(), "rbf(length_scale=1)").fit(x, labels)
    assert shares.predict_proba(x).shape == (40, 2) and set(shares.predict(x)) == {"up", "down"}
    assert not hasattr(mercer.MercerClassifier(NearestMean()), "predict_proba")
    with pytest.raises(mercer.ExpressionError, match="an object with fit and predict"):
        mercer.MercerClassifier(estimator=KernelRidge).fit(x, labels)


def test_estimators_of_scikit_learn_are_fitted_to_the_columns(rows):
    data, species = mercer.example("iris")
    estimators = [
        RandomForestClassifier(n_estimators=20),
        LogisticRegression(),
        make_pipeline(StandardScaler(), SVC(C=10)),
        SVC(kernel="precomputed"),
        "svc(c=1)",
        "baseline",
    ]
    found = mercer.compare(data, species, "rbf(length_scale=1)", estimators)
    rows = {row["estimator"]: row for row in found.rows}
    assert list(rows) and set(rows) == {
        "RandomForestClassifier(n_estimators=20)",
        "LogisticRegression()",
        "Pipeline(StandardScaler(), SVC(C=10))",
        "SVC(kernel=precomputed)",
        "svc(c=1)",
        "baseline",
    }
    assert all(row["failure"] is None for row in rows.values())
    # On the same folds, by the same numbers.
    folds = {name: len(row["folds"]["accuracy"]) for name, row in rows.items()}
    assert set(folds.values()) == {5}
    assert all(row["metrics"]["accuracy"]["mean"] > 0.9 for name, row in rows.items() if name != "baseline")
    assert abs(rows["SVC(kernel=precomputed)"]["metrics"]["accuracy"]["mean"] - rows["svc(c=1)"]["metrics"]["accuracy"]["mean"]) < 0.02
    assert "log_loss" in rows["LogisticRegression()"]["metrics"] and "log_loss" not in rows["SVC(kernel=precomputed)"]["metrics"]
    assert rows["RandomForestClassifier(n_estimators=20)"]["fit_seconds"] > 0
    # The same seed gives the same forest.
    again = mercer.compare(data, species, "rbf(length_scale=1)", [RandomForestClassifier(n_estimators=20)])
    assert again.rows[0]["metrics"] == rows["RandomForestClassifier(n_estimators=20)"]["metrics"]


def test_columns_are_the_prepared_ones_and_models_answer_alone():
    x = np.random.default_rng(2).normal(size=(80, 2))
    table = {"a": x[:, 0].tolist(), "city": ["Bonn", "Jena", "Ulm", "Bonn"] * 20}
    table["a"][3] = None
    target = np.where(x[:, 0] > 0, 1.0, 0.0) + np.array([0.0, 1.0, 2.0, 0.0] * 20)
    model = mercer.Learner(LinearRegression()).fit(table, target)
    # Missing cells filled and flagged, standardised, one column for each label: linear in all of them.
    assert model.score(table, target) > 0.8
    assert model.predict({"a": [0.5], "city": ["Jena"]}).shape == (1,)
    tree = mercer.Learner(DecisionTreeClassifier()).fit(table, table["city"])
    assert (tree.predict(table) == table["city"]).all() and tree.predict_proba(table).shape == (80, 3)
    assert (pickle.loads(pickle.dumps(tree)).predict(table) == tree.predict(table)).all()
    with pytest.raises(mercer.MercerError, match="pickle.dump"):
        tree.to_bytes()
    # Texts alone are texts; beside other columns they are refused in words.
    texts = {"said": ["good film", "bad film", "good play", "bad play"] * 5}
    words = mercer.Learner(make_pipeline(CountVectorizer(), LogisticRegression())).fit(
        mercer.Dataset(texts, types={"said": "text"}), ["+", "-", "+", "-"] * 5
    )
    assert words.predict(mercer.Dataset({"said": ["a good one"]}, types={"said": "text"})).tolist() == ["+"]
    both = mercer.Dataset({**texts, "n": list(range(20))}, types={"said": "text"})
    with pytest.raises(mercer.DataError, match="column 'said' holds texts"):
        mercer.Learner(LinearRegression()).fit(both, np.arange(20.0))
    with pytest.raises(mercer.ExpressionError, match="reads the cells of rows and no kernel"):
        mercer.Learner(LinearRegression(), "rbf").fit(table, target)
    # Weights go along where they are taken.
    weights = np.arange(1.0, 81.0)
    assert mercer.Learner(LinearRegression()).fit(table, target, weights).predict(table).shape == (80,)
    with pytest.raises(mercer.DataError, match="KNeighborsRegressor.fit takes no sample_weight"):
        mercer.Learner(KNeighborsRegressor()).fit(table, target, weights)
    with pytest.raises(mercer.DataError, match="class_weight holds weights of labels"):
        mercer.Learner(LogisticRegression(class_weight={"Bonn": 2.0})).fit(table, table["city"])
    for wrong, y in [(LogisticRegression(), target), (LinearRegression(), table["city"])]:
        with pytest.raises(mercer.ExpressionError, match="cannot predict"):
            mercer.Learner(wrong).fit(table, y, task="regression" if y is target else None)


def test_kernel_values_go_to_those_that_say_so(rows):
    x, y = rows

    class Named(BaseEstimator):
        def fit(self, gram, target):
            self.shape = gram.shape

        def predict(self, cross):
            return np.full(len(cross), float(self.shape[1]))

    class Unnamed(Named):
        def fit(self, X, y):
            self.shape = X.shape

    assert mercer.Learner(Named(), "rbf(length_scale=1)").fit(x, y).predict(x[:1])[0] == 40
    assert mercer.Learner(Unnamed()).fit(x, y).predict(x[:1])[0] == 3


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
        ("few", "numbers", r"Wrong.predict: expected 40 rows, found 1"),
        ("words", "numbers", r"Wrong.predict: .*array of numbers"),
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
    with pytest.raises(TypeError, match="Holder.f is a function.*pickle.dump"):
        _own.pack(Holder(f=lambda: 0))
