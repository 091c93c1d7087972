"""Nearest neighbours of scikit-learn's form: weights by a function, several targets, training rows answered by the others.

Expected values are those of sklearn.neighbors. Where rows are as far as the last neighbour, scikit-learn takes those that it
finds first and Mercer all of them (decision on Python package); a function of distances gets exactly those of scikit-learn.
"""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn")

import sklearn.neighbors as scikit
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.pipeline import make_pipeline

import mercer

RNG = np.random.default_rng(0)
LABELS = np.array(["low", "middle", "high"])
#: Distances that all differ, and a coarse grid, on which most are equal to others.
TABLES = {"no ties": RNG.normal(size=(120, 3)), "ties": RNG.integers(0, 4, (120, 3)).astype(float)}
CLASSES = RNG.integers(0, 3, (120, 3))
NUMBERS = RNG.normal(size=(120, 2))
NEW = {"no ties": RNG.normal(size=(40, 3)), "ties": RNG.integers(0, 4, (40, 3)).astype(float)}


def inverse(distances):
    return 1.0 / (0.1 + distances) ** 2


def near(distances):
    """All neighbours up to the median, and always the first."""
    return (distances <= max(np.median(distances), distances[:, 0].max())).astype(int)


def alike(distances):
    return np.ones_like(distances)


def both(name, *arguments, **words):
    return getattr(mercer, name)(*arguments, **words), getattr(scikit, name)(*arguments, **words)


@pytest.mark.parametrize("rows", [None, "new"], ids=["training rows", "new rows"])
@pytest.mark.parametrize("words", [{}, {"metric": "manhattan"}, {"p": 3}, {"algorithm": "brute"}], ids=str)
@pytest.mark.parametrize("function", [inverse, near, alike])
@pytest.mark.parametrize("table", TABLES)
def test_weights_by_a_function_give_the_numbers_of_scikit_learn(table, function, words, rows):
    X, new = TABLES[table], None if rows is None else NEW[table]
    for k in (1, 4):
        for y in (CLASSES[:, 0], LABELS[CLASSES]):
            ours, theirs = both("KNeighborsClassifier", k, weights=function, **words)
            ours.fit(X, y), theirs.fit(X, y)
            np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
            np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), rtol=0, atol=1e-14)
        for y in (NUMBERS[:, 0], NUMBERS):
            ours, theirs = both("KNeighborsRegressor", k, weights=function, **words)
            np.testing.assert_allclose(ours.fit(X, y).predict(new), theirs.fit(X, y).predict(new), rtol=0, atol=1e-12)
            truth = y if new is None else y[: len(new)]
            assert ours.score(new, truth) == pytest.approx(theirs.score(new, truth), abs=1e-12)


@pytest.mark.parametrize("weights", ["uniform", "distance", None])
@pytest.mark.parametrize("rows", [None, "new"], ids=["training rows", "new rows"])
def test_several_targets_and_rows_left_out_are_those_of_scikit_learn(weights, rows):
    X, new = TABLES["no ties"], None if rows is None else NEW["no ties"]
    # An even number of neighbours: many classes have equal votes.
    for k in (1, 4, 7):
        for y in (CLASSES, LABELS[CLASSES], CLASSES[:, 0], CLASSES[:, :2] > 0):
            ours, theirs = both("KNeighborsClassifier", k, weights=weights)
            ours.fit(X, y), theirs.fit(X, y)
            assert ours.outputs_2d_ == theirs.outputs_2d_
            for a, b in zip(ours.classes_, theirs.classes_):
                np.testing.assert_array_equal(a, b)
            found, expected = ours.predict(new), theirs.predict(new)
            np.testing.assert_array_equal(found, expected)
            assert found.shape == expected.shape
            found, expected = ours.predict_proba(new), theirs.predict_proba(new)
            assert isinstance(found, list) == isinstance(expected, list) and len(found) == len(expected)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
        for y in (NUMBERS[:, 0], NUMBERS):
            ours, theirs = both("KNeighborsRegressor", k, weights=weights)
            np.testing.assert_allclose(ours.fit(X, y).predict(new), theirs.fit(X, y).predict(new), rtol=0, atol=1e-12)


