"""What estimators take and refuse: kernels of every form, frames with columns of any kind, and what is wrong with them."""

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics.pairwise import additive_chi2_kernel, laplacian_kernel, rbf_kernel

import mercer
from mercer import kernels

X, Y = load_iris(return_X_y=True)


def rbf(a, b):
    return rbf_kernel(a, b, gamma=0.5)


def pair(a, b):
    """The Gaussian kernel of two rows, in the signature that KernelRidge takes."""
    return np.exp(-0.5 * (a - b) @ (a - b))


@pytest.mark.parametrize("estimator", [mercer.SVC(tol=1e-9), mercer.KernelRidgeClassifier(), mercer.BaselineClassifier()], ids=str)
def test_every_form_of_one_kernel_gives_the_same_predictions(estimator):
    function = pair if isinstance(estimator, mercer.KernelRidgeClassifier) else rbf
    classes = estimator.set_params(kernel=function).fit(X, Y).predict(X)
    for kernel in ["rbf(gamma=0.5)", mercer.Kernel("rbf(gamma=0.5)"), kernels.rbf(gamma=0.5)]:
        np.testing.assert_array_equal(estimator.set_params(kernel=kernel).fit(X, Y).predict(X), classes)
        np.testing.assert_array_equal(estimator.fit(sp.csr_matrix(X), Y).predict(sp.csr_matrix(X)), classes)
    np.testing.assert_array_equal(estimator.set_params(kernel="precomputed").fit(rbf(X, X), Y).predict(rbf(X, X)), classes)
    if "gamma" in estimator.get_params():
        np.testing.assert_array_equal(estimator.set_params(kernel="rbf", gamma=0.5).fit(X, Y).predict(X), classes)


def test_kernels_outside_the_library_are_computed_by_scikit_learn():
    for kernel, values in [("additive_chi2", additive_chi2_kernel), ("laplacian", lambda a, b: laplacian_kernel(a, b, 0.5))]:
        named = mercer.SVC(kernel=kernel, gamma=0.5, tol=1e-9).fit(X, Y)
        given = mercer.SVC(kernel="precomputed", tol=1e-9).fit(values(X, X), Y)
        np.testing.assert_allclose(named.decision_function(X), given.decision_function(values(X, X)), atol=1e-5)
    negative = mercer.SVC(kernel="poly", coef0=-1.0, degree=2, gamma=0.1, tol=1e-9).fit(X, Y)
    given = mercer.SVC(kernel="precomputed", tol=1e-9).fit((0.1 * X @ X.T - 1) ** 2, Y)
    np.testing.assert_allclose(negative.dual_coef_, given.dual_coef_, atol=1e-5)


def test_a_sigmoid_is_fitted_with_a_warning():
    with pytest.warns(mercer.MercerWarning, match="not positive semi-definite"):
        model = mercer.SVC(kernel="sigmoid", gamma=0.01).fit(X, Y)
    assert model.score(X, Y) > 0.8


def test_rows_of_weight_0_are_absent_for_given_kernels_too():
    weight = np.where(np.arange(len(Y)) % 3, 1.0, 0.0)
    some = weight > 0
    for estimator in [mercer.SVC(kernel=rbf, tol=1e-9), mercer.KernelRidgeClassifier(kernel=pair)]:
        other = clone(estimator).fit(X[some], Y[some])
        model = estimator.fit(X, Y, weight)
        np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), rtol=0, atol=1e-9)
        assert set(model.model_.support) <= set(np.flatnonzero(some))


def test_what_is_wrong_with_a_function_is_said_with_its_cause():
    with pytest.raises(mercer.DataError, match=r"returned an array of shape \(150,\); expected \(150, 150\)"):
        mercer.SVC(kernel=lambda a, b: a[:, 0]).fit(X, Y)

    with pytest.raises(mercer.DataError, match="returned str, which is no array of numbers"):
        mercer.SVC(kernel=lambda a, b: "near").fit(X, Y)
    with pytest.raises(mercer.DataError, match=r"holds NaN in row 1 \(index 0\), column 1 \(index 0\)"):
        mercer.SVC(kernel=lambda a, b: np.full((len(a), len(b)), np.nan)).fit(X, Y)
    with pytest.raises(ValueError, match="square"):
        mercer.SVC(kernel="precomputed").fit(X, Y)
    with pytest.raises(ValueError, match="150"):
        mercer.SVC(kernel="precomputed").fit(rbf(X, X), Y).predict(X)


