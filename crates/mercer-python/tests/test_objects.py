"""Cells, targets, masks and matrices as objects of Python and of other packages: read for what they are, or refused, and never lost."""

import datetime as dt
import enum
import ipaddress
import pathlib
import pickle
import re
import uuid
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import mercer
from mercer import DataError, Dataset, Learner, MercerWarning

pandas = pytest.importorskip("pandas")

Y = np.array([0, 1] * 20)
NOISE = np.random.default_rng(0).normal(size=40)
SIZE = NOISE + 3.0 * Y
X = np.column_stack([SIZE, NOISE])


class Reading:
    """A number with a unit, as packages of units have them."""

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(str, enum.Enum):
    ONE = "one"
    TWO = "two"


NUMBERS = {
    "fractions": [Fraction(i, 3) for i in range(4)],
    "decimals": [Decimal("1.10"), Decimal("-0.05"), Decimal("3"), Decimal("1E+3")],
    "objects with __float__": [Reading(i + 0.5) for i in range(4)],
    "enumerations of numbers": [Level.LOW, Level.HIGH, Level.HIGH, Level.LOW],
    "scalars of numpy": [np.float16(0.1), np.longdouble(2.5), np.int8(3), np.array(4.0)],
    "numbers of several classes": [1, 2.5, Decimal("1.5"), Fraction(1, 3)],
}


@pytest.mark.parametrize("cells", NUMBERS.values(), ids=NUMBERS)
def test_numbers_of_any_class_are_numbers(cells):
    expected = [float(cell) for cell in cells]
    for column in (cells, tuple(cells), pandas.Series(cells, dtype=object), np.array([*cells, None], dtype=object)[:4]):
        data = Dataset({"x": column})
        assert data.columns == {"x": "number"} and data["x"].tolist() == expected
    gaps = Dataset({"x": pandas.Series([cells[0], None, pandas.NA, float("nan"), Decimal("NaN")], dtype=object)})
    assert gaps["x"][0] == expected[0] and gaps.missing["x"].tolist() == [1, 2, 3, 4]
    frame = pandas.DataFrame({"x": pandas.Series(cells * 10, dtype=object), "z": SIZE})
    as_floats = frame.astype({"x": float}) if not isinstance(cells[0], Reading) else frame.assign(x=[float(c) for c in cells * 10])
    for estimator in (mercer.SVC(), mercer.MercerClassifier("svc(c=1)", "rbf(length_scale=1)")):
        np.testing.assert_array_equal(estimator.fit(frame, Y).decision_function(frame), estimator.fit(as_floats, Y).decision_function(as_floats))
    ridge = Learner("ridge(lambda=1)", "linear")
    np.testing.assert_array_equal(ridge.fit(X[:4], cells, task="regression").predict(X), ridge.fit(X[:4], expected).predict(X))


def test_what_is_no_real_number_is_refused_with_its_row():
    class Refusing:
        def __float__(self):
            raise TypeError("it has a unit")

    for cell, words in [
        (1 + 2j, "holds complex; expected a real number"),
        (np.complex64(1j), "holds complex64; expected a real number"),
        (Refusing(), "holds Refusing, .*: as a number it raises it has a unit"),
        (10**400, "holds a whole number of 401 digits"),
    ]:
        with pytest.raises(DataError, match=rf"column 'x': row 2 \(index 1\) {words}"):
            Dataset({"x": pandas.Series([1, cell], dtype=object)})
    # Whole numbers that a float64 does not tell apart are labels, as those of an array are.
    digits = [10**20, 10**20 + 1] * 3
    assert Dataset({"x": digits})["x"].tolist() == [str(number) for number in digits]


LABELS = {
    "Interval": lambda: pandas.cut(pandas.Series(SIZE), 4).astype(object),
    "Colour": lambda: [Colour.RED if y else Colour.BLUE for y in Y],
    "UUID": lambda: [uuid.UUID(int=int(y)) for y in Y],
    "PosixPath": lambda: [pathlib.PurePosixPath("a") / str(y) for y in Y],
    "IPv4Address": lambda: [ipaddress.ip_address(int(y)) for y in Y],
}