def sure(model, X):
    """Rows whose neighbours are the same for every rule: the last of them is nearer than the next."""
    distances = model.kneighbors(X, model.n_neighbors + 1)[0]
    return distances[:, -1] > distances[:, -2] * (1 + 1e-9)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_equal_distances_change_nothing_where_the_last_neighbour_is_nearer_than_the_next(weights):
    X, y = TABLES["ties"], LABELS[CLASSES]
    for k in (1, 2, 3, 5, 8):
        ours, theirs = both("KNeighborsClassifier", k, weights=weights)
        ours.fit(X, y), theirs.fit(X, y)
        for new in (None, NEW["ties"]):
            rows = sure(theirs, new)
            np.testing.assert_array_equal(ours.predict(new)[rows], theirs.predict(new)[rows])
            for found, expected in zip(ours.predict_proba(new), theirs.predict_proba(new)):
                np.testing.assert_allclose(found[rows], expected[rows], rtol=0, atol=1e-12)
        ours, theirs = both("KNeighborsRegressor", k, weights=weights)
        ours.fit(X, NUMBERS), theirs.fit(X, NUMBERS)
        for new in (None, NEW["ties"]):
            rows = sure(theirs, new)
            np.testing.assert_allclose(ours.predict(new)[rows], theirs.predict(new)[rows], rtol=0, atol=1e-12)


@pytest.mark.parametrize("weights", ["uniform", "distance", inverse])
@pytest.mark.parametrize("metric", ["minkowski", "manhattan", "precomputed"])
def test_a_row_left_out_is_answered_as_by_a_fit_without_it_ties_or_not(weights, metric):
    # Which of the rows at one distance a function gets is up to scikit-learn, and Euclidean distances are equal up to rounding.
    ties = weights is not inverse and metric != "minkowski"
    for X in [TABLES["no ties"][:30]] + [TABLES["ties"][:30]] * ties:
        given = np.abs(X[:, None] - X[None]).sum(axis=2) if metric == "precomputed" else X
        ours = mercer.KNeighborsClassifier(4, weights=weights, metric=metric).fit(given, CLASSES[:30, 0])
        classes, probabilities = ours.predict(None), ours.predict_proba(None)
        for i in range(30):
            rest = np.delete(np.arange(30), i)
            train, test = (given[np.ix_(rest, rest)], given[[i]][:, rest]) if metric == "precomputed" else (X[rest], X[[i]])
            other = clone(ours).fit(train, CLASSES[rest, 0])
            np.testing.assert_array_equal(classes[i], other.predict(test)[0])
            np.testing.assert_allclose(probabilities[i], other.predict_proba(test)[0], atol=1e-12)


def test_the_score_of_training_rows_is_that_of_leaving_each_out():
    X, y = TABLES["no ties"], CLASSES[:, 0]
    for weights in ("uniform", "distance", inverse):
        model = mercer.KNeighborsClassifier(4, weights=weights).fit(X, y)
        assert model.score(None, y) == pytest.approx(cross_val_score(clone(model), X, y, cv=LeaveOneOut()).mean(), abs=1e-12)
        np.testing.assert_array_equal(model.leave_one_out(), model.predict(None))


def test_a_target_of_several_columns_is_a_target_for_each():
    X, y = TABLES["ties"], CLASSES
    weight = RNG.integers(1, 3, len(y))
    several = mercer.KNeighborsClassifier(4, metric="cosine").fit(X + 1, y, weight)
    for j in range(3):
        one = mercer.KNeighborsClassifier(4, metric="cosine").fit(X + 1, y[:, j], weight)
        np.testing.assert_array_equal(several.predict(X + 1)[:, j], one.predict(X + 1))
        np.testing.assert_array_equal(several.predict_proba(None)[j], one.predict_proba(None))
    indicators = (y > 0).astype(int)
    sparse = mercer.KNeighborsClassifier().fit(X, sp.csr_matrix(indicators))
    np.testing.assert_array_equal(sparse.predict(X), mercer.KNeighborsClassifier().fit(X, indicators).predict(X))
    with pytest.warns(DataConversionWarning, match="column-vector"):
        column = mercer.KNeighborsClassifier().fit(X, y[:, :1])
    assert column.predict(X).shape == (120,) and not column.outputs_2d_


