"""`compare(.., test=(data, target))` scores every model on rows beside the folds."""

import json
import pickle

import numpy as np
import pytest

import mercer

# Class b stands above 0; of the five test rows the last is an a there.
X = np.concatenate([-np.arange(1.0, 13), np.arange(1.0, 13), [0.5]])
TRAIN, LABELS = {"x": X}, np.where(X > 0, "b", "a")
TEST, TRUTH = {"more": [1, 2, 3, 4, 5], "x": [-5.0, -3, 4, 6, 5]}, ["a", "a", "b", "b", "a"]
FEW = "knn(k=3), baseline"


def scores(table):
    return {row["estimator"]: (row["test"]["mean"], row["test"]["se"]) for row in table.rows}


def test_models_are_scored_on_test_rows_beside_the_folds():
    table = mercer.compare(TRAIN, LABELS, estimators=FEW, metric="accuracy", test=(TEST, TRUTH))
    # 4 of 5, and sqrt((4 * 0.2^2 + 0.8^2) / (5 * 4)). The most frequent class is b: 2 of 5, and sqrt((3 * 0.4^2 + 2 * 0.6^2) / (5 * 4)).
    expected = {"knn(k=3)": (0.8, 0.2), "baseline": (0.4, 0.06**0.5)}
    found = scores(table)
    assert found.keys() == expected.keys() and all(found[name] == pytest.approx(expected[name], abs=1e-12) for name in expected)
    assert json.loads(table.json())["test"] == {"table": "test", "rows": 5}
    for text in (str(table), table.to_html(), str(pickle.loads(pickle.dumps(table)))):
        assert "accuracy on 5 rows of test, by the models of all rows." in " ".join(text.split())
    assert "80.0%" in str(table) and ">test</th>" in table.to_html() and ">test</th>" in table._repr_html_()
    without = mercer.compare(TRAIN, LABELS, estimators=FEW, metric="accuracy")
    assert "test" not in without.rows[0] and "of test" not in str(without)
    # Training takes no notice of them.
    assert [row["metrics"] for row in without.rows] == [row["metrics"] for row in table.rows]


def test_test_rows_come_as_the_training_rows_come(tmp_path):
    def of(test):
        return scores(mercer.compare(TRAIN, LABELS, estimators=FEW, metric="accuracy", test=test))

    rows = of((TEST, TRUTH))
    (tmp_path / "test.csv").write_text("kind,x\n" + "".join(f"{y},{x}\n" for x, y in zip(TEST["x"], TRUTH, strict=True)))
    for same in (
        mercer.read_table(tmp_path / "test.csv", "kind"),
        [mercer.Dataset({"x": TEST["x"]}), np.array(TRUTH)],
        (TEST, TRUTH, None),
        (TEST, TRUTH, np.full(5, 2.0)),
    ):
        assert of(same) == pytest.approx(rows)
    # The fifth row weighs as much as the others together: knn has half, the most frequent class none but b and b.
    weighted = of((TEST, TRUTH, [1, 1, 1, 1, 4]))
    assert weighted["knn(k=3)"][0] == pytest.approx(0.5) and weighted["baseline"][0] == pytest.approx(2 / 8)


def test_numbers_kernel_matrices_and_codes_are_tested():
    x, y = np.arange(20.0).reshape(-1, 1), np.arange(20.0)
    table = mercer.compare(x, y, "rbf(length_scale=1)", "baseline", task="regression", metric="mae", test=(x[:3] + 1, [10.5, 8.5, 9.5]))
    # The mean of 0 to 19 is 9.5.
    assert table.best["test"]["mean"] == pytest.approx(2 / 3)
    signs = np.array([-4.0, -3, -2, 2, 3, 4])
    kernel, new = np.outer(signs, signs), np.outer([-1.0, 1], signs)
    table = mercer.compare(kernel, signs > 0, "precomputed", "svc(c=1)", folds=2, metric="accuracy", test=(new, [False, True]))
    assert table.best["test"]["mean"] == 1
    table = mercer.compare(TRAIN, (LABELS == "b").astype(int), "rbf", "knn(k=3)", metric="accuracy", test=(TEST, [0, 0, 1, 1, 0]))
    assert table.best["test"]["mean"] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("test", "why"),
    [
        (TEST, r"test: expected \(data, target\) or \(data, target, sample_weight\)"),
        ((TEST, None), "test: the rows have no target"),
        (({"z": [1.0]}, ["a"]), "test: column 'x' is missing"),
        ((mercer.Dataset({"z": [1.0]}), ["a"]), "'x'"),
        ((mercer.Dataset({"x": ["u", "v", "u", "v"]}), list("abab")), "'x'"),
        ((TEST, TRUTH[:3]), "rows of the target"),
        ((TEST, ["a", "a", "c", "b", "a"]), r"test: target: row 3 \(index 2\) holds 'c', expected one of the classes a, b"),
        ((TEST, ["a", None, "b", "b", "a"]), r"test: target: row 2 \(index 1\) has no value"),
        ((TEST, TRUTH, [1, 1, -1, 1, 1]), r"row 3 \(index 2\): the weight -1"),
        ((TEST, TRUTH, [1, 1]), "sample weights"),
    ],
)
def test_rows_that_cannot_be_scored_are_refused_before_a_fit(test, why):
    def fitted(*_):
        raise AssertionError("a model was fitted")

    with pytest.raises(mercer.MercerError, match=why):
        mercer.compare(TRAIN, LABELS, estimators=FEW, test=test, progress=fitted)


def test_a_missing_number_among_test_targets_is_named():
    with pytest.raises(mercer.DataError, match=r"test: the target of row 2 \(index 1\) is NaN"):
        mercer.compare(TRAIN, X, "rbf", "baseline", task="regression", test=({"x": [1.0, 2]}, [1.0, np.nan]))
