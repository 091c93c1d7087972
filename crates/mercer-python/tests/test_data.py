"""Data from Python objects: arrays, dicts, lists, frames, files."""

import pickle
import unicodedata
import warnings

import numpy as np
import pytest

import mercer
from mercer import Dataset, Learner


class Series:
    """A column of a data frame, as far as it is needed here."""

    def __init__(self, values, name=None):
        self.values, self.name = values, name
        self.dtype = np.asarray(values).dtype

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)


class Frame:
    """A data frame, as far as it is needed here."""

    def __init__(self, columns):
        self.columns = columns

    def items(self):
        return ((name, Series(values, name)) for name, values in self.columns.items())


SEQUENCES = ["ACGTACGTACGT", "GGGTACGTACCC", "TTTTACGAACGA", "ACGTTTGTAGGT"]


def test_columns_take_the_types_that_reading_a_table_would_give():
    data = Dataset(
        {
            "number": [1.5, None, 3.0, np.nan],
            "whole": np.array([1, 2, 3, 4]),
            "flag": [True, False, True, True],
            "label": ["a", "b", "a", "b"],
            "seq": SEQUENCES,
            "vector": np.eye(4),
        }
    )
    assert data.columns == {
        "number": "number",
        "whole": "number",
        "flag": "number",
        "label": "category",
        "seq": "sequence",
        "vector": "points",
    }
    assert len(data) == 4
    assert np.isnan(data["number"][[1, 3]]).all()
    assert data["label"].tolist() == ["a", "b", "a", "b"]
    assert data["seq"].tolist() == SEQUENCES
    assert (data["vector"] == np.eye(4)).all()
    assert "label (category)" in repr(data)


def test_types_can_be_declared():
    columns = {"zip": [10115, 20095, 10115], "note": ["a", "b", "a"], "row": [1, 2, 3]}
    data = Dataset(columns, types={"zip": "category", "note": "text", "row": "ignore"})
    assert data.columns == {"zip": "category", "note": "text"}
    assert data["zip"].tolist() == ["10115", "20095", "10115"]
    assert Dataset(SEQUENCES, types="text").columns == {"x": "text"}
    assert Dataset(np.array([[1, 2], [3, 4]]), types="category").columns == {"x0": "category", "x1": "category"}


def test_an_array_has_numbered_columns_and_a_list_of_str_has_one():
    assert Dataset(np.zeros((3, 2))).columns == {"x0": "number", "x1": "number"}
    assert Dataset(SEQUENCES).columns == {"x": "sequence"}
    # Ten different words look like identifiers in a table; alone they are what is to be learnt from.
    assert Dataset([f"word{i}" for i in range(12)]).columns == {"x": "text"}


def test_a_frame_and_an_array_of_objects_are_columns():
    frame = Frame({"x": [1.0, 2.0], "c": ["a", "a"], 3: [0, 1]})
    assert Dataset(frame).columns == {"x": "number", "c": "category", "3": "number"}
    mixed = np.array([[1.5, "a"], [2.5, "b"], [3.5, "a"], [0.5, "b"]], dtype=object)
    assert Dataset(mixed).columns == {"x0": "number", "x1": "category"}


def test_an_array_that_is_misaligned_is_read():
    plain = np.arange(12, dtype=float).reshape(4, 3)
    misaligned = np.frombuffer(b"-" + plain.tobytes(), dtype=np.uint8, offset=1).view(float).reshape(4, 3)
    assert not misaligned.flags.aligned
    assert Dataset(misaligned) == Dataset(plain)
    assert Dataset({"a": misaligned[:, 1]}) == Dataset({"a": plain[:, 1]})


def test_rows_are_chosen_as_numpy_chooses_them():
    data = Dataset({"x": [0.0, 1.0, 2.0, 3.0]})
    assert data[1:3]["x"].tolist() == [1, 2]
    assert data[[3, 0, 3]]["x"].tolist() == [3, 0, 3]
    assert data[data["x"] > 1.5]["x"].tolist() == [2, 3]
    assert len(data[[]]) == 0
    with pytest.raises(IndexError):
        data[[4]]
    with pytest.raises(mercer.ExpressionError, match="did you mean|there is"):
        data["y"]


def test_a_dataset_survives_pickle():
    data = Dataset({"x": [0.1, np.nan, 2.0], "c": ["a", "b", "a"], "v": np.eye(3)})
    again = pickle.loads(pickle.dumps(data))
    assert again.columns == data.columns
    assert (again["v"] == data["v"]).all() and again["c"].tolist() == data["c"].tolist()
    assert again["x"][0] == 0.1 and np.isnan(again["x"][1])