def test_one_class_has_every_vote():
    for y in (np.zeros(120), np.zeros((120, 2))):
        for weights in ("uniform", inverse):
            ours, theirs = both("KNeighborsClassifier", weights=weights)
            found, expected = (model.fit(TABLES["no ties"], y).predict_proba(None) for model in (ours, theirs))
            np.testing.assert_array_equal(found, expected)


def test_a_neighbour_of_infinite_weight_counts_alone():
    def squares(distances):
        with np.errstate(divide="ignore"):
            return 1.0 / distances**2

    X, y = TABLES["no ties"], CLASSES[:, 0]
    ours, theirs = both("KNeighborsClassifier", weights=squares)
    np.testing.assert_array_equal(ours.fit(X, y).predict(X), theirs.fit(X, y).predict(X))
    np.testing.assert_array_equal(ours.predict_proba(X), np.eye(3)[y])
    np.testing.assert_array_equal(mercer.KNeighborsRegressor(weights=squares).fit(X, NUMBERS).predict(X), NUMBERS)


def test_estimators_with_functions_and_several_targets_are_copied():
    X = TABLES["ties"]
    for weights, y in [(inverse, CLASSES[:, 0]), (inverse, CLASSES), ("distance", CLASSES)]:
        model = mercer.KNeighborsClassifier(3, weights=weights).fit(X, y)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        np.testing.assert_array_equal(again.predict(None), model.predict(None))
        assert clone(model).weights is weights
    model = mercer.KNeighborsRegressor(3, weights=inverse).fit(X, NUMBERS)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


class Lost(KeyError):
    """An error of the user, with more than a message."""

    def __init__(self, name, number):
        super().__init__(name)
        self.number = number


def broken(distances):
    raise Lost("no such table", 7)


@pytest.mark.parametrize("rows", [None, "new"], ids=["training rows", "new rows"])
def test_what_a_function_of_weights_raises_comes_through_as_it_is(rows):
    model = mercer.KNeighborsClassifier(weights=broken).fit(TABLES["no ties"], CLASSES[:, 0])
    with pytest.raises(Lost) as caught:
        model.predict(None if rows is None else NEW["no ties"])
    assert caught.value.args == ("no such table",) and caught.value.number == 7
    assert caught.traceback[-1].name == "broken"


@pytest.mark.parametrize("weights", ["uniform", "distance", None, inverse])
def test_a_sparse_graph_of_neighbours_gives_the_predictions_of_scikit_learn(weights):
    X, new, y = TABLES["no ties"], NEW["no ties"], LABELS[CLASSES[:, 0]]
    search = scikit.KNeighborsTransformer(n_neighbors=9, mode="distance").fit(X)
    train, test = search.transform(X), search.transform(new)
    assert sp.issparse(train)
    for name, target in [("KNeighborsClassifier", y), ("KNeighborsRegressor", NUMBERS)]:
        ours, theirs = both(name, 4, metric="precomputed", weights=weights)
        ours.fit(train, target), theirs.fit(train, target)
        for rows in (test, None):
            found, expected = ours.predict(rows), theirs.predict(rows)
            if name == "KNeighborsClassifier":
                np.testing.assert_array_equal(found, expected)
                np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), rtol=0, atol=1e-14)
            else:
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
        # A program that makes the graph as a step of a pipeline.
        piped, plain = (make_pipeline(clone(search), clone(model)).fit(X, target) for model in (ours, theirs))
        np.testing.assert_allclose(piped.score(new, target[:40]), plain.score(new, target[:40]), rtol=0, atol=1e-12)
    with pytest.raises(mercer.ExpressionError, match="n_neighbors='auto' is not tuned where metric='precomputed' gets a graph"):
        mercer.KNeighborsClassifier("auto", metric="precomputed").fit(train, y)


