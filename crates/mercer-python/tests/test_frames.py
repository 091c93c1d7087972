"""Data from the frames of pandas, polars and pyarrow, and sparse matrices of scipy: named, typed columns."""

import datetime as dt
import sys
from decimal import Decimal

import numpy as np
import pytest

import mercer
from mercer import Dataset, Learner, kernels

FRAMES = ["pandas", "polars", "pyarrow"]


def absent(name):
    return f"skipped: the package {name} is not installed"


def library(name):
    return pytest.importorskip(name, reason=absent(name))


def made(name, columns):
    """The columns as a frame of the library."""
    package = library(name)
    return package.table(columns) if name == "pyarrow" else package.DataFrame(columns)


def cells(column):
    """Cells with None for what is missing."""
    return [None if isinstance(cell, float) and np.isnan(cell) else cell for cell in column.tolist()]


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_has_named_and_typed_columns(name):
    columns = {
        "x": [1.5, None, 3.0, 2.0],
        "n": [1, 2, None, 2],
        "flag": [True, None, False, True],
        "label": ["a", "b", None, "a"],
        "zip": ["0123", "0999", "0123", None],
        "seq": ["ACGTACGTACGT", "GGGTACGTACCC", "TTTTACGAACGA", "ACGTTTGTAGGT"],
        "day": [dt.date(2024, 3, 1), dt.date(1969, 12, 31), None, dt.date(2000, 2, 29)],
        "price": [Decimal("1.10"), Decimal("-0.05"), None, Decimal("3")],
    }
    data = Dataset(made(name, columns))
    types = ["number", "number", "number", "category", "category", "sequence", "number", "number"]
    assert data.columns == dict(zip(columns, types, strict=True))
    assert cells(data["x"]) == [1.5, None, 3, 2]
    assert cells(data["n"]) == [1, 2, None, 2]
    assert cells(data["flag"]) == [1, None, 0, 1]
    assert data["label"].tolist() == ["a", "b", "(missing)", "a"]
    # A str that looks like a number is a label, as in JSON lines.
    assert data["zip"].tolist() == ["0123", "0999", "0123", "(missing)"]
    assert data["seq"].tolist() == columns["seq"]
    epoch = dt.date(1970, 1, 1)
    assert cells(data["day"]) == [None if day is None else (day - epoch).days for day in columns["day"]]
    assert cells(data["price"]) == [1.1, -0.05, None, 3]
    plain = Dataset(columns)
    assert all(cells(plain[column]) == cells(data[column]) for column in columns)


@pytest.mark.parametrize("name", FRAMES)
def test_whole_numbers_that_are_labels_are_written_whole_beside_missing_ones(name):
    frame = made(name, {"zip": [10115, None, 20095]})
    if name == "pandas":
        frame = frame.astype("Int64")
    assert Dataset(frame, types={"zip": "category"})["zip"].tolist() == ["10115", "(missing)", "20095"]


@pytest.mark.parametrize("name", FRAMES)
def test_times_are_days_since_1970_in_utc(name):
    berlin = dt.timezone(dt.timedelta(hours=1))
    frame = made(name, {"t": [dt.datetime(2024, 3, 1, 13, tzinfo=berlin), None, dt.datetime(1970, 1, 1, 1, tzinfo=berlin)]})
    data = Dataset(frame)
    assert "'t' holds dates" in data.notices[0]
    # datetime(2024, 3, 1, 12, tzinfo=UTC).timestamp() / 86400.
    assert cells(data["t"]) == [19783.5, None, 0]
    naive = Dataset(made(name, {"t": [dt.datetime(2024, 3, 1, 12), None]}))
    assert cells(naive["t"]) == [19783.5, None]


@pytest.mark.parametrize("name", FRAMES)
def test_categorical_columns_are_categories_and_missing_labels_stay_missing(name):
    if name == "pandas":
        pandas = library(name)
        words, numbers = pandas.Categorical(["b", "a", None, "b"]), pandas.Categorical([3, 10, None, 3])
    elif name == "polars":
        polars = library(name)
        words = polars.Series(["b", "a", None, "b"], dtype=polars.Categorical)
        numbers = polars.Series(["3", "10", None, "3"], dtype=polars.Enum(["3", "10", "11"]))
    else:
        pyarrow = library(name)
        words = pyarrow.array(["b", "a", None, "b"]).dictionary_encode()
        numbers = pyarrow.array([3, 10, None, 3]).dictionary_encode()
    data = Dataset(made(name, {"w": words, "n": numbers}))
    assert data.columns == {"w": "category", "n": "category"}
    assert data["w"].tolist() == ["b", "a", "(missing)", "b"]
    assert data["n"].tolist() == ["3", "10", "(missing)", "3"]


