"""Rows as other packages hand them over: Series of texts, categories of numbers, tables of Arrow, dicts, records, a Dataset."""

import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")
pandas = pytest.importorskip("pandas")

from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score, train_test_split

import mercer
from mercer import DataError, MercerWarning

X, Y = load_iris(return_X_y=True)
FRAME = pandas.DataFrame(X, columns=list("abcd"))
STRINGS = "normalise(spectrum(k=2))"
TEXTS = ["TATAATGCG", "GGCGCGCC", "TATTTATAA", "GCGCGGCA"] * 5
KINDS = np.array(["at", "gc"] * 10)


def arrow():
    return pytest.importorskip("pyarrow")


def polars():
    return pytest.importorskip("polars")


TEXT_FORMS = {
    "list": lambda: list(TEXTS),
    "Series": lambda: pandas.Series(TEXTS),
    "Series of objects": lambda: pandas.Series(TEXTS, dtype=object),
    "Series of categories": lambda: pandas.Series(TEXTS, dtype="category"),
    "Categorical": lambda: pandas.Categorical(TEXTS),
    "Index": lambda: pandas.Index(TEXTS),
    "array of str": lambda: np.array(TEXTS),
    "array of objects": lambda: np.array(TEXTS, dtype=object),
    "StringDType": lambda: np.array(TEXTS, dtype=np.dtypes.StringDType()) if hasattr(np.dtypes, "StringDType") else list(TEXTS),
    "polars": lambda: polars().Series("s", TEXTS),
    "arrow": lambda: arrow().chunked_array([TEXTS]),
}


@pytest.mark.parametrize("form", TEXT_FORMS)
@pytest.mark.parametrize(
    "make",
    [
        lambda: mercer.SVC(kernel=STRINGS),
        lambda: mercer.MercerClassifier("svc(c=1)", kernel=STRINGS),
        lambda: mercer.KernelRidgeClassifier(kernel=mercer.Kernel(STRINGS)),
    ],
    ids=["SVC", "MercerClassifier", "KernelRidgeClassifier"],
)
def test_a_column_of_texts_is_that_of_a_list(form, make):
    texts = TEXT_FORMS[form]()
    expected = make().fit(TEXTS, KINDS).predict(TEXTS)
    model = make().fit(texts, KINDS)
    np.testing.assert_array_equal(model.predict(texts), expected)
    np.testing.assert_array_equal(model.predict(TEXTS), expected)


@pytest.mark.parametrize("gap", [None, float("nan"), pandas.NA])
def test_a_missing_text_is_refused_by_its_row(gap):
    for form in (list, np.array, pandas.Series):
        texts = form([*TEXTS[:-1], gap]) if form is list else form([*TEXTS[:-1], gap], dtype=object)
        with pytest.raises(DataError, match=r"Input X has no text in row 20 \(index 19\): SVC takes no missing values"):
            mercer.SVC(kernel=STRINGS).fit(texts, KINDS)
    model = mercer.MercerClassifier("svc(c=1)", kernel=STRINGS).fit([*TEXTS[:-1], gap], KINDS)
    np.testing.assert_array_equal(model.predict(TEXTS), KINDS)


CODES = np.array([0, 1, 2, 3] * 15)
HEIGHTS = np.array([0.0, 10.0, -10.0, 3.0])[CODES] + np.linspace(0, 0.3, 60)
LABELS = {
    "whole numbers": CODES,
    "great whole numbers": 2023552585717889860 + CODES,
    "decimals": CODES * 1.5,
    "flags": CODES > 1,
    "strings": np.array(list("abcd"))[CODES],
}