def test_distances_between_rows_with_gaps_are_those_of_scikit_learn():
    X, new = TABLES["no ties"].copy(), NEW["no ties"].copy()
    X[::5, 1], new[::3, 0] = np.nan, np.nan
    ours, theirs = both("KNeighborsClassifier", 4, metric="nan_euclidean")
    np.testing.assert_array_equal(ours.fit(X, CLASSES[:, 0]).predict(new), theirs.fit(X, CLASSES[:, 0]).predict(new))
    np.testing.assert_array_equal(ours.kneighbors(new)[1], theirs.kneighbors(new)[1])
    ours, theirs = both("KNeighborsRegressor", 4, metric="nan_euclidean")
    np.testing.assert_allclose(ours.fit(X, NUMBERS).predict(new), theirs.fit(X, NUMBERS).predict(new), rtol=0, atol=1e-12)
    assert ours.__sklearn_tags__().input_tags.allow_nan
    X[0] = np.nan
    with pytest.raises(mercer.DataError, match=r"there is no distance between row 1 \(index 0\) and training row 1 \(index 0\)"):
        mercer.KNeighborsClassifier(metric="nan_euclidean").fit(X, CLASSES[:, 0])


@pytest.mark.parametrize(
    "words", [{}, {"p": 1}, {"p": np.inf}, {"p": 3}, {"metric": "cosine"}, {"metric": "minkowski", "metric_params": {"w": [1, 2, 1]}}], ids=str
)
def test_the_metric_that_is_used_has_the_name_that_scikit_learn_gives_it(words):
    ours, theirs = both("KNeighborsClassifier", **words)
    ours.fit(TABLES["no ties"], CLASSES[:, 0]), theirs.fit(TABLES["no ties"], CLASSES[:, 0])
    assert ours.effective_metric_ == theirs.effective_metric_
    assert ours.effective_metric_params_ == theirs.effective_metric_params_


@pytest.mark.parametrize("name", ["KNeighborsClassifier", "KNeighborsRegressor"])
def test_what_is_wrong_with_weights_is_said(name):
    X, y = TABLES["no ties"], CLASSES[:, 0]

    def said(function, match, rows=X):
        with pytest.raises(mercer.DataError, match=match):
            getattr(mercer, name)(weights=function).fit(X, y).predict(rows)

    said(lambda d: d[:, 0], r"returned an array of shape \(120,\); expected \(120, 5\)")
    said(lambda d: "near", "returned str, which is no array of numbers")
    said(lambda d: np.where(np.arange(5) == 2, np.nan, 1 + 0 * d), r"returned nan for row 1 \(index 0\), neighbour 3")
    said(lambda d: -1 - d, r"returned -.* for row 1 \(index 0\), neighbour 1; expected numbers of 0 and above")
    said(lambda d: 0 * d, "All neighbors of some sample is getting zero weights.*row 1")
    said(lambda d: np.where(np.arange(120)[:, None] == 3, 0.0, 1.0 + 0 * d), "zero weights.*row 4", None)
    with pytest.raises(mercer.DataError, match="sample_weight is not taken where weights= is a function"):
        getattr(mercer, name)(weights=inverse).fit(X, y, np.ones(120))
    with pytest.raises(mercer.ExpressionError, match="n_neighbors='auto' is not tuned where weights= is a function"):
        getattr(mercer, name)("auto", weights=inverse).fit(X, y)
    with pytest.raises(mercer.ExpressionError, match="weights='nearest'"):
        getattr(mercer, name)(weights="nearest").fit(X, y)


@pytest.mark.parametrize("weights", ["uniform", inverse])
@pytest.mark.parametrize("name", ["KNeighborsClassifier", "KNeighborsRegressor"])
def test_more_neighbours_than_there_are_other_rows_are_refused(name, weights):
    X, y = TABLES["no ties"][:6], CLASSES[:6, 0]
    model = getattr(mercer, name)(6, weights=weights).fit(X, y)
    assert model.predict(X).shape == (6,)
    with pytest.raises(ValueError, match=r"Expected n_neighbors < n_samples_fit, but n_neighbors = 6, n_samples_fit = 6"):
        model.predict(None)
    with pytest.raises(ValueError, match=r"Expected n_neighbors <= n_samples_fit, but n_neighbors = 7"):
        getattr(mercer, name)(7, weights=weights).fit(X, y).predict(X)


