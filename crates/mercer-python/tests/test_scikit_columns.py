"""Rows that are not numbers only: what each kernel does with them, the same for every argument, and cells that are missing."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn")
pandas = pytest.importorskip("pandas")

from sklearn.gaussian_process.kernels import RBF

import mercer

RNG = np.random.default_rng(0)
SIZE, COLOUR = RNG.normal(size=60), RNG.choice(["red", "green"], 60)
FRAMES = {
    "str": pandas.DataFrame({"size": SIZE, "colour": COLOUR}),
    "objects": pandas.DataFrame({"size": SIZE, "colour": COLOUR.astype(object)}),
    "category": pandas.DataFrame({"size": SIZE, "colour": pandas.Categorical(COLOUR)}),
}
CLASSES = np.where((SIZE > 0) ^ (COLOUR == "red"), "yes", "no")
NUMBERS = SIZE + (COLOUR == "red")
BY_COLUMN = "on(size, rbf(length_scale=1)) * on(colour, equal)"


def with_gap(frame, column):
    frame = frame.copy()
    frame.loc[3, column] = np.nan
    return frame


@pytest.mark.parametrize("gamma", [None, 0.5, "scale", "auto"], ids=str)
@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear", "laplacian", "cosine", "chi2", "additive_chi2"])
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_kernels_of_numbers_refuse_other_columns_in_one_sentence(frame, kernel, gamma):
    estimators = [mercer.KernelRidge(kernel=kernel, gamma=gamma), mercer.KernelRidgeClassifier(kernel=kernel, gamma=gamma)]
    if gamma is not None:
        estimators += [mercer.SVC(kernel=kernel, gamma=gamma), mercer.SVR(kernel=kernel, gamma=gamma)]
    for estimator in estimators:
        said = rf"{type(estimator).__name__}: kernel='{kernel}' takes numbers, as in scikit-learn, and column 'colour' holds \w+; encode"
        with pytest.raises(mercer.DataError, match=said) as caught:
            estimator.fit(frame, CLASSES if "Class" in type(estimator).__name__ or "SVC" in said else NUMBERS)
        assert "\n" not in str(caught.value) and "MercerClassifier" in str(caught.value)


def test_the_advice_for_other_columns_can_be_followed():
    frame = FRAMES["str"]
    for estimator, y in ((mercer.KNeighborsClassifier(), CLASSES), (mercer.KNeighborsRegressor(), NUMBERS)):
        with pytest.raises(mercer.DataError) as caught:
            estimator.fit(frame, y)
        said = str(caught.value)
        # Neighbours have no kernel= of their own: what is named instead takes the frame, and the kernel that is named with it.
        other, kernel = re.search(r"take (Mercer\w+)\(\"knn\"\)", said)[1], re.search(r'kernel="([^"]+)"', said)[1]
        assert "give a kernel" not in said
        for words in ({}, {"kernel": kernel}):
            getattr(mercer, other)("knn(k=3)", **words).fit(frame, y).predict(frame)
    with pytest.raises(mercer.DataError) as caught:
        mercer.SVC().fit(frame, CLASSES)
    mercer.SVC(kernel=re.search(r'kernel="([^"]+)"', str(caught.value))[1]).fit(frame, CLASSES).predict(frame)


def test_so_do_other_estimators_that_take_numbers_only():
    frame = FRAMES["str"]
    for estimator, what in [
        (mercer.GaussianProcessRegressor(), r"the kernel 1\*\*2 \* RBF\(length_scale=1\)"),
        (mercer.GaussianProcessRegressor(RBF(2.0)), r"the kernel RBF\(length_scale=2\)"),
        (mercer.KNeighborsClassifier(), "metric='minkowski'"),
        (mercer.KNeighborsRegressor(metric="cosine"), "metric='cosine'"),
    ]:
        with pytest.raises(mercer.DataError, match=f"{type(estimator).__name__}: {what} takes numbers.*column 'colour'"):
            estimator.fit(frame, NUMBERS if "Reg" in type(estimator).__name__ else CLASSES)
    with pytest.raises(mercer.DataError, match="SVC: kernel='rbf' takes numbers, as in scikit-learn, and the rows are str"):
        mercer.SVC().fit(["red", "green"] * 3, [0, 1] * 3)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_a_kernel_that_says_what_it_does_with_each_column_takes_any(frame):
    assert mercer.SVC(kernel=BY_COLUMN, C=100).fit(frame, CLASSES).score(frame, CLASSES) > 0.9
    assert mercer.KernelRidge(kernel=BY_COLUMN, alpha=0.01).fit(frame, NUMBERS).score(frame, NUMBERS) > 0.9
    assert mercer.MercerClassifier("svc(c=100)", "rbf * equal").fit(frame, CLASSES).score(frame, CLASSES) > 0.9


def test_objects_that_are_numbers_are_numbers():
    # As scikit-learn takes them: 1, 2.5, True in a column of objects.
    frame = pandas.DataFrame({"a": np.array([1, 2.5, True, 4] * 5, dtype=object), "b": SIZE[:20]})
    y = CLASSES[:20]
    plain = mercer.SVC().fit(frame.astype(float), y)
    np.testing.assert_array_equal(mercer.SVC().fit(frame, y).decision_function(frame), plain.decision_function(frame.astype(float)))


def test_a_dataset_of_numbers_has_the_gamma_of_its_array():
    data = mercer.Dataset({"a": SIZE, "b": NUMBERS})
    array = np.column_stack([SIZE, NUMBERS])
    for gamma in ("scale", "auto", 0.3):
        ours, expected = (mercer.SVC(gamma=gamma, tol=1e-9).fit(rows, CLASSES) for rows in (data, array))
        np.testing.assert_allclose(ours.decision_function(data), expected.decision_function(array), rtol=0, atol=1e-7)


REFUSED = r"Input X contains NaN: row 4 \(index 3\), column '{}'\. {} takes no missing values; fill them before, or take MercerClassifier"


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_missing_cells_are_refused_in_the_same_words_whatever_the_columns(frame):
    for estimator, y in [(mercer.SVC(kernel=BY_COLUMN), CLASSES), (mercer.KernelRidge(kernel=BY_COLUMN), NUMBERS)]:
        for column in ("size", "colour"):
            gap = with_gap(frame, column)
            with pytest.raises(ValueError, match=REFUSED.format(column, type(estimator).__name__)):
                estimator.fit(gap, y)
            with pytest.raises(ValueError, match=REFUSED.format(column, type(estimator).__name__)):
                estimator.fit(frame, y).predict(gap)


def test_missing_numbers_are_told_by_row_and_column():
    numbers = pandas.DataFrame({"size": SIZE, "weight": SIZE**2})
    with pytest.raises(ValueError, match=REFUSED.format("weight", "SVC")):
        mercer.SVC().fit(with_gap(numbers, "weight"), CLASSES)
    array = numbers.to_numpy(copy=True)
    array[3, 0] = np.nan
    with pytest.raises(ValueError, match=REFUSED.format("x0", "KernelRidge")):
        mercer.KernelRidge().fit(array, NUMBERS)
    with pytest.raises(ValueError, match=REFUSED.format("x0", "SVC")):
        mercer.SVC().fit(sp.csr_matrix(array), CLASSES)


def test_classes_that_take_missing_cells_take_them_in_every_frame():
    for frame in [*FRAMES.values(), pandas.DataFrame({"size": SIZE, "weight": SIZE**2})]:
        gap = with_gap(frame, "size")
        with pytest.warns(mercer.MercerWarning, match="column 'size' has 1 missing cell"):
            model = mercer.MercerClassifier("svc(c=1)").fit(gap, CLASSES)
        assert model.predict(gap).shape == (60,)


def test_missing_cells_of_every_kind_of_frame_are_told_by_row_and_column():
    polars = pytest.importorskip("polars")
    nullable = pandas.DataFrame({"size": pandas.array([1, 2, 3, None, 5] * 12, dtype="Int64"), "weight": SIZE})
    objects = pandas.DataFrame({"size": np.array([1, 2.5, 3, None, 5] * 12, dtype=object), "weight": SIZE})
    other = polars.DataFrame({"size": [1.0, 2.0, 3.0, None, 5.0] * 12, "weight": SIZE})
    for frame in (nullable, objects, other):
        with pytest.raises(ValueError, match=REFUSED.format("size", "SVC")):
            mercer.SVC().fit(frame, CLASSES)
    mixed = polars.DataFrame({"size": [1.0, 2.0, 3.0, None, 5.0] * 12, "colour": COLOUR.tolist()})
    with pytest.raises(ValueError, match=REFUSED.format("size", "SVC")):
        mercer.SVC(kernel=BY_COLUMN).fit(mixed, CLASSES)
    with pytest.raises(ValueError, match="column 'colour' holds String; encode"):
        mercer.SVC().fit(mixed, CLASSES)
