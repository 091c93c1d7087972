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


def graphs(*cells):
    return mercer.Dataset({"g": list(cells)}, types={"g": "graph"})


def test_graphs_of_networkx_keep_nodes_labels_and_edges():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_node(("a", 1), label="C")
    graph.add_node("b", label=6)
    graph.add_node(frozenset("c"))
    graph.add_edges_from([("b", ("a", 1), {"label": 2.5}), ("b", "b", {"label": True}), (frozenset("c"), "b", {"label": float("nan")})])
    isolated = networkx.empty_graph(2)
    # Written down by hand in the form of the documentation.
    text = graphs("C 6 _ | 0-1:2.5 1-1:true 1-2", "_ _ |", None)
    given = mercer.Dataset({"g": [graph, isolated, None]})
    assert given.columns == {"g": "graph"} and list(given["g"]) == list(text["g"]) and not given.notices
    kernel = mercer.Kernel("weisfeiler_lehman(depth=1)")
    np.testing.assert_array_equal(kernel([graph, isolated]), kernel(text)[:2, :2])
    # One round on C-O with itself: two labels of nodes and two of their surroundings (Shervashidze and others 2011).
    pair = networkx.Graph([(0, 1)])
    networkx.set_node_attributes(pair, {0: "C", 1: "O"}, "label")
    assert kernel([pair])[0, 0] == 4.0
    paths, cycles = [networkx.path_graph(n) for n in range(3, 9)], [networkx.cycle_graph(n) for n in range(3, 9)]
    model = mercer.SVC(kernel="weisfeiler_lehman").fit(paths + cycles, [0] * 6 + [1] * 6)
    np.testing.assert_array_equal(model.predict([networkx.path_graph(9), networkx.cycle_graph(9)]), [0, 1])


def test_what_kernels_do_not_see_of_a_graph_is_told_or_refused():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([(0, 1, {"weight": 0.5, "label": "s"})])
    networkx.set_node_attributes(graph, {0: "C", 1: "O"}, "element")
    nodes, edges = graphs(graph).notices
    assert "nodes have 'element'" in nodes and "get_node_attributes(graph, 'element')" in nodes
    assert "edges have 'weight'" in edges
    with pytest.warns(mercer.MercerWarning, match="edges have 'weight'"):
        mercer.Kernel("weisfeiler_lehman")([graph])
    networkx.set_node_attributes(graph, networkx.get_node_attributes(graph, "element"), "label")
    assert list(graphs(graph)["g"]) == ["C O | 0-1:s"]
    several = networkx.MultiGraph([(0, 1), (0, 1)])
    assert "several edges" in graphs(several).notices[0] and list(graphs(several)["g"]) == ["_ _ | 0-1"]
    for cell, words in [
        (networkx.MultiGraph([(0, 1, {"label": "s"}), (0, 1, {"label": "d"})]), "nodes 0 and 1 .* has two labels, 's' and 'd'"),
        (networkx.DiGraph([(0, 1)]), "directed, .*to_undirected"),
        (networkx.MultiDiGraph([(0, 1)]), "directed"),
        (networkx.Graph(), "no nodes"),
        (graph_with_label(networkx, [1.0, 2.0]), "a label holds list"),
    ]:
        with pytest.raises(mercer.DataError, match=f"row 2.*{words}"):
            graphs("C |", cell)


def graph_with_label(networkx, label):
    graph = networkx.Graph()
    graph.add_node(0, label=label)
    return graph


def test_neighbours_edges_and_matrices_keep_what_stands_at_the_edges():
    networkx, sparse = pytest.importorskip("networkx"), pytest.importorskip("scipy.sparse")
    labelled = networkx.Graph([(0, 1, {"label": "s"}), (1, 2, {"label": "d"})])
    plain, by_label, by_number = "_ _ _ | 0-1 1-2", "_ _ _ | 0-1:s 1-2:d", "_ _ _ | 0-1 1-2:2"
    matrix = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    for expected, forms in {
        plain: [
            {"x": ["y"], "y": ["x", "z"], "z": ["y"]},
            [(0, 1), (1, 2)],
            [[0, 1], [1, 2]],
            {"nodes": [None] * 3, "edges": [[0, 1], [1, 2]]},
            np.minimum(matrix, 1),
            networkx.to_scipy_sparse_array(networkx.path_graph(3)),
            networkx.to_pandas_adjacency(networkx.path_graph(3)),
            networkx.to_dict_of_lists(networkx.path_graph(3)),
            networkx.to_dict_of_dicts(networkx.MultiGraph([(0, 1), (1, 2)])),
        ],
        by_label: [
            {0: {1: "s"}, 1: {0: "s", 2: "d"}, 2: {1: "d"}},
            networkx.to_dict_of_dicts(labelled),
            networkx.to_dict_of_dicts(networkx.MultiGraph(labelled)),
            [(0, 1, "s"), (1, 2, "d")],
            list(labelled.edges(data=True)),
        ],
        by_number: [matrix, sparse.csr_matrix(matrix), sparse.coo_array(matrix.astype(float)), [(0, 1), (1, 2, 2)]],
    }.items():
        for form in forms:
            data = graphs(form)
            assert list(data["g"]) == [expected] and not data.notices, form
    assert list(mercer.Dataset({"g": np.array([matrix, matrix])}, types={"g": "graph"})["g"]) == [by_number] * 2
    for form, words in [({0: {1: 0.5}, 1: {0: 0.5}}, "such as 0.5: they are read as labels"), ({0: [1], 1: []}, "without a direction")]:
        assert words in graphs(form).notices[0]
    for form, words in [
        ({0: {1: 0.5}, 1: {0: 0.7}}, "two labels, '0.5' and '0.7'"),
        ({"u": ["w"]}, "'w', which is no node"),
        ({"u": 1}, "node 'u' has 1"),
        (np.array([[0, 1], [0, 0]]), "not symmetric"),
        (np.array([[0, 1, 1], [1, 0, 0]]), "shape .2, 3."),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], "matrix or three edges"),
        ([("a", "b")], "found .'a', 'b'."),
        (object(), "found object"),
    ]:
        with pytest.raises(mercer.DataError, match=f"row 2.*{words}"):
            graphs("C |", form)