def test_the_number_of_neighbours_may_be_tuned():
    X, y = TABLES["no ties"], CLASSES
    model = mercer.KNeighborsClassifier("auto").fit(X, y[:, 0])
    assert model.predict(None).shape == (120,)
    several = mercer.KNeighborsClassifier((1, 9)).fit(X, y)
    assert several.predict(None).shape == (120, 3) and len(several.n_neighbors_) == 3


def test_names_of_columns_are_kept_for_neighbours_too():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TABLES["no ties"], columns=["a", "b", "c"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for weights in ("uniform", inverse):
            model = mercer.KNeighborsClassifier(weights=weights).fit(frame, CLASSES[:, 0])
            assert model.predict(frame).shape == (120,) and model.kneighbors(frame)[1].shape == (120, 5)


def never(a, b):
    raise AssertionError("a distance was computed")


def test_a_fit_by_another_metric_computes_no_distance():
    X, y = TABLES["no ties"], CLASSES[:, 0]
    for weights in ("uniform", "distance", inverse):
        model = mercer.KNeighborsClassifier(metric=never, algorithm="brute", weights=weights).fit(X, y)
        with pytest.raises(AssertionError, match="a distance was computed"):
            model.predict(X)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("table", TABLES)
def test_neighbours_found_by_scikit_learn_have_the_shares_of_the_library(table, weights):
    X, new, y = TABLES[table], NEW[table], CLASSES[:, 0]
    # k(x, z) = -d(x, z)^2 / 2: of whole numbers the library's distances are exact too.
    gram, cross = (-0.5 * np.abs(rows[:, None] - X[None]).sum(axis=2) ** 2 for rows in (X, new))
    for mass in (None, RNG.integers(1, 3, 120), RNG.random(120)):
        for k in (1, 4, 7):
            words = f"k={k}, weights={weights}"
            theirs = mercer.Learner(f"knn({words}, ties=first, calibrated=false)", "precomputed").fit(gram, y, mass, classes=[0, 1, 2])
            ours = mercer.KNeighborsClassifier(k, weights=weights, metric="manhattan").fit(X, y, mass)
            np.testing.assert_array_equal(ours.predict(new), theirs.predict(cross))
            for rows, expected in [(new, theirs.decision_function(cross)), (None, theirs.leave_one_out(y, mass, data=gram, scores=True))]:
                np.testing.assert_allclose(ours._answered(rows, votes=True), expected, rtol=0, atol=1e-12)
            theirs = mercer.Learner(f"knn({words})", "precomputed").fit(gram, NUMBERS, mass)
            ours = mercer.KNeighborsRegressor(k, weights=weights, metric="manhattan").fit(X, NUMBERS, mass)
            np.testing.assert_allclose(ours.predict(new), theirs.predict(cross), rtol=0, atol=1e-12)
            np.testing.assert_allclose(ours.predict(None), theirs.leave_one_out(NUMBERS, mass, data=gram), rtol=0, atol=1e-12)


def test_a_row_of_weight_0_is_no_neighbour():
    X, y, mass = TABLES["ties"], CLASSES[:, 0], np.arange(120) % 3
    model = mercer.KNeighborsClassifier(3, metric="manhattan").fit(X, y, mass)
    without = mercer.KNeighborsClassifier(3, metric="manhattan").fit(X[mass > 0], y[mass > 0], mass[mass > 0])
    np.testing.assert_array_equal(model.predict_proba(X), without.predict_proba(X))
    np.testing.assert_array_equal(model.predict_proba(None), without.predict_proba(None))
    given = np.abs(X[:, None] - X[None]).sum(axis=2)
    np.testing.assert_array_equal(mercer.KNeighborsClassifier(3, metric="precomputed").fit(given, y, mass).predict(given), model.predict(X))


def test_what_the_search_cannot_take_is_refused_at_the_fit():
    X, y = TABLES["no ties"], CLASSES[:, 0]
    for words in ({"p": 0}, {"p": -1}, {"algorithm": "foo"}, {"leaf_size": 0}, {"metric": "foo"}):
        with pytest.raises(ValueError, match=f"The '{next(iter(words))}' parameter of KNeighborsClassifier must be"):
            mercer.KNeighborsClassifier(**words).fit(X, y)
