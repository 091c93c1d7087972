"""Trees as lists of str and sets of vectors as lists of arrays, from data to predictions."""

import numpy as np
import pytest

import mercer

TREES = [f"(S (NP {'I' if i % 2 else 'you'}) ({'V' if i // 2 % 2 else 'N'} {'abc'[i % 3]}))" for i in range(24)]


def bags():
    random = np.random.default_rng(0)
    return [random.normal(loc=i % 2, size=(1 + i % 3, 2)) for i in range(24)]


def test_a_list_of_trees_is_a_column_of_trees():
    data = mercer.Dataset({"x": TREES})
    assert data.columns == {"x": "tree"}
    assert list(data["x"]) == TREES
    with pytest.raises(mercer.DataError, match="row 2.*character"):
        mercer.Dataset({"x": ["(S (NP I))", "(S (NP I)"]}, types={"x": "tree"})


def test_trees_are_nested_lists_tuples_and_dicts_alike():
    text = ["(S (NP a) (VP b))", "(S (NP a) (VP (V b) c))"]
    nested = [("S", ("NP", "a"), ("VP", "b")), ["S", ["NP", "a"], ["VP", ["V", "b"], "c"]]]
    dicts = [{"label": "S", "children": [{"label": "NP", "children": ["a"]}, ["VP", "b"]]}, nested[1]]
    expected = mercer.Kernel("subset_tree(decay=1)")(text)
    for given in (nested, np.array([*nested, None], dtype=object)[:2]):
        data = mercer.Dataset({"x": given})
        assert data.columns == {"x": "tree"}
        assert list(data["x"]) == text
        assert (mercer.Kernel("subset_tree(decay=1)")(given) == expected).all()
    assert list(mercer.Dataset({"x": dicts}, types={"x": "tree"})["x"]) == text
    # A list without a list in it is a tree where that is said, and nothing is the empty tree.
    assert list(mercer.Dataset({"x": [("NP", "a"), None, "(NP a)"]}, types={"x": "tree"})["x"]) == ["(NP a)", "", "(NP a)"]
    model = mercer.Learner("svc").fit(nested * 6, np.array(["one", "two"] * 6))
    assert list(model.predict(nested)) == ["one", "two"]
    assert list(model.predict(text)) == ["one", "two"]


def test_what_is_no_tree_is_named_with_its_row():
    for bad, words in [
        (("S", (3.5, object())), "row 2.*neither a label nor a list"),
        (("S", ()), "row 2.*empty list"),
        (7, "row 2.*expected a tree"),
        (("S P", ("NP", "a")), "row 2.*label"),
    ]:
        with pytest.raises(mercer.DataError, match=words):
            mercer.Dataset({"x": [("S", ("NP", "a")), bad]}, types={"x": "tree"})


def test_a_tree_kernel_takes_a_list_of_str():
    k = mercer.Kernel("subset_tree(decay=1)")(["(NP (D the) (N apple))", "(NP (D the) (N pear))"])
    # Collins & Duffy (2001): six fragments; all but those with the noun are shared.
    assert k.tolist() == [[6.0, 3.0], [3.0, 6.0]]


