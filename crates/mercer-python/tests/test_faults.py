"""Bad input: a named exception with a message that says what to change, never a panic."""

import numpy as np
import pytest

import mercer
from mercer import DataError, Dataset, ExpressionError, InternalError, Kernel, Learner, MercerError, ModelFileError, ResourceError, kernels

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
LABELS = np.array(["a", "b"] * 3)
RIDGE = Learner("ridge(lambda=1)", "rbf(length_scale=1)")


def test_the_classes_of_exceptions_are_those_of_python_too():
    assert issubclass(ExpressionError, (MercerError, ValueError)) and issubclass(ExpressionError, ValueError)
    assert issubclass(DataError, MercerError) and issubclass(DataError, ValueError)
    assert issubclass(ResourceError, MercerError) and issubclass(ResourceError, RuntimeError)
    assert issubclass(ModelFileError, MercerError) and issubclass(ModelFileError, ValueError)
    assert issubclass(InternalError, MercerError) and issubclass(InternalError, RuntimeError)


def test_a_panic_is_an_internal_error_and_the_next_call_works(monkeypatch, capfd):
    monkeypatch.delenv("RUST_BACKTRACE", raising=False)
    monkeypatch.setenv("MERCER_TESTKIT_PANIC", "ridge")
    try:
        RIDGE.fit(X, Y)
    except InternalError as error:
        assert "internal error" in str(error) and "contain.rs" in str(error) and "report it" in str(error)
    else:
        pytest.skip("the extension is built without the feature testkit, which makes the panic")
    result = mercer.compare(X, Y, estimators=["ridge(lambda=1)", "knn(k=1)"], kernel="rbf(length_scale=1)", folds=2)
    assert "internal error" in str(result.json()) and "knn" in str(result.best)
    monkeypatch.delenv("MERCER_TESTKIT_PANIC")
    assert RIDGE.fit(X, Y).predict(X).shape == (6,)
    assert "panicked" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Kernel("rbv"), "did you mean 'rbf'"),
        (lambda: Kernel("rbf +"), r"\^"),
        (lambda: Kernel(""), "expected"),
        (lambda: Kernel("(" * 10_000), "deep"),
        (lambda: kernels.rbf(lenght_scale=2), "did you mean 'length_scale'"),
        (lambda: kernels.rbf(length_scale=-1), "above 0"),
        (lambda: kernels.rbf(length_scale=float("nan")), "above 0"),
        (lambda: kernels.rbf((10, 0.1)), "outside its domain"),
        (lambda: kernels.rbf([]), "outside its domain"),
        (lambda: kernels.spectrum(k=2.5), "whole number"),
        (lambda: kernels.rbf(1, True, 3), "parameter"),
        (lambda: Learner("svm"), "here that is svc for classes"),
        (lambda: Learner("svc(c=-1)"), "above 0"),
        (lambda: Dataset({"a": ["x"]}, types={"b": "text"}), "unknown column 'b'"),
        (lambda: Dataset({"a": ["x"]}, types={"a": "txet"}), "did you mean 'text'"),
        (lambda: RIDGE.fit(X, Y, task="clustering"), "there are: classification, regression"),
        (lambda: RIDGE.fit(X, Y, max_seconds=-1), "above 0"),
        (lambda: RIDGE.fit(X, Y, max_memory="lots"), "4GB"),
        (lambda: Learner("svc(c=1)", "sigmoid").fit(X, LABELS), "Mercer"),
        (lambda: Learner("ridge(lambda=1)", "on(nowhere, rbf)").fit(X, Y), "unknown column 'nowhere'"),
    ],
)
def test_what_was_written_wrongly_is_an_expression_error(make, says):
    with pytest.raises(ExpressionError, match=says):
        make()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (np.zeros((2, 3, 4)), "two axes"),
        (np.zeros(5), "reshape"),
        (np.float64(3), "two axes"),
        (np.zeros((4, 0)), "no columns"),
        ([], "axes|axis|columns"),
        ([[1, 2], [3]], "one length"),
        ({}, "no columns"),
        ({"a": [1.0, 2.0], "b": [1.0]}, "expected 2, found 1"),
        ({"a": ["x", "y"], "b": ["z"]}, "expected 2, found 1"),
        ({"a": ["x", 1]}, "mixed"),
        ({"a": [1, "x"]}, "mixed"),
        ({"a": np.array([1, "x", None], dtype=object)}, "mixed"),
        ({"a": [object(), object()]}, "object"),
        ({"a": [1 + 2j, 3]}, "complex"),
        ({"a": [b"x", b"y"]}, "S1|bytes"),
        ({"a": np.zeros((2, 2, 2, 2))}, "axes"),
        ({"a": ["x" + chr(0xD800), "y"]}, "row 1"),
        (np.array([[1, "x"], [2.0, None]], dtype=object)[:, :1].T[:, :, None], "axes"),
        ("table.csv", "read_table"),
        (None, "axes|axis|expected"),
        (7, "two axes"),
        (object(), "axes"),
    ],
)
def test_data_that_is_no_table_is_a_data_error(data, says):
    with pytest.raises(DataError, match=says):
        Dataset(data)


