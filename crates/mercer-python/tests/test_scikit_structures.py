"""Rows without names that are series, sets, graphs or trees, in scikit-learn's form and in a Dataset."""

import pickle

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import mercer
from mercer import BayesClassifier, Dataset, GenerativeDensity, MercerClassifier, MultipleInstanceSVC

KERNEL = "normalise(global_alignment(sigma=1))"
Y = np.arange(24) % 2


def waves(channels):
    random = np.random.default_rng(0)
    return [np.cumsum(random.normal(size=(5 + i % 3, channels)), axis=0) + 2 * Y[i] for i in range(24)]


def objects(rows):
    out = np.empty(len(rows), dtype=object)
    out[:] = rows
    return out


@pytest.mark.parametrize("shape", [list, objects])
@pytest.mark.parametrize("channels", [1, 2])
def test_lists_of_series_are_the_column_that_a_kernel_takes(shape, channels):
    rows = waves(channels) if channels > 1 else [wave[:, 0] for wave in waves(1)]
    column = Dataset({"x": rows}, types={"x": "series"})
    model = mercer.SVC(kernel=KERNEL).fit(shape(rows), Y)
    expected = mercer.SVC(kernel=KERNEL).fit(column, Y)
    np.testing.assert_array_equal(model.decision_function(shape(rows)), expected.decision_function(column))
    assert model.n_features_in_ == 1
    assert not hasattr(model, "feature_names_in_")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(rows), model.predict(rows))
    # A model of a named column takes such rows too.
    named = mercer.SVC(kernel=KERNEL).fit(Dataset({"wave": rows}, types={"wave": "series"}), Y)
    np.testing.assert_array_equal(named.predict(shape(rows)), expected.predict(column))


def test_arrays_of_two_and_three_axes_are_series_of_one_length():
    array = np.random.default_rng(1).normal(size=(24, 6, 2)) + Y[:, None, None]
    for rows in (array, array[:, :, 0]):
        model = mercer.KernelRidgeClassifier(kernel=KERNEL).fit(rows, Y)
        expected = mercer.KernelRidgeClassifier(kernel=KERNEL).fit(Dataset({"x": list(rows)}, types={"x": "series"}), Y)
        np.testing.assert_allclose(model.decision_function(rows), expected.decision_function(rows), rtol=1e-12)
    assert len(cross_val_score(mercer.SVC(kernel=KERNEL), array, Y)) == 5


def test_sets_graphs_and_trees_are_columns_of_their_kernels():
    bags, edges = waves(2), [[(0, 1)], [(0, 1), (1, 2)]] * 12
    neighbours, trees = [{"u": ["v"], "v": ["u"]}, {"u": ["v"], "v": ["u", "w"], "w": ["v"]}] * 12, [("S", ("NP", "a")), ("S", ("NP", "b"))] * 12
    for kernel, rows, kind in [
        ("set_mean(rbf(length_scale=1))", bags, "set"),
        ("weisfeiler_lehman", edges, "graph"),
        ("weisfeiler_lehman", neighbours, "graph"),
        ("subset_tree", trees, "tree"),
    ]:
        model = mercer.SVC(kernel=kernel).fit(rows, Y)
        assert model.model_.columns == {"x": kind}
        expected = mercer.SVC(kernel=kernel).fit(Dataset({"x": rows}, types={"x": kind}), Y)
        np.testing.assert_array_equal(model.decision_function(rows[:4]), expected.decision_function(Dataset({"x": rows[:4]}, types={"x": kind})))


def test_generative_models_and_declared_types_say_what_rows_are():
    rows = [wave[:, 0] for wave in waves(1)]
    column = Dataset({"x": rows}, types={"x": "series"})
    bayes = BayesClassifier("gaussian_hmm").fit(rows, Y)
    np.testing.assert_array_equal(bayes.predict_proba(rows), BayesClassifier("gaussian_hmm").fit(column, Y).predict_proba(column))
    density = GenerativeDensity("gaussian_hmm")
    np.testing.assert_array_equal(density.fit(rows).score_samples(rows), density.fit(column).score_samples(column))
    declared = MercerClassifier("svc(c=1)", types={"wave": "series"}).fit(rows, Y)
    assert declared.model_.columns == {"wave": "series"}
    assert declared.predict(rows).shape == (24,)
    assert MercerClassifier("svc(c=1)", kernel=KERNEL).fit(rows, Y).model_.columns == {"x": "series"}
    assert MercerClassifier("svc(c=1)").fit(waves(2), Y).model_.columns == {"x": "set"}
    # Numbers are numbers for what takes numbers.
    assert mercer.SVC(kernel="rbf(length_scale=1)").fit([[0.0, 1.0], [1.0, 0.0]], [0, 1]).n_features_in_ == 2


@pytest.mark.parametrize("estimator", [mercer.SVC(), MercerClassifier("svc")])
def test_rows_of_which_nothing_says_what_they_are_are_refused_with_advice(estimator):
    with pytest.raises(mercer.DataError, match=r"rows are of unlike shapes; .*types=\{\"x\": \"series\"\}"):
        estimator.fit([wave[:, 0] for wave in waves(1)], Y)
    with pytest.raises(mercer.DataError, match=r"dim 3.*types=\{\"x\": \"series\"\}"):
        estimator.fit(np.zeros((24, 3, 2)), Y)