def test_missing_numbers_are_filled_as_in_training():
    x = np.array([[1.0, 0.0], [np.nan, 1.0], [3.0, 2.0], [4.0, 5.0]])
    with pytest.warns(mercer.MercerWarning, match="median 3"):
        model = Learner("ridge(lambda=1)", "rbf").fit(x, [1.0, 2.0, 3.0, 5.0])
    assert np.isfinite(model.predict(x)).all()
    assert np.isfinite(model.predict([[np.nan, np.nan]])).all()


def test_new_rows_are_taken_as_the_training_rows_were():
    columns = {"c": ["a", "b", "a", "b"], "x": [0.0, 1.0, 2.0, 4.0]}
    model = Learner("ridge(lambda=1)", "equal + linear").fit(columns, [0.0, 1.0, 0.5, 2.0])
    one = model.predict({"x": [1.0], "other": ["?"], "c": ["b"]})
    assert one.shape == (1,)
    assert abs(one[0] - model.predict(columns)[1]) <= 1e-12
    assert abs(model.predict(Dataset({"c": ["b"], "x": [1.0]}, like=model))[0] - one[0]) <= 1e-12
    with pytest.warns(mercer.MercerWarning, match="did not have"):
        model.predict({"x": [1.0], "c": ["new"]})


def test_arrays_stand_for_the_columns_of_a_table_in_order():
    data, species = mercer.example("iris")
    model = Learner("svc(c=1)").fit(data, species)
    x = np.column_stack([data[name] for name in data.columns])
    assert (model.predict(x) == model.predict(data)).all()
    assert (model.predict(np.asfortranarray(x)) == model.predict(data)).all()
    plain = Learner("svc(c=1)").fit(x, species)
    assert (plain.decision_function(x) == model.decision_function(data)).all()


def test_a_constant_column_is_dropped_with_a_warning():
    with pytest.warns(mercer.MercerWarning, match="same"):
        model = Learner("ridge(lambda=1)", "linear").fit({"x": [0.0, 1.0, 2.0], "same": [1, 1, 1]}, [0.0, 1.0, 2.0])
    assert any("same" in notice for notice in model.notices)


def test_names_and_labels_are_one_however_their_letters_are_composed(rng):
    apart = {name: unicodedata.normalize("NFD", name) for name in ("größe", "Zürich", "Bern")}
    city = rng.choice(["Zürich", "Bern"], 40)
    value = np.where(city == "Bern", -1.0, 1.0)
    mixed = [apart[name] if i % 2 else name for i, name in enumerate(city)]
    assert len(Learner("knn(k=3)").fit({"größe": value}, mixed).classes) == 2
    model = Learner("ridge(lambda=0.01)").fit({"city": city, "größe": value}, value)
    rows = {"city": ["Zürich", apart["Zürich"]], apart["größe"]: [1.0, 1.0]}
    assert np.ptp(model.predict(rows)) < 1e-12
    # Labels come back as they were given.
    given = [apart[name] for name in city]
    model = Learner("knn(k=3)").fit({"x": value}, given)
    assert set(model.predict({"x": value})) == set(given)
    assert model.score({"x": value}, list(city)) == 1.0


def test_durations_count_alike_in_a_frame_and_in_its_file(tmp_path, rng):
    pandas = pytest.importorskip("pandas")
    hours = rng.uniform(-50, 50, 30)
    days = rng.integers(0, 30, 30)
    for lasted in (pandas.to_timedelta(hours, unit="h"), pandas.to_timedelta(days, unit="D")):
        frame = pandas.DataFrame({"lasted": lasted, "x": hours})
        frame.to_csv(tmp_path / "t.csv", index=False)
        model = Learner("ridge(lambda=0.001)").fit(frame, np.sin(hours))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read, _ = mercer.read_table(tmp_path / "t.csv", like=model)
            own, _ = mercer.read_table(tmp_path / "t.csv")
            other = Learner("ridge(lambda=0.001)").fit(own, np.sin(hours))
        np.testing.assert_allclose(model.predict(read), model.predict(frame), atol=1e-9)
        np.testing.assert_allclose(other.predict(frame), other.predict(own), atol=1e-9)