@pytest.mark.parametrize("labels", LABELS)
def test_categories_stay_categories_whatever_their_labels(labels):
    frame = pandas.DataFrame({"g": pandas.Categorical(LABELS[labels]), "x": np.linspace(-1, 1, 60)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mercer.MercerRegressor("ridge(lambda=0.01)").fit(frame, HEIGHTS)
    assert "equal" in str(model.model_.kernel) and model.model_.columns == {"g": "category", "x": "number"}
    named = mercer.SVR(kernel="on(g, equal) + on(x, rbf)", C=100.0, epsilon=0.01).fit(frame, HEIGHTS)
    if labels != "flags":
        assert named.score(frame, HEIGHTS) > 0.99
    if labels != "strings":
        # A kernel that scikit-learn knows by name takes them as numbers, as there.
        assert mercer.SVR(kernel="rbf").fit(frame, HEIGHTS).predict(frame).shape == (60,)


def test_labels_that_look_missing_are_labels():
    code = np.arange(60) % 3
    model = mercer.SVC().fit(code[:, None].astype(float), np.array(["None", "NA", "null"])[code])
    assert list(model.predict([[0.0], [1.0], [2.0]])) == ["None", "NA", "null"]


@pytest.mark.parametrize("make", [mercer.SVC, mercer.MercerClassifier], ids=lambda make: make.__name__)
@pytest.mark.parametrize("form", ["dict", "records", "pyarrow", "polars", "Dataset"])
def test_tables_of_every_form_are_those_of_a_frame(make, form):
    columns = {name: FRAME[name].tolist() for name in FRAME}
    rows = {
        "dict": lambda: columns,
        "records": lambda: FRAME.to_dict("records"),
        "pyarrow": lambda: arrow().table(FRAME),
        "polars": lambda: polars().DataFrame(columns),
        "Dataset": lambda: mercer.Dataset(columns),
    }[form]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        of_frame = make(**({"estimator": "svc(c=1)"} if make is mercer.MercerClassifier else {})).fit(FRAME, Y)
        of_rows = make(**of_frame.get_params()).fit(rows, Y)
        expected = of_frame.predict(FRAME)
        np.testing.assert_array_equal(of_rows.predict(rows), expected)
        np.testing.assert_array_equal(of_frame.predict(rows), expected)
        np.testing.assert_array_equal(of_rows.predict(FRAME), expected)
    assert list(of_rows.feature_names_in_) == list("abcd") and of_rows.n_features_in_ == 4


def test_a_column_that_is_missing_in_new_rows_is_named():
    frame = FRAME.assign(kind=["x", "y", "z"] * 50)
    model = mercer.MercerClassifier("svc(c=1)").fit(frame, Y)
    with pytest.raises(DataError, match="column 'b' is missing: the model was trained with it; found a, c, d, kind"):
        model.predict(frame.drop(columns="b"))
    with pytest.raises(DataError, match="column 'b' is missing"):
        model.model_.predict(frame.drop(columns="b"))


def test_periods_are_dates_and_durations_are_seconds():
    data = mercer.Dataset(
        pandas.DataFrame(
            {
                "month": pandas.period_range("2015-01", periods=3, freq="M"),
                "lasted": pandas.to_timedelta([36, None, 12], unit="h"),
            }
        )
    )
    starts = (np.array(["2015-01-01", "2015-02-01", "2015-03-01"], dtype="datetime64[D]") - np.datetime64(0, "D")).astype(float)
    np.testing.assert_array_equal(data["month"], starts)
    np.testing.assert_array_equal(data["lasted"], [36 * 3600, np.nan, 12 * 3600])
    frame = pandas.DataFrame({"lasted": pandas.to_timedelta([1.0, 2.0], unit="D"), "b": [1.0, 2.0]})
    with pytest.raises(DataError, match=r"make numbers of it first, such as days: X\['lasted'\] / pandas.Timedelta"):
        mercer.SVC().fit(frame, [0, 1])


def test_a_dataset_goes_through_splits_and_becomes_a_frame_and_records():
    data, species = mercer.example("iris")
    species = np.array(species)
    assert data.shape == (150, 4)
    assert [len(part) for part in train_test_split(data, species, random_state=0)] == [112, 38, 112, 38]
    assert cross_val_score(mercer.MercerClassifier("svc(c=1)"), data, species, cv=3).min() > 0.9
    frame = data.to_pandas()
    assert frame.shape == (150, 4) and mercer.Dataset(frame) == data
    records = list(data)
    assert records[0] == data[0] == frame.iloc[0].to_dict() and data[-1] == records[149]
    assert mercer.Dataset(records) == data and pandas.DataFrame(data).shape == (150, 4)
    with pytest.raises(IndexError, match="row 150 of 150 rows"):
        _ = data[150]


def test_records_may_lack_cells_and_are_all_records():
    data = mercer.Dataset([{"a": 1, "b": "x"}, {"a": 2}, {"b": "x", "c": 0.5}])
    assert data.columns == {"a": "number", "b": "category", "c": "number"}
    np.testing.assert_array_equal(data["a"], [1.0, 2.0, np.nan])
    assert [record["b"] for record in data] == list(data.to_pandas()["b"].astype(object).where(lambda cells: cells.notna(), None)) == ["x", None, "x"]
    whole = mercer.Dataset({"b": ["x", None, "y"]})
    assert mercer.Dataset(list(whole)) == mercer.Dataset(whole.to_pandas()) == whole
    with pytest.raises(DataError, match=r"row 2 \(index 1\) holds int, row 1 \(index 0\) a dict"):
        mercer.Dataset([{"a": 1}, 2])


def told(make):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = make()
    return made, [str(one.message) for one in said if issubclass(one.category, MercerWarning)]


def test_what_is_known_from_training_is_reported_once():
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"age": rng.normal(40, 12, 80), "city": ["Paris", "Rome"] * 40, "since": pandas.date_range("2019-01-01", periods=80)})
    target = np.where((frame.age > 40) ^ (frame.city == "Rome"), "yes", "no")
    frame.loc[::7, "age"] = np.nan
    frame.loc[::11, "city"] = None
    model, at_fit = told(lambda: mercer.MercerClassifier("svc(c=1)").fit(frame, target))
    # Missing numbers and labels, that a column holds dates, and that they show weekdays.
    assert len(at_fit) == len(set(at_fit)) == 4
    assert told(lambda: model.predict(frame))[1] == []
    assert told(lambda: pickle.loads(pickle.dumps(model)).predict(frame))[1] == []
    strange = frame.assign(city=["Oslo"] * 80)
    assert any("Oslo" in said or "city" in said for said in told(lambda: model.predict(strange))[1])