@pytest.mark.parametrize("positive", [[1], ["1"], 1, "1", [1.0], (1,), np.array([1])], ids=repr)
def test_a_positive_class_is_named_by_its_label_in_any_type(positive):
    bags = [wave - wave.mean() * (1 - label) for wave, label in zip(waves(2), Y)]
    expected = MultipleInstanceSVC().fit(bags, Y).decision_function(bags)
    np.testing.assert_array_equal(MultipleInstanceSVC(positive=positive).fit(bags, Y).decision_function(bags), expected)
    other = MultipleInstanceSVC(positive=[0]).fit(bags, Y).decision_function(bags)
    assert not np.allclose(other, expected)


def test_labels_of_floats_and_flags_are_named_by_equal_numbers():
    bags = waves(2)
    expected = MultipleInstanceSVC().fit(bags, Y).decision_function(bags)
    for labels in (Y.astype(float), Y > 0):
        np.testing.assert_array_equal(MultipleInstanceSVC(positive=1).fit(bags, labels).decision_function(bags), expected)
    assert "positive : label or list of labels, default=()" in MultipleInstanceSVC.__doc__


def test_one_empty_set_alone_is_predicted():
    bags = [*waves(2), np.zeros((0, 2))]
    model = MultipleInstanceSVC().fit(bags, [*Y, 0])
    empty = np.zeros((0, 2))
    np.testing.assert_array_equal(model.decision_function([empty]), model.decision_function([empty, bags[0]])[:1])
    np.testing.assert_array_equal(model.decision_function([[]]), model.decision_function([empty]))


def test_empty_sets_and_series_are_values_and_none_is_missing():
    data = Dataset({"b": [np.ones((2, 2)), np.zeros((0, 2)), None], "s": [[1.0], [], None]}, types={"s": "series"})
    assert {name: rows.tolist() for name, rows in data.missing.items()} == {"b": [2], "s": [2]}
    assert data["b"][1].shape[0] == data["s"][1].shape[0] == 0
    kept = mercer.Learner("ridge(lambda=1)", "on(b, set_mean(rbf(length_scale=1)))", missing={"b": "drop"}).fit(data, [0.0, 1.0, 2.0])
    assert kept.support.tolist() == [0, 1]


@pytest.mark.parametrize(
    "rows, kind, message",
    [
        ([[1.0, np.inf], [1.0]], "series", r"column 'x': row 1 \(index 0\): found 'inf in channel 1 at time 2', expected a finite number"),
        ([np.zeros((3, 2)), np.zeros((4, 3))], "series", r"column 'x': row 2 \(index 1\): found '3 channels at time 1', expected 2"),
        ([np.array([[1.0, np.inf]]), np.ones((1, 2))], "set", r"column 'x': row 1 \(index 0\): found 'inf in vector 1', expected a finite"),
        ([[(0, 1)], 3], "graph", r"column 'x': row 2 \(index 1\): expected a graph: .*found int"),
        ([3, [(0, 1)]], "graph", r"column 'x': row 1 \(index 0\): expected a graph: .*found int"),
        ([[(0, 1)], []], "graph", r"column 'x': row 2 \(index 1\): the graph has no nodes; .*None"),
        ([{0: [1], 1: [0]}, {}], "graph", r"column 'x': row 2 \(index 1\): the graph has no nodes"),
        ([{0: [1], 1: [0]}], None, r"column 'x': row 1 \(index 0\) holds dict; .*types=\{COLUMN: \"graph\"\}"),
        ([{"label": "S", "children": ["a"]}], None, r"column 'x': row 1 \(index 0\) holds dict; .*types=\{COLUMN: \"tree\"\}"),
        ([("", ("NP", "I"))], "tree", "it has an empty label; write one"),
    ],
)
def test_faults_of_structures_name_column_row_and_place(rows, kind, message):
    with pytest.raises(mercer.DataError, match=message):
        Dataset({"x": rows}, types=None if kind is None else {"x": kind})


def test_new_rows_of_other_size_are_named_by_row():
    sets = Dataset({"x": waves(2)}, types={"x": "set"})
    model = mercer.Learner("ridge(lambda=1)", "set_mean(rbf(length_scale=1))").fit(sets, Y.astype(float))
    with pytest.raises(mercer.DataError, match=r"row 1 \(index 0\), column 'x': found '3 numbers per vector', expected 2, as in training"):
        model.predict([np.zeros((2, 3))])


def test_a_tree_too_deep_for_lists_is_told_what_the_limit_is():
    tree = "x"
    for _ in range(5000):
        tree = ("S", tree)
    with pytest.raises(mercer.DataError, match=r"row 1 \(index 0\): this tree is nested too deeply for lists, which may be 127 deep; .*\(S \(NP I\)\)"):
        Dataset({"x": [tree]}, types={"x": "tree"})


def test_an_estimator_without_a_target_is_refused_with_those_that_predict_classes():
    with pytest.raises(mercer.ExpressionError, match="density: it takes no target.*svc.*bayes"):
        MercerClassifier("density(gaussian)").fit(np.eye(4), [0, 1, 0, 1])


def test_the_docstring_of_a_kernel_says_how_it_is_called():
    assert "k(x, y=None, *, threads=0, max_memory=None)" in mercer.Kernel.__doc__
