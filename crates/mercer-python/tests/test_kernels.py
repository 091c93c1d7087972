"""Kernels in Python: written, combined, evaluated. Values come from the formulas by numpy."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import mercer
from mercer import Kernel, kernels


def gaussian(x, y, scale):
    return np.exp(-((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2) / (2 * scale**2))


# spec: F18
def test_a_gram_matrix_is_the_formula(rng):
    x, y = rng.normal(size=(7, 3)), rng.normal(size=(4, 3))
    k = kernels.rbf(length_scale=2.0)
    np.testing.assert_allclose(k(x), gaussian(x, x, 2.0), rtol=0, atol=1e-14)
    np.testing.assert_allclose(k(x, y), gaussian(x, y, 2.0), rtol=0, atol=1e-14)
    assert (k.diag(x) == 1.0).all() and (np.diag(k(x)) == 1.0).all()
    assert (k(x) == k(x).T).all()


# spec: K02
def test_an_infinite_length_scale_drops_its_column(rng):
    x = rng.normal(size=(7, 3))
    assert (kernels.rbf([1, np.inf, 2])(x) == kernels.rbf([1, 2])(x[:, [0, 2]])).all()


def test_the_layout_and_the_type_of_an_array_do_not_matter(rng):
    x = rng.integers(-3, 4, size=(6, 4)).astype(float)
    k = kernels.linear() + kernels.rbf(length_scale=3)
    expected = k(x)
    wide = np.zeros((12, 8))
    wide[::2, ::2] = x
    layouts = [np.asfortranarray(x), x.astype(np.float32), x.astype(np.int8), x.astype(">f8"), wide[::2, ::2], x.tolist()]
    read_only = x.copy()
    read_only.flags.writeable = False
    for same in [*layouts, read_only, x[::-1][::-1]]:
        assert (k(same) == expected).all()


def test_networks_of_rectifiers_have_the_recursion_of_their_layers(rng):
    x = rng.normal(size=(6, 3))
    k = tangent = 2 * x @ x.T / 3
    for _ in range(3):
        scale = np.sqrt(np.outer(np.diag(k), np.diag(k)))
        angle = np.arccos(np.clip(k / scale, -1, 1))
        k = scale * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / np.pi
        tangent = k + tangent * (1 - angle / np.pi)
    settings = {"activation": "relu", "depth": 3, "weight_variance": 2, "bias_variance": 0}
    np.testing.assert_allclose(kernels.nngp(**settings)(x), k, rtol=0, atol=1e-12)
    # The arccosine of numpy loses half of the digits on the diagonal.
    np.testing.assert_allclose(kernels.ntk(**settings)(x), tangent, rtol=0, atol=1e-6)
    np.testing.assert_allclose(kernels.arc_cosine(depth=3)(x), 1.5 * k, rtol=0, atol=1e-12)
    with pytest.raises(mercer.ExpressionError, match="one of relu"):
        Kernel("nngp(activation=swish)")


def test_a_changepoint_gives_way_along_a_column():
    table = {"t": [0.0, 10.0, 20.0], "a": [1.0, 2.0, 3.0]}
    k = Kernel("changepoint(t, on(a, linear), constant(value=5), location=10, width=1e-3)")
    np.testing.assert_allclose(k(table), [[1, 1, 0], [1, 2.25, 2.5], [0, 2.5, 5]], rtol=0, atol=1e-12)


# spec: K19
def test_weighted_words_have_the_values_of_the_toy():
    k = kernels.tfidf(idf="murphy")(["a a b", "a c", "c b c", "d d d"])
    np.testing.assert_allclose(k[0], [1, 0.59802615, 0.28472944, 0], rtol=0, atol=1e-8)


def test_weighted_words_take_lists_of_stop_words_and_keep_what_they_learnt():
    k = kernels.tfidf(stop_words=["the", "don't"], ngrams=2, lower_case=False)
    assert str(k) == 'tfidf(ngrams=2, lower_case=false, stop_words=[the, "don\'t"])'
    assert pickle.loads(pickle.dumps(k)) == k and Kernel(str(k)) == k
    texts = ["win a prize now", "free prize", "win cash now", "see you at lunch", "home at lunch", "see you"] * 3
    model = mercer.Learner("svc(c=1)", "tfidf").fit(texts, [1, 1, 1, 0, 0, 0] * 3)
    again = pickle.loads(pickle.dumps(model))
    new = ["prize", "lunch", "never heard", ""]
    assert list(again.predict(new))[:2] == list(model.predict(new))[:2] == [1, 0]
    with pytest.raises(mercer.MercerError, match="tfidf has learnt from all rows"):
        mercer.Learner("ridge(lambda=1)", "tfidf").fit(texts, np.arange(18.0)).leave_one_out(np.arange(18.0))
    with pytest.raises(mercer.MercerError, match="lower min_df"):
        mercer.Learner("svc(c=1)", "tfidf(min_df=99)").fit(texts, [1, 1, 1, 0, 0, 0] * 3)


def test_a_fisher_kernel_takes_its_model_as_text(rng):
    x = rng.normal(size=(9, 2)) * [1.0, 3.0]
    centred = x - x.mean(axis=0)
    k = kernels.fisher("gaussian(variance=4)")
    np.testing.assert_allclose(k(x), centred @ centred.T / 4, rtol=0, atol=1e-13)
    # Mahalanobis products p of mean and covariance: p + (p^2 - p_ii - p_jj + d) / 2.
    p = centred @ np.linalg.solve(centred.T @ centred / 9, centred.T)
    expected = p + (p**2 - np.diag(p)[:, None] - np.diag(p)[None, :] + 2) / 2
    full = kernels.fisher(model="gaussian(full)", information="auto")
    assert str(full) == "fisher(model=gaussian(covariance=full))" and Kernel(str(full)) == full
    assert pickle.loads(pickle.dumps(full)) == full
    np.testing.assert_allclose(full(x), expected, rtol=0, atol=1e-11)
    with pytest.raises(mercer.ExpressionError, match="did you mean 'gaussian'"):
        kernels.fisher("gausian")
    assert {"gaussian", "hmm", "markov"} <= {model["name"] for model in mercer.catalogue()["models"]}


def test_a_spectrum_kernel_counts_shared_substrings():
    # "ACGA" and "CGAT" share CG and GA once each; ACGA has AC, CG, GA; the formula worked by hand.
    k = kernels.spectrum(k=2)
    words = ["ACGA", "CGAT"]
    assert (k(words) == [[3.0, 2.0], [2.0, 3.0]]).all()
    assert (k(np.array(words), ["CG"]) == [[1.0], [1.0]]).all()
    assert (k.diag(words) == 3.0).all()
    normal = k.normalise()(words)
    assert normal[0, 0] == 1.0
    assert abs(normal[0, 1] - 2 / 3) <= 1e-15


def test_categories_are_equal_or_not():
    assert (kernels.equal()(["a", "b", "a"]) == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]).all()
    assert (kernels.equal()(["b", "z"], ["a", "b"]) == [[0, 1], [0, 0]]).all()


def test_kernels_add_and_multiply_as_their_matrices_do(rng):
    x = rng.normal(size=(5, 2))
    a, b = kernels.rbf(length_scale=1), kernels.linear()
    np.testing.assert_allclose((a + b)(x), a(x) + b(x), rtol=0, atol=1e-14)
    np.testing.assert_allclose((a * b)(x), a(x) * b(x), rtol=0, atol=1e-14)
    np.testing.assert_allclose((0.5 * a)(x), 0.5 * a(x), rtol=0, atol=1e-14)
    assert a * 0.5 == 0.5 * a == np.float64(0.5) * a == np.float32(0.5) * a
    assert sum([a, b]) == a + b
    assert (a + b) * a != a + b * a


def test_a_kernel_is_its_text():
    k = kernels.rbf(length_scale=2.0) + 0.5 * kernels.spectrum(k=4).on("seq")
    assert str(k) == repr(k) == "rbf(length_scale=2) + 0.5*on(seq, spectrum(k=4))"
    assert Kernel(str(k)) == k
    assert hash(Kernel(str(k))) == hash(k)
    assert pickle.loads(pickle.dumps(k)) == copy.copy(k) == copy.deepcopy(k) == k
    assert 2 * (3 * kernels.linear()) == Kernel("6*linear")
    assert Kernel(k) == k
    assert k != str(k)


def test_columns_with_any_name_can_be_chosen():
    k = kernels.rbf().on("body mass", 'a "b"')
    assert Kernel(str(k)) == k
    frame = {"body mass": [1.0, 2.0], 'a "b"': [0.0, 0.0], "other": [5.0, 9.0]}
    assert abs(kernels.rbf(length_scale=1).on("body mass")(frame)[0, 1] - np.exp(-0.5)) <= 1e-15


def test_parameters_are_numbers_words_ranges_and_lists():
    assert kernels.rbf("auto") == kernels.rbf() == Kernel("rbf")
    assert kernels.rbf((0.1, 10)) == Kernel("rbf(length_scale=0.1..10)")
    assert kernels.rbf([1, 2.5]) == kernels.rbf(np.array([1, 2.5])) == Kernel("rbf(length_scale=[1, 2.5])")
    assert kernels.rbf(ard=True) == kernels.rbf(ard=np.True_) == Kernel("rbf(ard=true)")
    assert kernels.rbf(1e-7) == Kernel("rbf(length_scale=1e-7)")
    # gamma = 1 / (2 length_scale^2)
    assert kernels.rbf(gamma=0.125) == kernels.rbf(length_scale=2)


def test_every_kernel_of_the_catalogue_is_a_function_with_a_signature():
    entries = mercer.catalogue()["kernels"]
    assert len(entries) >= 9
    for entry in entries:
        function = getattr(kernels, entry["name"])
        signature = inspect.signature(function)
        assert list(signature.parameters) == [p["name"] for p in entry["params"]] + entry["aliases"]
        assert entry["doc"] in function.__doc__
        defaults = {n: p.default for n, p in signature.parameters.items() if p.default is not None}
        assert function(**defaults) == function() == Kernel(entry["name"])


def test_auto_is_settled_from_the_second_batch(rng):
    new, old = rng.normal(size=(3, 2)), 10 * rng.normal(size=(8, 2))
    k = kernels.rbf()
    settled = k.settle(old)
    assert "auto" not in repr(settled.on("x")) and settled != k
    assert (k(new, old) == settled(new, old)).all()
    assert (k(old) == settled(old)).all()


def test_what_is_known_of_validity_is_said():
    assert kernels.rbf().mercer == "always" and kernels.rbf().mercer_reason is None
    assert kernels.sigmoid().mercer != "always" and kernels.sigmoid().mercer_reason
    assert (-1 * kernels.rbf()).mercer == "never"


def test_a_sparse_matrix_gives_the_values_of_the_dense_one(rng):
    dense = rng.normal(size=(6, 9)) * (rng.random((6, 9)) < 0.4)

    class Rows:
        """A matrix in compressed rows, as scipy.sparse holds it, its entries in no order and one of them split."""

        shape = dense.shape
        indptr = np.concatenate([[0], np.cumsum((dense != 0).sum(axis=1) + 1)]).astype(np.int32)
        indices = np.concatenate([np.append(np.flatnonzero(row)[::-1], 0) for row in dense]).astype(np.int32)
        data = np.concatenate([np.append(row[np.flatnonzero(row)[::-1]], 0.25) for row in dense])

    dense[:, 0] += 0.25
    k = kernels.rbf(length_scale=2) + kernels.linear()
    np.testing.assert_allclose(k(Rows()), k(dense), rtol=0, atol=1e-13)
    assert mercer.Dataset(Rows()).columns == {"x": "points"}


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_bits_do_not_depend_on_threads(rng, threads):
    x = rng.normal(size=(300, 5))
    assert (kernels.matern()(x, threads=threads) == kernels.matern()(x)).all()


def test_powers_exponentials_and_constants_combine_like_their_values():
    x = np.array([[0.3, -1.0], [1.2, 0.4], [-0.7, 0.9]])
    k = mercer.kernels.rbf(length_scale=1.5)
    plain = k(x)
    np.testing.assert_allclose((k**3)(x), plain**3, rtol=1e-14)
    np.testing.assert_allclose(k.exp()(x), np.exp(plain), rtol=1e-14)
    np.testing.assert_allclose((1 + 2 * k - 0.5 * mercer.kernels.linear())(x), 1 + 2 * plain - 0.5 * x @ x.T, atol=1e-14)
    centring = np.eye(3) - 1 / 3
    np.testing.assert_allclose(k.centre()(x), centring @ plain @ centring, atol=1e-14)
    assert repr(k**2) == "rbf(length_scale=1.5)^2" and (k**2) ** 1 == k**2
    with pytest.raises(mercer.DataError, match="whole number from 1 to 64"):
        k**0.5


def test_check_proves_refutes_and_repairs():
    proof = (mercer.kernels.rbf() + 1).check()
    assert proof["verdict"] == "proved" and [p["expression"] for p in proof["derivation"]["parts"]] == ["rbf", "constant"]
    bad = mercer.kernels.sigmoid(gamma=1, offset=-1)
    x = np.random.default_rng(0).normal(size=(20, 3))
    found = bad.check(x)
    rows = [row["row"] - 1 for row in found["rows"]]
    weights = np.array([row["weight"] for row in found["rows"]])
    assert found["verdict"] == "refuted" and weights @ bad(x[rows]) @ weights < 0
    for how in ("clip", "flip", "shift"):
        repaired = bad.repair(how)
        assert np.linalg.eigvalsh(repaired(x))[0] > -1e-10
        assert repaired.check()["verdict"] == "proved"
    with pytest.raises(mercer.ExpressionError, match="clip"):
        bad.repair("clap")


def test_strings_are_explained_by_their_letters():
    rng = np.random.default_rng(0)
    draw = lambda n: "".join(rng.choice(list("ACGT"), n))  # noqa: E731
    rows = [draw(30 + i % 4) for i in range(40)] + [draw(12) + "GATTACA" + draw(12 + i % 4) for i in range(40)]
    data = mercer.Dataset({"seq": rows})
    model = mercer.Learner("svc(c=10)", "normalise(gapped(length=6, k=4))").fit(data, [0] * 40 + [1] * 40)
    (one,) = mercer.explain(model, data)
    assert one["rows"] == 80
    # Planted at one place, which its name tells.
    assert any(part["text"].split()[0] in "GATTACA" for part in one["parts"][:3])
    row = mercer.explain(model, data, 60, width=7)
    (column,) = row["columns"]
    assert len(column["units"]) == len(column["effects"]) == len(rows[60])
    assert abs(column["strongest"][0]["first"] - 13) <= 3
    with pytest.raises(mercer.MercerError, match="row 80"):
        mercer.explain(model, data, 80)


def test_members_of_sets_are_explained_by_leaving_them_out():
    rng = np.random.default_rng(1)
    sets = [rng.uniform(-1, 1, (4, 2)).tolist() + [[5.0, 4.0]] * (i % 2) for i in range(40)]
    data = mercer.Dataset({"s": sets}, types={"s": "set"})
    model = mercer.Learner("svc(c=10)").fit(data, [["without", "with"][i % 2] for i in range(40)])
    (one,) = mercer.explain(model, data)
    assert one["parts"][0]["text"] == "[5, 4]" and one["parts"][0]["times"] == 20
    assert one["classes"] == [{"class": "with", "rows": 20}, {"class": "without", "rows": 20}]
    row = mercer.explain(model, data, 3)
    (best, *_) = row["columns"][0]["strongest"]
    assert (row["measure"], best["text"], best["place"]) == ("decision_value", "[5, 4]", "member 5")
    value = lambda rows: model.decision_function(mercer.Dataset({"s": rows}, types={"s": "set"}))[0]  # noqa: E731
    assert best["effect"] == pytest.approx(abs(value(sets[3:4]) - value([sets[3][:4]])), rel=1e-9)