class Lost(KeyError):
    """An error of the user, with more than a message."""

    def __init__(self, name, number):
        super().__init__(name)
        self.number = number


def test_what_a_kernel_function_raises_comes_through_as_it_is():
    def broken(a, b):
        if len(a) != len(b) or broken.at_once:
            raise Lost("no such table", 7)
        return a @ b.T

    for broken.at_once in (True, False):
        for estimator, y in [(mercer.SVC(kernel=broken), Y), (mercer.GaussianProcessRegressor(broken, alpha=1.0), X[:, 0])]:
            with pytest.raises(Lost) as caught:
                estimator.fit(X, y).predict(X[:3])
            assert caught.value.args == ("no such table",) and caught.value.number == 7 and caught.value.__cause__ is None
            assert caught.traceback[-1].name == "broken"
            notes = getattr(caught.value, "__notes__", ["150 and 150", "3 and 150"])
            assert any(note in notes[0] for note in ("150 and 150", "3 and 150"))


@pytest.mark.parametrize(
    "words, message",
    [
        ({"C": -1.0}, r'SVC: C=-1\.0: expected a number above 0, "auto" or a pair \(low, high\)$'),
        ({"tol": 2.0}, r"SVC: tol=2\.0: expected a number strictly between 0 and 1"),
        ({"C": "much"}, "SVC: C='much'"),
        ({"C": None}, "SVC: C=None"),
        ({"kernel": "rfb"}, "rbf"),
        ({"kernel": 3}, "SVC: kernel=3: expected a name"),
        ({"gamma": "big"}, "gamma='big': expected .scale., .auto. or a number"),
        ({"gamma": -1.0}, r"gamma=-1\.0"),
        ({"cache_size": 0}, "cache_size=0"),
        ({"kernel": "poly", "degree": -1}, "degree=-1"),
        ({"kernel": "poly", "coef0": "a"}, "coef0='a'"),
        ({"decision_function_shape": "all"}, "decision_function_shape='all'"),
        ({"n_jobs": "many"}, "n_jobs='many'"),
        ({"max_iter": -2}, "max_iter=-2"),
    ],
    ids=str,
)
def test_a_wrong_argument_is_named(words, message):
    with pytest.raises(ValueError, match=message):
        mercer.SVC(**words).fit(X, Y)


def test_wrong_arguments_of_other_estimators_are_named():
    y = X[:, 0]
    for estimator, message in [
        (mercer.GaussianProcessRegressor(alpha=-np.ones(150)), "alpha: the noise of every row must be 0 or above"),
        (mercer.GaussianProcessRegressor(alpha=np.ones(3)), "3 != 150"),
        (mercer.GaussianProcessRegressor(optimizer="nelder"), "Unknown optimizer nelder"),
        (mercer.GaussianProcessRegressor(alpha=-1.0), r"GaussianProcessRegressor: alpha=-1\.0"),
        (mercer.KernelRidge(alpha=-1), "KernelRidge: alpha=-1: expected a number of 0 or above"),
        (mercer.KernelRidge(alpha=[1.0, 2.0]), "alpha: found 2 penalties for 1 target;"),
        (mercer.KNeighborsRegressor(weights="far"), "weights='far': expected 'uniform', 'distance', None or a function"),
        (mercer.MercerRegressor("rigde"), "did you mean 'ridge'"),
        (mercer.MercerRegressor(max_seconds=-1), "max_seconds=-1"),
    ]:
        with pytest.raises(ValueError, match=message):
            estimator.fit(X, y)


def test_wrong_rows_and_targets_are_named():
    holes = X.copy()
    holes[3, 2] = np.nan
    with pytest.raises(ValueError, match=r"NaN.*MercerClassifier.*missing="):
        mercer.SVC().fit(holes, Y)
    holes[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        mercer.SVC().fit(holes, Y)
    with pytest.raises(ValueError, match="labels of several types|Unknown label type|mix"):
        mercer.SVC().fit(X[:4], np.array([1, "a", 1, "a"], dtype=object))
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[150, 149\]"):
        mercer.SVC().fit(X, Y[1:])
    with pytest.raises(ValueError, match="could not convert string"):
        mercer.SVC().fit(np.array([["a", 1], ["b", 2]], dtype=object), [0, 1])
    with pytest.raises(ValueError, match="class"):
        mercer.SVC().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="Unknown label type"):
        mercer.SVC().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="4 features"):
        mercer.SVC().fit(X, Y).predict(X[:, :3])
    with pytest.raises(ValueError, match="the weight -1"):
        mercer.KernelRidge().fit(X, Y, np.where(np.arange(150) == 7, -1.0, 1.0))
    with pytest.warns(DataConversionWarning):
        mercer.SVC().fit(X, Y[:, np.newaxis])