def test_trees_and_sets_are_learnt_from():
    classes = np.array([str(i // 2 % 2) for i in range(24)])
    model = mercer.Learner("svc").fit(TREES, classes)
    assert (model.predict(TREES) == classes).all()
    sets = bags()
    numbers = np.array([float(i % 2) for i in range(24)])
    model = mercer.Learner("ridge").fit(sets, numbers)
    assert str(model.kernel).startswith("normalise(set_mean(rbf(")
    assert model.predict(sets[:5]).shape == (5,)


def test_sets_are_arrays_of_their_vectors():
    sets = bags()
    data = mercer.Dataset({"bag": sets})
    assert data.columns == {"bag": "set"}
    assert all((found == given).all() for found, given in zip(data["bag"], sets, strict=True))
    k = mercer.Kernel("set_mean(rbf(length_scale=1))")(sets)
    inner = mercer.Kernel("rbf(length_scale=1)")(np.vstack(sets))
    ends = np.cumsum([0] + [len(s) for s in sets])
    means = [[inner[a:b, c:d].mean() for c, d in zip(ends, ends[1:])] for a, b in zip(ends, ends[1:])]
    np.testing.assert_allclose(k, means, atol=1e-13)
    # Sets of one size are an array of three axes.
    assert mercer.Dataset({"bag": np.zeros((4, 3, 2))}).columns == {"bag": "set"}
    with pytest.raises(mercer.DataError, match="row 2"):
        mercer.Dataset({"bag": [np.zeros((2, 3)), np.zeros((2, 2))]})


def test_rows_are_grouped_where_a_table_is_read(tmp_path):
    path = tmp_path / "bags.csv"
    path.write_text("id,a,b,y\nm,1,2,yes\nn,3,4,no\nm,5,6,yes\n")
    data, target = mercer.read_table(path, "y", group_into="id")
    assert data.columns == {"id": "set"}
    assert list(target) == ["yes", "no"]
    assert data["id"][0].tolist() == [[1.0, 2.0], [5.0, 6.0]]


def test_graphs_come_as_networkx_neighbours_edges_and_text_alike():
    class Named(dict):
        """What networkx calls its views: a mapping that is called for the data of one name."""

        def __call__(self, name):
            return [(*key, value.get(name)) if isinstance(key, tuple) else (key, value.get(name)) for key, value in self.items()]

    class Graph:
        def __init__(self, nodes, edges, directed=False):
            self.nodes, self.edges, self.is_directed = Named(nodes), Named(edges), lambda: directed

    labelled = Graph({"a": {"label": "C"}, "b": {"label": "C"}, "c": {"label": "O"}}, {("a", "b"): {}, ("c", "b"): {"label": 2, "w": 1.5}})
    text = mercer.Dataset({"g": ["C C O | 0-1 1-2:2", "C | "]}, types={"g": "graph"})
    given = mercer.Dataset({"g": [labelled, Graph({0: {"label": "C"}}, {})]})
    kernel = mercer.Kernel("weisfeiler_lehman")
    assert list(given["g"]) == list(text["g"])
    np.testing.assert_array_equal(kernel([labelled, Graph({0: {"label": "C"}}, {})]), kernel(text))
    plain = mercer.Dataset({"g": ["_ _ _ | 0-1 1-2"]}, types={"g": "graph"})
    for other in ({"x": ["y"], "y": ["x", "z"], "z": ["y"]}, [(0, 1), (1, 2)], {"nodes": [None] * 3, "edges": [[0, 1], [1, 2]]}):
        assert list(mercer.Dataset({"g": [other]}, types={"g": "graph"})["g"]) == list(plain["g"])
    with pytest.raises(mercer.DataError, match="row 2.*'w'.*no node"):
        mercer.Dataset({"g": [{"u": []}, {"u": ["w"]}]}, types={"g": "graph"})
    with pytest.raises(mercer.DataError, match="row 1.*directed"):
        mercer.Dataset({"g": [Graph({0: {}}, {}, directed=True)]})


def test_series_come_as_lists_of_unlike_length_and_as_arrays():
    one = [[0.0, 1.0, 2.0], [3.0, 1.0], [2.0]]
    several = [np.array([[x, -x] for x in row]) for row in one]
    kernel = mercer.Kernel("global_alignment(sigma=1)")
    declared = mercer.Dataset({"s": one}, types={"s": "series"})
    np.testing.assert_array_equal(kernel(one), kernel(declared))
    np.testing.assert_array_equal(kernel(several), kernel(mercer.Dataset({"s": several}, types={"s": "series"})))
    np.testing.assert_array_equal(kernel(np.ones((3, 4))), np.full((3, 3), kernel(np.ones((1, 4)))[0, 0]))
    rows = mercer.Dataset({"s": several}, types={"s": "series"})
    assert mercer.SVC(kernel="normalise(global_alignment)").fit(rows, ["a", "b", "b"]).predict(rows).shape == (3,)
    with pytest.raises(mercer.DataError, match="row 2"):
        mercer.Dataset({"s": [[1.0], [np.nan]]}, types={"s": "series"})


def test_records_of_series_and_graphs_are_records_and_no_column():
    series = [[float(t * i % 5) for t in range(4 + i % 3)] for i in range(12)]
    classes = ["a", "b"] * 6
    rows = mercer.Dataset({"s": series, "n": np.arange(12.0)}, types={"s": "series"})
    model = mercer.Learner("svc(c=1)", "on(s, normalise(global_alignment)) + on(n, rbf)").fit(rows, classes)
    records = [{"s": s, "n": float(i)} for i, s in enumerate(series)]
    assert list(model.predict(records)) == list(model.predict(rows))
    texts = ["C C O | 0-1 1-2", "C C | 0-1"] * 6
    model = mercer.Learner("svc(c=1)").fit(mercer.Dataset({"g": texts}), classes)
    assert list(model.predict([{"g": text} for text in texts])) == list(model.predict(texts)) == classes
    kernel = mercer.Kernel("weisfeiler_lehman")
    np.testing.assert_array_equal(kernel([{"g": text} for text in texts]), kernel(texts))
    neighbours = [{"x": ["y"], "y": ["x"]}, {"x": ["y"], "y": ["x", "z"], "z": ["y"]}]
    np.testing.assert_array_equal(kernel(neighbours), kernel(["_ _ | 0-1", "_ _ _ | 0-1 1-2"]))