def test_labels_in_an_order_are_declared():
    answers = ["never", "often", "rarely", None]
    data = Dataset({"q": answers}, types={"q": "ordinal(never<rarely<often)"})
    np.testing.assert_array_equal(data["q"], [0, 2, 1, np.nan])
    model = Learner("ridge(lambda=1)").fit(data, [0.0, 2.0, 1.0, 1.0])
    assert model.predict({"q": ["often"]}) > model.predict({"q": ["never"]})
    with pytest.raises(mercer.DataError, match="found 'always', expected one of never < rarely < often"):
        model.predict({"q": ["always"]})


def test_a_table_is_read_with_target_types_and_weights(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,x,seq,w,y\n7,1,ACGTACGTAA,1,a\n8,2,CCGTACGTAA,2,b\n9,,GGGTACGTAA,0,a\n", encoding="utf-8")
    data, target, weights = mercer.read_table(path, "y", weights="w", types={"id": "ignore"})
    assert data.columns == {"x": "number", "seq": "sequence"}
    assert target.tolist() == ["a", "b", "a"] and weights.tolist() == [1, 2, 0]
    data, target = mercer.read_table(str(path), "w")
    assert target.dtype == float
    assert mercer.read_table(path)[1] is None


def test_examples_are_named_and_read():
    assert {"iris", "sinc", "xor", "blobs", "mixed"} <= set(mercer.examples())
    data, y = mercer.example("sinc")
    assert y.dtype == float and len(data) == len(y) == 200
    with pytest.raises(mercer.ExpressionError, match="did you mean 'iris'"):
        mercer.example("irsi")


def test_a_masked_cell_is_missing():
    masked = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    assert np.isnan(Dataset(masked)["x1"][0])


def test_a_kernel_matrix_of_ones_own_belongs_to_a_column_of_names(rng):
    x = rng.normal(size=(6, 2))
    matrix = np.exp(-((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2) / 2)
    names = list("abcdef")
    looked_up = Dataset({"item": names[:4]}, gram={"item": (names, matrix)})
    k = mercer.Kernel("precomputed")
    assert (k(looked_up) == matrix[:4, :4]).all()
    target = [0.0, 1.0, 2.0, 4.0]
    model = Learner("ridge(lambda=0.1)", k, allow_non_mercer=True).fit(looked_up, target)
    plain = Learner("ridge(lambda=0.1)", "rbf(length_scale=1)", standardise=False).fit(x[:4], target)
    new = Dataset({"item": ["f", "e"]}, gram={"item": (names[::-1], matrix[::-1, ::-1])})
    np.testing.assert_allclose(model.predict(new), plain.predict(x[[5, 4]]), rtol=0, atol=1e-10)
    # Rows without names are called by their numbers.
    assert (k(Dataset({"item": [2, 0]}, gram={"item": matrix})) == matrix[np.ix_([2, 0], [2, 0])]).all()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((["a", "b"], [[1.0, np.nan], [np.nan, 1.0]]), r"row 1 \(index 0\), column 'b' of the kernel matrix: found NaN, expected a finite number"),
        ((["a", "a"], [[1.0, 0.5], [0.5, 1.0]]), "stands twice"),
        ((["a", "c"], [[1.0, 0.5], [0.5, 1.0]]), r"column 'item': row 2 \(index 1\) is called 'b', which is not among the names"),
        ((["a", "b", "c"], [[1.0, 0.5], [0.5, 1.0]]), "rows of the kernel matrix"),
        ([1.0, 0.5], "gram of 'item': .*two axes"),
    ],
)
def test_a_matrix_that_is_no_kernel_matrix_is_refused(given, says):
    with pytest.raises(mercer.DataError, match=says):
        Dataset({"item": ["a", "b"]}, gram={"item": given})
    with pytest.raises(mercer.ExpressionError, match="itme"):
        Dataset({"item": ["a", "b"]}, gram={"itme": given if isinstance(given, tuple) else np.eye(2)})


def test_the_fault_of_a_kernel_matrix_that_is_missing_is_told_in_python():
    with pytest.raises(mercer.MercerError, match='gram={"COL": K}'):
        mercer.Kernel("precomputed")({"item": ["a", "b"]})


def test_a_line_of_a_wide_table_is_short_and_a_recipe_is_shown():
    wide = repr(Dataset(np.zeros((2, 3000))))
    assert len(wide) < 500 and wide.endswith("and 2980 more columns")
    shown = mercer.Learner("svc(c=1)", "rbf")._repr_html_()
    assert "svc(c=1)" in shown and "<th scope=\"row\">kernel</th><td>rbf</td>" in shown