def test_labels_come_back_as_they_were_given():
    for labels in [np.array(["c", "a", "b"]), np.array([30, 1, 200]), np.array([5.0, 1.0, -2.0]), np.array(["x", "y", "z"], dtype=object)]:
        given = labels[Y]
        model = mercer.SVC().fit(X, given)
        found = model.predict(X)
        assert found.dtype == np.unique(given).dtype and np.mean(found == given) > 0.9
    flags = mercer.SVC().fit(X, Y == 0)
    assert flags.predict(X).dtype == bool and flags.score(X, Y == 0) == 1.0


def mixed():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    size, colour = rng.normal(size=80), rng.choice(["red", "green"], 80)
    frame = pandas.DataFrame({"size": size, "colour": pandas.Categorical(colour)})
    return frame, np.where((size > 0) ^ (colour == "red"), "yes", "no")


def test_columns_of_a_mixed_frame_are_found_by_name():
    frame, y = mixed()
    for estimator in [
        mercer.MercerClassifier("svc(c=10)", "rbf * equal"),
        mercer.SVC(kernel="on(size, rbf) * on(colour, equal)", C=10),
    ]:
        model = estimator.fit(frame, y)
        assert model.score(frame, y) > 0.9
        np.testing.assert_array_equal(model.feature_names_in_, ["size", "colour"])
        np.testing.assert_array_equal(model.predict(frame[["colour", "size"]]), model.predict(frame))
        with pytest.raises(ValueError, match="column 'colour' is missing"):
            model.predict(frame[["size"]])


def test_a_dataset_is_taken_as_it_is():
    frame, y = mixed()
    data = mercer.Dataset(frame)
    kernel = "on(size, rbf) * on(colour, equal)"
    model = mercer.SVC(kernel=kernel, C=10).fit(data, y)
    np.testing.assert_array_equal(model.predict(data), mercer.SVC(kernel=kernel, C=10).fit(frame, y).predict(frame))
    assert len(model.support_vectors_) == len(model.support_)
    assert mercer.KernelRidgeClassifier(kernel=kernel).fit(data, y).score(data, y) > 0.9


def test_a_kernel_speaks_of_columns_by_their_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    named = mercer.SVC(kernel="on(c, d, rbf(length_scale=1))", tol=1e-9).fit(frame, Y)
    cut = mercer.SVC(kernel="rbf(length_scale=1)", tol=1e-9).fit(X[:, 2:], Y)
    np.testing.assert_allclose(named.decision_function(frame), cut.decision_function(X[:, 2:]), atol=1e-6)
    unnamed = mercer.SVC(kernel="on(x2, x3, rbf(length_scale=1))", tol=1e-9).fit(X, Y)
    np.testing.assert_allclose(unnamed.decision_function(X), cut.decision_function(X[:, 2:]), atol=1e-6)


def test_rows_of_text_go_to_kernels_of_text():
    rows = ["GATTACA", "GATTTCA", "CCCGGGC", "CCCGGCC"] * 5
    y = [0, 0, 1, 1] * 5
    model = mercer.SVC(kernel="normalise(spectrum(k=2))").fit(rows, y)
    np.testing.assert_array_equal(model.predict(["GATTACC", "CCGGGCC"]), [0, 1])
    assert model.n_features_in_ == 1

    def letters(a, b):
        return np.array([[len(set(s) & set(t)) for t in b] for s in a])

    np.testing.assert_array_equal(mercer.SVC(kernel=letters).fit(rows, y).predict(rows), y)


def test_missing_cells_are_filled_or_refused_as_is_asked():
    holes = X.copy()
    holes[::7, 1] = np.nan
    assert mercer.MercerClassifier("svc(c=1)", "rbf").fit(holes, Y).score(holes, Y) > 0.9
    with pytest.raises(ValueError, match="missing"):
        mercer.MercerClassifier("svc(c=1)", "rbf", missing="error").fit(holes, Y)
    dropped = mercer.MercerClassifier("svc(c=1)", "rbf", missing={"x1": "drop"}).fit(holes, Y)
    assert len(dropped.model_.support) < 150 and not set(dropped.model_.support) & set(range(0, 150, 7))