def test_a_dictionary_of_arrow_keeps_its_nulls_also_inside_of_pandas_and_as_a_target():
    pandas, pyarrow = library("pandas"), library("pyarrow")
    encoded = pyarrow.array(["a", "b", None, "b"]).dictionary_encode()
    series = pandas.Series(encoded, dtype=pandas.ArrowDtype(encoded.type))
    assert Dataset(pandas.DataFrame({"c": series}))["c"].tolist() == ["a", "b", "(missing)", "b"]
    with pytest.raises(mercer.DataError, match="row 3.*target"):
        Learner("svc(c=1)", "linear").fit({"x": [0.0, 1.0, 2.0, 3.0]}, encoded)


@pytest.mark.parametrize("name", FRAMES)
def test_a_model_is_fitted_on_a_frame_and_predicts_from_any_other(name):
    columns = {"c": ["a", "b", "a", "b", "b", "a"], "x": [0.0, 1.0, 2.0, 4.0, 5.0, 7.0]}
    target = [0.0, 1.0, 0.5, 2.0, 2.5, 3.0]
    frame = made(name, {**columns, "y": target})
    model = Learner("ridge(lambda=1)", "equal + linear").fit(columns, target)
    again = Learner("ridge(lambda=1)", "equal + linear").fit(frame[["x", "c"]] if name != "pyarrow" else frame.select(["x", "c"]), frame["y"])
    np.testing.assert_allclose(again.predict(frame), model.predict(columns), rtol=0, atol=1e-12)
    classes = Learner("svc(c=1)", "linear").fit(made(name, {"x": columns["x"]}), frame["c"])
    assert classes.classes.tolist() == ["a", "b"]


@pytest.mark.parametrize("name", FRAMES)
def test_a_column_of_vectors_has_one_length(name):
    data = Dataset(made(name, {"v": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}))
    assert data.columns == {"v": "points"}
    assert data["v"].tolist() == [[1, 2], [3, 4], [5, 6]]
    unlike = Dataset(made(name, {"v": [[1.0, 2.0], [3.0, 4.0], [5.0]]}))
    assert unlike.columns == {"v": "series"} and unlike["v"][2].tolist() == [[5.0]]
    assert "unlike lengths: read as series" in unlike.notices[0]
    with pytest.raises(mercer.DataError, match=r"column 'v': row 3 \(index 2\) holds a vector of length 1, row 1 .* length 2; make them one length"):
        Dataset(made(name, {"v": [[1.0, 2.0], [3.0, 4.0], [5.0]]}), types={"v": "points"})
    with pytest.raises(mercer.DataError, match=r"column 'v': row 2 \(index 1\) holds no vector"):
        Dataset(made(name, {"v": [[1.0, 2.0], None]}))


def test_ragged_lists_are_refused_by_their_row():
    with pytest.raises(mercer.DataError, match=r"row 3 \(index 2\) holds a vector of length 1, row 1 \(index 0\) a vector of length 2"):
        Dataset([[1.0, 2.0], [3.0, 4.0], [5.0]])
    with pytest.raises(mercer.DataError, match=r"column 'v': row 2 \(index 1\) holds a single value, row 1 \(index 0\) a vector of length 2"):
        Dataset({"v": [[1.0, 2.0], 3.0]})
    with pytest.raises(mercer.DataError, match=r"column 'v': row 2 \(index 1\) holds an array of shape .*; expected a vector of numbers"):
        Dataset({"v": np.array([np.zeros(2), ["a", "b"], None], dtype=object)})


def test_what_is_no_cell_is_named_by_column_and_row():
    for cell, word in [({1}, "set"), (b"a", "bytes"), (object(), "object"), (1j, "complex")]:
        with pytest.raises(mercer.DataError, match=rf"column 'c': row 2 \(index 1\) holds {word}; expected a (real )?number"):
            Dataset({"c": np.array([None, cell], dtype=object)})
    with pytest.raises(mercer.DataError, match=r"column 'c': .* row 1 \(index 0\) holds a str and row 3 \(index 2\) a float"):
        Dataset({"c": ["a", None, 1.5]})
    with pytest.raises(mercer.DataError, match="column 'd': expected labels or texts, found durations.*numpy.timedelta64"):
        Dataset({"d": np.array([1, 2], dtype="m8[s]")}, types={"d": "category"})
    with pytest.raises(mercer.DataError, match="column 'z': expected .*complex"):
        Dataset({"z": np.array([1j])})


def test_dates_of_numpy_are_days_and_can_be_labels():
    days = np.array(["2024-03-01", "NaT", "2024-03-01T12:00"], dtype="M8[ns]")
    assert cells(Dataset({"d": days})["d"]) == [19783, None, 19783.5]
    assert Dataset({"d": days}, types={"d": "category"})["d"].tolist() == ["2024-03-01", "(missing)", "2024-03-01T12:00"]