def test_a_metric_of_probabilities_turns_them_on_or_is_refused():
    for metric in ("log_loss", "brier"):
        model = mercer.MercerClassifier("svc", metric=metric).fit(X[::2], Y[::2])
        assert "probabilities=true" in model.estimator_ and model.predict_proba(X).shape == (150, 3)
    assert "probabilities=true" in mercer.Learner("perceptron", metric="log_loss").fit(X[::2], Y[::2].astype(str)).estimator
    with pytest.raises(mercer.ExpressionError, match="log_loss is computed from class probabilities, which nearest_medoid does not give"):
        mercer.MercerClassifier("nearest_medoid", metric="log_loss").fit(X, Y)
    with pytest.raises(mercer.ExpressionError, match="nlpd is computed from predictive variance, which svr does not give"):
        mercer.MercerRegressor("svr", metric="nlpd").fit(X, X[:, 0])
    compared, said = told(lambda: mercer.compare(X[::3], np.array(list("abc"))[Y[::3]], None, "svc, knn", metric="log_loss"))
    assert not any("memory" in line or "more rows per class" in line for line in said), said


def test_what_a_search_asks_for_is_a_notice_and_a_warning():
    x = np.linspace(0, 1, 60)[:, None]
    y = np.exp(3 * x[:, 0]) + 1e-4 * np.random.default_rng(0).normal(size=60)
    for fit in (
        lambda: mercer.Learner("ridge").fit({"x": x[:, 0]}, y),
        lambda: mercer.MercerRegressor("ridge").fit(x, y).model_,
        lambda: mercer.KernelRidge(alpha="auto", kernel="rbf(length_scale=auto)").fit(x, y).model_,
    ):
        model, said = told(fit)
        assert [one["at_bound"] for one in model.summary["tuning"]["parameters"] if one["name"] == "lambda"] == ["lower"]
        assert any("end of its search" in notice for notice in model.notices)
        assert any("end of its search" in line for line in said)