@pytest.mark.parametrize("name", LABELS)
def test_values_that_are_neither_numbers_nor_texts_are_labels_by_their_text_and_told(name):
    cells = LABELS[name]()
    data = Dataset({"c": cells})
    assert data["c"].tolist() == [str(cell) for cell in cells] and data.columns == {"c": "category"}
    assert "label by its text" in data.notices[0]
    frame = pandas.DataFrame({"c": pandas.Series(cells, dtype=object)})
    model = mercer.MercerClassifier("knn(k=3)", "equal")
    with pytest.warns(MercerWarning, match="label by its text"):
        model.fit(frame, Y)
    assert model.score(frame, Y) > 0.8


def test_bins_of_pandas_texts_of_enumerations_and_times_of_day_are_read():
    bins = pandas.DataFrame({"bin": pandas.cut(pandas.Series(SIZE), 4)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mercer.MercerClassifier("knn(k=3)", "equal").fit(bins, Y).score(bins, Y) > 0.8
        assert Dataset(bins)["bin"][0] == str(bins["bin"][0])
        assert Dataset({"w": [Word.ONE, Word.TWO]})["w"].tolist() == ["one", "two"]
    # As in a file: seconds since midnight.
    assert Dataset({"t": [dt.time(0, 0, 30), dt.time(1)]})["t"].tolist() == [30.0, 3600.0]
    dates = pandas.Series([np.datetime64("1970-01-02"), pandas.Timestamp("1970-01-03"), pandas.NaT], dtype=object)
    assert Dataset({"d": dates})["d"].tolist()[:2] == [1.0, 2.0]


def test_masked_cells_are_missing_in_every_class():
    masked = np.ma.array(X.copy(), mask=np.zeros(X.shape, dtype=bool))
    masked[::5, 0] = np.ma.masked
    masked.data[::5, 0] = 1e6
    holes = np.where(np.ma.getmaskarray(masked), np.nan, X)
    rows = [row for row in masked]
    for form in (masked, rows, {"a": masked[:, 0], "b": masked[:, 1]}):
        assert [len(gaps) for gaps in Dataset(form).missing.values()] == [8]
    assert Dataset({"n": np.ma.array([2**60, 1], mask=[False, True])}, types={"n": "category"})["n"].tolist() == [str(2**60), "(missing)"]
    assert Dataset({"n": [np.ma.masked, 1]}).missing["n"].tolist() == [0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner, taking = Learner("svc(c=1)", "rbf(length_scale=1)"), mercer.MercerClassifier("svc(c=1)", "rbf(length_scale=1)")
        expected = learner.fit(holes, Y).decision_function(holes)
        for form in (masked, rows):
            np.testing.assert_array_equal(learner.fit(form, Y).decision_function(form), expected)
            np.testing.assert_array_equal(taking.fit(form, Y).decision_function(form), taking.fit(holes, Y).decision_function(holes))
        refusing = [mercer.SVC(), mercer.LinearSVC(), mercer.KNeighborsClassifier(), mercer.KernelPCA(), mercer.KMedoids(2), mercer.KernelDensity()]
        for estimator in [*refusing, mercer.LocalRegression(), mercer.KernelPerceptron(), mercer.GaussianProcessClassifier()]:
            with pytest.raises(ValueError, match="NaN"):
                estimator.fit(masked, Y)
        gap = np.ma.array(Y, mask=Y == 1)
        for estimator in (mercer.SVC(), mercer.KernelRidge(), mercer.MercerRegressor(), mercer.LocalRegression(), mercer.KernelPerceptron()):
            with pytest.raises(ValueError, match=r"Input y is masked in row 2 \(index 1\)"):
                estimator.fit(X, gap)
            with pytest.raises(ValueError, match=r"Input sample_weight is masked in row 2 \(index 1\)"):
                estimator.fit(X, Y, sample_weight=np.ma.array(np.ones(40), mask=Y == 1))
        for words, target, weight in [("target", gap.astype(float), None), ("weight", Y, gap.astype(float))]:
            for name in ("knn(k=1)", "baseline", "local_regression(bandwidth=1)"):
                with pytest.raises(DataError, match=f"row 2.*{words}|{words}.*row 2"):
                    Learner(name).fit(X, target, weight)
        with pytest.raises(DataError, match="row 2.*column 'target': found '', expected a value"):
            Learner("svc(c=1)").fit(X, gap)


def test_arrays_of_records_are_columns_by_name():
    records = np.array(list(zip(SIZE, NOISE, ["u", "v"] * 20)), dtype=[("size", "f8"), ("noise", "f4"), ("kind", "U3")])
    frame = pandas.DataFrame({name: records[name] for name in records.dtype.names})
    for form in (records, records.view(np.recarray)):
        assert Dataset(form) == Dataset(frame)
        model = mercer.MercerClassifier("svc(c=1)", "rbf(length_scale=1) + equal").fit(form, Y)
        np.testing.assert_array_equal(model.feature_names_in_, ["size", "noise", "kind"])
        np.testing.assert_array_equal(model.predict(form), model.predict(frame))
    masked = np.ma.array(records, mask=[(i == 3, False, False) for i in range(40)])
    assert Dataset(masked).missing["size"].tolist() == [3]
    with pytest.raises(DataError, match="column 'kind' holds category"):
        mercer.SVC().fit(records, Y)


GAPS = [None, pandas.NA, float("nan")]


def test_a_column_without_a_cell_is_missing_in_frames_of_every_package():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frames = [
        pandas.DataFrame({"gap": pandas.Series(GAPS + [None] * 37, dtype=object), "z": SIZE}),
        polars.DataFrame({"gap": [None] * 40, "z": SIZE}),
        pyarrow.table({"gap": pyarrow.nulls(40), "z": SIZE}),
    ]
    for frame in frames:
        with pytest.raises(DataError, match=r"NaN: row 1 \(index 0\), column 'gap'"):
            mercer.SVC().fit(frame, Y)
        with pytest.warns(MercerWarning, match="'gap' has no value in any row: dropped"):
            model = mercer.MercerClassifier("svc(c=1)", "rbf(length_scale=1)").fit(frame, Y)
        assert model.score(frame, Y) > 0.8
    decimals = [Decimal(str(round(x, 3))) for x in SIZE]
    exact = mercer.SVC().fit(np.array(decimals, dtype=float)[:, None], Y).decision_function(np.array(decimals, dtype=float)[:, None])
    for frame in (pandas.DataFrame({"d": decimals}), polars.DataFrame({"d": decimals}), pyarrow.table({"d": decimals})):
        np.testing.assert_array_equal(mercer.SVC().fit(frame, Y).decision_function(frame), exact)


def test_numbers_are_refused_where_a_model_was_trained_on_texts_or_labels():
    texts = ["abcab" if y else "xyzxz" for y in Y]
    models = [mercer.SVC(kernel="spectrum(k=2)").fit(texts, Y), Learner("svc(c=1)", "normalise(spectrum(k=2))").fit(texts, Y)]
    for model in models:
        for rows in ([[1.0]], [1.0], np.array([[1.0]]), [True], {"x": [1]}, pandas.DataFrame({"x": [2.5]})):
            with pytest.raises(DataError, match="column 'x': found (ints|floats|bools), and the model was trained on"):
                model.predict(rows)
        with pytest.raises(DataError, match="S2; decode them"):
            model.predict([b"ab"])
        assert model.predict(["abc"])[0] == 1
    labels = Learner("ridge(lambda=1)").fit({"c": ["u", "v"] * 20}, SIZE)
    with pytest.raises(DataError, match="column 'c': found floats, and the model was trained on labels such as 'u', 'v'"):
        labels.predict({"c": [1.0]})
    numbered = Learner("ridge(lambda=1)").fit({"c": pandas.Categorical([1, 2] * 20)}, SIZE)
    for rows in ([1, 2], [1.0, 2.0], ["1", "2"], pandas.Series([1, 2], dtype="Int64")):
        np.testing.assert_array_equal(numbered.predict({"c": rows}), numbered.predict({"c": pandas.Categorical([1, 2])}))
    # What was declared of the training rows is declared of new ones.
    digits = pandas.DataFrame({"zip": [12345, 54321] * 20})
    assert mercer.MercerClassifier("svc(c=1)", "spectrum(k=2)", types={"zip": "text"}).fit(digits, Y).score(digits, Y) == 1.0


def test_dates_and_durations_as_a_target_say_what_they_are():
    days = np.array("2020-01-01", dtype="M8[D]") + np.arange(40)
    for target, words in [(days, "dates.*makes days"), (list(days.astype(object)), "dates.*makes days"), (days - days[0], "durations.*makes seconds")]:
        with pytest.raises(DataError, match=f"target 'target' holds {words}"):
            Learner("ridge").fit(X, target)
    for estimator in (mercer.KernelRidge(), mercer.MercerRegressor(), mercer.LocalRegression()):
        with pytest.raises(DataError, match=r"Input y holds dates \(datetime64\[D\]\), expected numbers"):
            estimator.fit(X, days)
    with pytest.raises(DataError, match="Input X holds dates"):
        mercer.SVC().fit(days[:, None], Y)
    two = np.where(Y == 0, days[0], days[1])
    assert Learner("svc(c=1)", "linear").fit(X, two).classes.tolist() == ["2020-01-01", "2020-01-02"]
    assert mercer.SVC().fit(X, two).predict(X).dtype == two.dtype
    with pytest.raises(DataError, match="row 1.*column 'target'.*expected a value; fill it, or leave the row out$"):
        Learner("svc").fit(X, [None, *Y[1:]])


def squared(rows):
    return ((rows[:, None] - rows[None]) ** 2).sum(axis=2)


NAMES = [f"r{i}" for i in range(40)]
GRAM = np.exp(-squared(X) / 2)


def test_a_frame_of_kernel_values_is_the_matrix():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    named = pandas.DataFrame(GRAM, index=NAMES, columns=NAMES)
    learner = Learner("svc(c=1)", "precomputed")
    expected = learner.fit(GRAM, Y).decision_function(GRAM)
    frames = [named, pandas.DataFrame(GRAM), pandas.DataFrame(GRAM, columns=NAMES), polars.DataFrame(GRAM), pyarrow.table(pandas.DataFrame(GRAM, columns=NAMES))]
    for frame in frames:
        np.testing.assert_array_equal(learner.fit(frame, Y).decision_function(frame), expected)
        np.testing.assert_array_equal(mercer.SVC(kernel="precomputed").fit(frame, Y).decision_function(frame), mercer.SVC(kernel="precomputed").fit(GRAM, Y).decision_function(GRAM))
    assert mercer.compare(named, Y, "precomputed", "svc(c=1)").best["metrics"] == mercer.compare(GRAM, Y, "precomputed", "svc(c=1)").best["metrics"]
    model = learner.fit(named, Y)
    np.testing.assert_array_equal(model.decision_function(pandas.DataFrame(GRAM[:3], columns=NAMES)), expected[:3])
    with pytest.raises(DataError, match="column 1 .* 'r39', and training row 1 .* was 'r0'"):
        model.predict(named[NAMES[::-1]])
    with pytest.raises(DataError, match="column 'b' of the frame holds no numbers"):
        learner.fit(pandas.DataFrame({"a": [1.0, 0.0], "b": ["x", "y"]}), [0, 1])


def test_rows_and_columns_of_a_frame_of_kernel_values_or_distances_have_one_order():
    distances = np.sqrt(squared(X))
    cases = [
        (GRAM, mercer.SVC(kernel="precomputed")),
        (GRAM, mercer.KernelPCA(2, kernel="precomputed")),
        (GRAM, mercer.SpectralClustering(2, affinity="precomputed")),
        (GRAM, mercer.MercerClassifier("svc(c=1)", "precomputed")),
        (distances, mercer.KNeighborsClassifier(metric="precomputed")),
        (distances, mercer.KMedoids(2, metric="precomputed")),
        (distances, mercer.MDS(metric="precomputed")),
        (GRAM, Learner("svc(c=1)", "precomputed")),
    ]
    for matrix, estimator in cases:
        estimator.fit(pandas.DataFrame(matrix, index=NAMES, columns=NAMES), Y)
        with pytest.raises(DataError, match=r"row 1 \(index 0\) of the frame is 'r39' and its column 1 \(index 0\) 'r0'.*frame.loc\[frame.columns\]"):
            estimator.fit(pandas.DataFrame(matrix, index=NAMES[::-1], columns=NAMES), Y)


def test_skops_reads_what_it_stores_and_says_what_it_does_not():
    skops = pytest.importorskip("skops.io")

    def again(thing):
        stored = skops.dumps(thing)
        return skops.loads(stored, trusted=skops.get_untrusted_types(data=stored))

    frame = pandas.DataFrame({"size": SIZE, "kind": ["u", "v"] * 20})
    fitted = [
        (mercer.SVC(kernel=mercer.Kernel("rbf + linear")).fit(X, Y), X),
        (mercer.LinearSVC().fit(X, Y), X),
        (mercer.KNeighborsClassifier(metric="manhattan").fit(X, Y), X),
        (mercer.KernelRidge().fit(X, SIZE), X),
        (mercer.MercerClassifier("svc(c=1)", "rbf(length_scale=1) + equal").fit(frame, Y), frame),
        (mercer.LocalRegression(bandwidth=1.0).fit(X, SIZE), X),
        (Learner("svc(c=1)", "rbf(length_scale=1)").fit(X, Y), X),
    ]
    for model, rows in fitted:
        for copy in (again(model), pickle.loads(pickle.dumps(model))):
            np.testing.assert_array_equal(copy.predict(rows), model.predict(rows))
    density = mercer.KernelDensity().fit(X)
    np.testing.assert_array_equal(again(density).score_samples(X), density.score_samples(X))
    components = mercer.KernelPCA(2).fit(X)
    np.testing.assert_array_equal(again(components).transform(X), components.transform(X))
    data, kernel = Dataset(frame), mercer.Kernel("rbf + equal")
    assert again(data) == data and again(kernel) == kernel
    learner = Learner("svc(c=1)", keep_rows=True)
    assert pickle.loads(pickle.dumps(learner)) == learner
    with pytest.raises(TypeError, match="a Learner of mercer is stored by pickle"):
        skops.dumps(learner)
    # skops before 0.12 stores the state beside an empty object, which these classes do not have.
    for thing in (fitted[-1][0], data, kernel):
        with pytest.raises(TypeError, match="skops 0.12 or newer"):
            thing.__getstate__()


def test_what_is_set_aside_is_told_once_and_stays_with_the_model():
    columns = {"id": np.arange(40) * 7, "name": [f"n{i}" for i in range(40)], "same": [1.0] * 40, "gap": [None] * 40, "z": SIZE}
    data = Dataset(columns)
    aside = ["'id' has a different whole number in every row .*keeps it", "'name' has 40 different values .*keeps it"]
    dropped = ["'same' holds the same value in every row: dropped", "'gap' has no value in any row: dropped"]
    assert set(data.columns) == {"same", "gap", "z"}
    ridge = Learner("ridge(lambda=1)", "linear")
    for rows in (data, columns):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = ridge.fit(rows, SIZE)
            again = ridge.fit(data, SIZE)
        for words in aside:
            assert len([w for w in said if re.search(words, str(w.message))]) == 1, words
        for words in aside + dropped:
            assert sum(re.search(words, notice) is not None for notice in model.notices) == 1, words
        assert again.notices == model.notices == mercer.Model.from_bytes(model.to_bytes()).notices
    for words in aside:
        with pytest.warns(MercerWarning, match=words):
            mercer.MercerRegressor("ridge(lambda=1)", "0.5 * rbf(length_scale=1)").fit(pandas.DataFrame(columns), SIZE)


def test_messages_name_the_cause():
    with pytest.raises(mercer.ExpressionError, match="unknown parameter of baseline 'x'.*; there are none"):
        Learner("baseline(x=1)")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        mercer.KernelPerceptron(max_iter=1).fit(X, np.random.default_rng(1).integers(0, 2, 40))
    assert "nan" not in str(said[0].message) and "ended before it converged, after 1 iteration" in str(said[0].message)
    spectral = mercer.SpectralClustering(2, gamma=0.5).fit(X)
    np.testing.assert_allclose(spectral.affinity_matrix_, np.exp(-0.5 * squared(X)), rtol=0, atol=1e-9)
    np.testing.assert_allclose(mercer.MDS().fit(X).dissimilarity_matrix_, np.sqrt(squared(X)), rtol=0, atol=1e-6)
    with pytest.warns(MercerWarning, match="n_init=4, max_iter=300: no effect"):
        mercer.MDS(n_init=4, max_iter=300).fit(X)