def test_masked_words_are_missing():
    words = np.ma.array(["a", "b", "a"], mask=[False, True, False])
    assert Dataset({"c": words})["c"].tolist() == ["a", "(missing)", "a"]


def test_every_layout_and_type_of_numpy_gives_the_same_columns(rng):
    whole = rng.integers(0, 50, size=(6, 3))
    expected = Dataset(whole.astype(float))
    wide = np.zeros((12, 9))
    wide[::2, ::3] = whole
    for dtype in ["f4", "f8", "f2", ">f8", ">i4", "i1", "u8", "longdouble"]:
        assert Dataset(whole.astype(dtype)) == expected, dtype
    for layout in [np.asfortranarray(whole), wide[::2, ::3], whole[::-1][::-1], np.broadcast_to(whole, (6, 3))]:
        assert Dataset(layout) == expected
        assert Dataset({"v": layout})["v"].tolist() == whole.tolist()


def test_a_stream_of_arrow_is_a_table():
    pyarrow = library("pyarrow")

    class Stream:
        """What a database hands out: a stream and nothing else, read once."""

        def __init__(self, table):
            self.reader = table.to_reader()

        def __arrow_c_stream__(self, requested_schema=None):
            return self.reader.__arrow_c_stream__(requested_schema)

    table = pyarrow.table({"x": [1.0, 2.0], "c": ["a", "a"]})
    assert Dataset(Stream(table)).columns == {"x": "number", "c": "category"}
    assert Dataset(Stream(table), types="category").columns == {"x": "category", "c": "category"}
    assert Dataset(table.to_batches()[0]) == Dataset(table)
    assert kernels.rbf(length_scale=1)(Stream(table.select(["x"]))).shape == (2, 2)


def test_a_stream_of_arrow_without_pyarrow_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    stream = type("Stream", (), {"__arrow_c_stream__": lambda self, requested_schema=None: None})()
    with pytest.raises(mercer.DataError, match="install pyarrow"):
        Dataset(stream)


def test_a_lazy_frame_is_to_be_collected():
    polars = library("polars")
    with pytest.raises(mercer.DataError, match="collect"):
        Dataset(polars.DataFrame({"x": [1.0]}).lazy())


@pytest.mark.parametrize("kind", ["csr_matrix", "csr_array", "csc_matrix", "csc_array", "coo_array", "dok_array"])
def test_sparse_matrices_give_the_values_of_dense_ones_and_stay_as_they_were(kind, rng):
    sparse = pytest.importorskip("scipy.sparse", reason=absent("scipy"))
    dense = rng.normal(size=(7, 5)) * (rng.random((7, 5)) < 0.4)
    matrix = getattr(sparse, kind)(dense)
    k = kernels.rbf(length_scale=2.0) + kernels.linear()
    np.testing.assert_allclose(k(matrix), k(dense), rtol=0, atol=1e-13)
    assert Dataset(matrix).columns == {"x": "points"}
    assert (Dataset({"v": matrix, "c": list("aabbaab")})["v"] == dense).all()
    assert (matrix.toarray() == dense).all()
    whole = getattr(sparse, kind)((dense > 0).astype(np.int8))
    assert (Dataset(whole)["x"] == (dense > 0)).all()


def test_a_wide_sparse_matrix_is_never_made_dense():
    sparse = pytest.importorskip("scipy.sparse", reason=absent("scipy"))
    # 20 000 rows of 5 million columns would be 800 GB of numbers.
    n = 20_000
    wide = sparse.csr_array((np.full(n, 2.0), (np.arange(n), 4_999_999 - np.arange(n) % 7)), shape=(n, 5_000_000))
    assert kernels.linear().diag(wide).tolist() == [4.0] * n
    assert kernels.linear()(wide[:9], wide[:2]).tolist() == [[4, 0], [0, 4]] + 5 * [[0, 0]] + [[4, 0], [0, 4]]
    wider = sparse.csr_array((np.array([1.0]), ([0], [7])), shape=(1, 4_294_967_295))
    with pytest.raises(mercer.ResourceError, match="4294967295 columns"):
        kernels.linear()(wider)


def test_sparse_matrices_that_are_none_are_refused():
    sparse = pytest.importorskip("scipy.sparse", reason=absent("scipy"))
    with pytest.raises(mercer.DataError, match="one axis"):
        Dataset(sparse.coo_array(np.array([1.0, 0.0])))
    with pytest.raises(mercer.DataError, match="real numbers"):
        Dataset(sparse.csr_array(np.array([[1j]])))
    broken = sparse.csr_array(np.eye(3))
    broken.indices[0] = 7
    with pytest.raises(mercer.DataError, match="do not fit together"):
        Dataset(broken)
    broken.indices = broken.indices.astype(float)
    with pytest.raises(mercer.DataError, match="expected whole numbers"):
        Dataset(broken)