@pytest.mark.parametrize(
    ("fit", "says"),
    [
        (lambda: RIDGE.fit(X, Y[:3]), "expected 6, found 3"),
        (lambda: RIDGE.fit(X, np.zeros((6, 2, 2))), "shape"),
        (lambda: RIDGE.fit(X, np.zeros((6, 0))), "shape"),
        (lambda: RIDGE.fit(X, 3.0), "expected 6"),
        (lambda: RIDGE.fit(X, np.where(Y == 2, np.nan, Y)), "row 3"),
        (lambda: RIDGE.fit(X, np.where(Y == 2, np.inf, Y)), "row 3"),
        (lambda: RIDGE.fit(np.where(X == 4, np.inf, X), Y), r"row 3 \(index 2\), column 'x0'"),
        (lambda: RIDGE.fit(np.zeros((0, 2)), np.zeros(0)), "no rows"),
        (lambda: RIDGE.fit(X, ["a", "b", None, "a", "b", "a"]), "row 3"),
        (lambda: RIDGE.fit(X, ["a", 1, "a", "b", "b", "a"]), "mixed"),
        (lambda: RIDGE.fit(X, LABELS, task="regression"), "numbers"),
        (lambda: Learner("svc(c=1)").fit(X, ["a"] * 6), "at least two"),
        (lambda: Learner("svc(c=1)").fit(X, Y + 0.5), "svc"),
        (lambda: Learner("svr").fit(X, LABELS), "svr"),
        (lambda: RIDGE.fit(X, Y, [1, 1]), "expected 6, found 2"),
        (lambda: RIDGE.fit(X, Y, [-1] * 6), "weight"),
        (lambda: RIDGE.fit(X, Y, [0] * 6), "weight 0"),
        (lambda: RIDGE.fit(X, Y, ["a"] * 6), "numbers"),
        (lambda: RIDGE.fit({"t": ["ACGTACGTAC", "GGGTACGTAC"] * 3}, Y), "rbf takes"),
        (lambda: Learner(kernel=3), "Kernel"),
        (lambda: mercer.compare(X, LABELS, estimators=[]), "empty"),
        (lambda: mercer.compare(X, LABELS, estimators=[3]), "estimators"),
        (lambda: mercer.compare(X, LABELS, estimators="knn(k=1)", groups=[1]), "expected 6, found 1"),
        (lambda: kernels.rbf(length_scale=1)(np.array([[np.nan]])), "finite"),
        (lambda: kernels.rbf(length_scale=1)(X, X[:, :1]), "expected|found"),
        (lambda: kernels.rbf(length_scale=1)(["a", "b"]), "rbf takes"),
        (lambda: kernels.spectrum()(X), "spectrum takes"),
        (lambda: kernels.rbf([1, 2, 3])(X), "rbf|length_scale"),
        (lambda: kernels.rbf().on(), "at least one column"),
        (lambda: float("inf") * kernels.rbf(), "finite"),
    ],
)
def test_what_cannot_be_fitted_is_a_mercer_error(fit, says):
    with pytest.raises(MercerError, match=says):
        fit()


def test_kernels_do_not_add_to_strings_or_arrays():
    for wrong in [lambda: kernels.rbf() + "rbf", lambda: kernels.rbf() + None, lambda: kernels.rbf() * np.eye(2), lambda: kernels.rbf() ** "two"]:
        with pytest.raises(TypeError):
            wrong()


def test_types_of_a_dataset_are_not_changed_afterwards():
    with pytest.raises(DataError, match="already"):
        Dataset(Dataset({"a": ["x", "x"]}), types={"a": "text"})


def test_one_row_and_equal_rows_can_be_fitted():
    assert np.isfinite(Learner("ridge(lambda=1)", "linear", standardise=False).fit([[1.0]], [2.0]).predict([[1.0]])).all()
    equal = kernels.rbf()(np.ones((4, 2)))
    assert (equal == 1.0).all()


def test_no_rows_give_no_predictions():
    numbers = RIDGE.fit(X, Y)
    classes = Learner("svc(c=1)", "rbf(length_scale=1)").fit(X, LABELS)
    assert numbers.predict(np.zeros((0, 2))).shape == (0,)
    assert classes.predict(np.zeros((0, 2))).shape == (0,)
    assert kernels.rbf(1.0)(np.zeros((0, 2)), X).shape == (0, 6)


def test_a_model_asked_about_other_columns_says_so():
    model = RIDGE.fit(X, Y)
    with pytest.raises(DataError, match="expected 2, found 3"):
        model.predict(np.zeros((4, 3)))
    with pytest.raises(DataError, match="column 'x1' is missing: the model was trained with it; found x0"):
        model.predict({"x0": [1.0]})
    with pytest.raises(MercerError, match="x0"):
        model.predict({"x0": ["word"], "x1": [1.0]})
    with pytest.raises(DataError, match=r"row 2 \(index 1\), column 'x1'"):
        model.predict([[0.0, 0.0], [0.0, np.inf]])
    with pytest.raises(MercerError):
        model.predict(["a", "b"])


def test_more_memory_than_allowed_is_refused_before_it_is_taken():
    with pytest.raises(ResourceError, match="max_memory"):
        kernels.rbf(length_scale=1)(np.zeros((2_000, 1)), max_memory="1MB")
    with pytest.raises(ResourceError, match="memory"):
        RIDGE.fit(np.arange(4000.0).reshape(-1, 2), np.arange(2000.0), max_memory=1_000_000)


def test_a_damaged_model_file_is_refused(tmp_path):
    path = tmp_path / "m.mercer"
    RIDGE.fit(X, Y).save(path)
    whole = path.read_bytes()
    for damaged in [b"", whole[:10], whole[:-1], whole[:40] + bytes([whole[40] ^ 1]) + whole[41:], b"PK" + whole]:
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError, match=r"m\.mercer"):
            mercer.load(path)
        with pytest.raises(ModelFileError):
            mercer.Model.from_bytes(damaged)
    with pytest.raises(DataError, match="nowhere"):
        mercer.load(tmp_path / "nowhere.mercer")


def test_a_message_speaks_of_python_not_of_the_shell():
    with pytest.raises(DataError, match='types={"age": "category"}'):
        Dataset({"age": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "x"]})