@pytest.mark.parametrize("gap", [None, float("nan"), np.float32("nan"), "NA", "NaT"], ids=str)
def test_a_missing_cell_among_structures_is_missing_whatever_stands_for_it(gap):
    pandas = pytest.importorskip("pandas")
    gap = {"NA": pandas.NA, "NaT": pandas.NaT}.get(gap, gap) if isinstance(gap, str) else gap
    for kind, cell in [
        ("series", [1.0, 2.0]),
        ("series", np.ones((3, 2))),
        ("set", np.ones((2, 2))),
        ("tree", ("S", ("NP", "I"))),
        ("tree", "(S (NP I))"),
        ("graph", {0: [1], 1: [0]}),
        ("graph", "C O | 0-1"),
        ("text", "one word"),
    ]:
        for column in ([cell, gap], pandas.Series([cell, gap], dtype=object), [gap, cell]):
            data = mercer.Dataset({"c": column}, types={"c": kind})
            assert data.columns == {"c": kind} and [len(rows) for rows in data.missing.values()] == [1], (kind, column)
    with pytest.raises(mercer.DataError, match="row 2.*no vector"):
        mercer.Dataset({"c": pandas.Series([[1.0, 2.0], gap], dtype=object)})


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
        mercer.Dataset({"s": [[1.0], [np.inf]]}, types={"s": "series"})


def test_gaps_of_series_are_interpolated_carried_on_or_left_out():
    rows, filled, classes = [[1.0, np.nan, 5.0], [2.0, None], [3.0, 6.0, 7.0]], [[1.0, 3.0, 5.0], [2.0, 2.0], [3.0, 6.0, 7.0]], ["a", "b", "a"]
    kernel = mercer.Kernel("global_alignment(sigma=1)")
    with pytest.warns(mercer.MercerWarning, match="column 'x' lacks numbers at 2 times of 2 rows"):
        np.testing.assert_array_equal(kernel(rows), kernel(filled))
    data = mercer.Dataset({"s": rows}, types={"s": "series"})
    assert np.isnan(data["s"][0][1, 0]) and data["s"][0][2, 0] == 5.0 and not data.missing
    skipped = mercer.Dataset({"s": [[1.0, 5.0], [2.0], [3.0, 6.0, 7.0]]}, types={"s": "series"})
    with pytest.warns(mercer.MercerWarning, match="left out with their times"):
        model = mercer.Learner("svc(c=1)", "normalise(global_alignment(sigma=1))", missing={"s": "skip"}).fit(data, classes)
    expected = mercer.Learner("svc(c=1)", "normalise(global_alignment(sigma=1))").fit(skipped, classes)
    np.testing.assert_array_equal(model.decision_function(skipped), expected.decision_function(skipped))


def test_padded_arrays_are_series_that_end_with_their_last_number():
    padded = np.array([[1.0, 2.0, 3.0], [4.0, np.nan, np.nan]])
    with pytest.warns(mercer.MercerWarning, match=r"column 's' has fewer than 3 times in 1 of 2 rows \(the first is row 2"):
        data = mercer.Dataset({"s": padded}, types={"s": "series"})
        mercer.Learner("svc(c=1)").fit(data, ["a", "b"])
    assert [len(series) for series in data["s"]] == [3, 1]
    cube = np.stack([padded, padded], axis=2)
    assert [series.shape for series in mercer.Dataset({"s": cube}, types={"s": "series"})["s"]] == [(3, 2), (1, 2)]


def test_lists_of_unlike_lengths_are_series_by_their_kernel_or_in_a_named_column():
    rows, classes = [np.array([1.0, 2.0, np.nan]), np.array([1.0, 2.0])], ["a", "b"]
    with pytest.warns(mercer.MercerWarning):
        assert mercer.Learner("svc(c=1)", "normalise(global_alignment)").fit(rows, classes).columns == {"x": "series"}
    with pytest.raises(mercer.DataError, match=r'declare series.*types=\{"x": "series"\}'):
        mercer.Learner("svc(c=1)").fit(rows, classes)


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
