"""What listing, completion and display of an estimator do: they raise nothing and compute nothing. Attributes are those of
scikit-learn."""

import inspect
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sklearn.gaussian_process
import sklearn.kernel_ridge
import sklearn.neighbors
import sklearn.svm
from sklearn.base import is_classifier
from sklearn.datasets import load_diabetes, load_iris
from sklearn.gaussian_process.kernels import RBF, PairwiseKernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.scikit import _given, _nearest

X, Y = load_iris(return_X_y=True)
NUMBERS = load_diabetes(return_X_y=True)[1][:150]


def dot(a, b):
    return a @ b.T


def even(distances):
    return np.ones_like(distances)


FITTED = {
    **{name: (getattr(mercer, name)(), X[:, :1] if name == "Lowess" else X) for name in mercer.scikit.NAMES},
    "SVC of a Gram matrix": (mercer.SVC(kernel="precomputed"), X @ X.T),
    "SVC of a function": (mercer.SVC(kernel=dot), X),
    "SVC with probabilities": (mercer.SVC(probability=True), X),
    "linear SVC": (mercer.SVC(kernel="linear"), X),
    "SVR of a Gram matrix": (mercer.SVR(kernel="precomputed"), X @ X.T),
    "ridge of a Gram matrix": (mercer.KernelRidge(kernel="precomputed"), X @ X.T),
    "process with a kernel that is not translated": (mercer.GaussianProcessRegressor(PairwiseKernel(metric="laplacian")), X),
    "neighbours by distances": (mercer.KNeighborsClassifier(metric="precomputed"), np.abs(X[:, None] - X).sum(axis=2)),
    "neighbours by a function": (mercer.KNeighborsRegressor(weights=even), X),
    "any regressor": (mercer.MercerRegressor("knn(k=3)", "rbf"), X),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FITTED)
@pytest.mark.parametrize("where", ["alone", "in a pipeline"])
def test_listing_completion_and_display_raise_nothing_and_compute_nothing(name, where, monkeypatch):
    estimator, rows = FITTED[name]
    model = sklearn.clone(estimator)
    if where == "in a pipeline":
        if estimator.__sklearn_tags__().input_tags.pairwise:
            return
        model = make_pipeline(StandardScaler(), model)
    model.fit(rows, Y if is_classifier(estimator) else NUMBERS)
    asked = []
    for owner, method in [
        (_given.FunctionModel, "leave_one_out"),
        (_given.FunctionModel, "_given"),
        (_given, "values"),
        (_nearest.NearestModel, "leave_one_out"),
        (mercer.scikit._estimator.KernelEstimator, "_rows_for_model"),
    ]:
        monkeypatch.setattr(owner, method, lambda *a, method=method, **k: asked.append(method))
    monkeypatch.setattr(mercer.scikit._gp.GaussianProcess, "L_", property(lambda self: asked.append("L_")))
    # What completion asks: names, then the value behind each without a call.
    for part in [model, *(getattr(model, "named_steps", {}).values())]:
        for member in dir(part):
            getattr(part, member)
        inspect.getmembers(part)
        for text in (repr(part), str(part), part._repr_html_(), part._repr_mimebundle_()["text/html"]):
            assert type(part).__name__ in text
    assert not asked
    assert not [member for member in dir(estimator) if member.endswith("_") and not member.startswith("_") and member not in estimator.get_params()]


def test_predictions_without_a_row_are_a_method_where_the_library_has_them():
    there = {name for name in mercer.scikit.NAMES if hasattr(getattr(mercer, name)(), "leave_one_out")}
    # MercerRegressor is ridge where nothing is said, MercerClassifier svc.
    assert there == {
        "GaussianProcessRegressor", "KNeighborsClassifier", "KNeighborsRegressor", "KernelRidge", "KernelRidgeClassifier", "MercerClassifier",
        "MercerRegressor", "NadarayaWatsonClassifier", "NadarayaWatsonRegressor", "SVC", "SVR",
    }
    assert hasattr(mercer.MercerClassifier("knn(k=3)"), "leave_one_out")
    # Of numbers alone, and with normal noise alone.
    assert hasattr(mercer.MercerRegressor("gp"), "leave_one_out") and not hasattr(mercer.MercerClassifier("gp"), "leave_one_out")
    assert not hasattr(mercer.SVC().fit(X, Y), "loo_predictions_")


MIRRORED = {
    "SVC": sklearn.svm.SVC(),
    "SVR": sklearn.svm.SVR(),
    "LinearSVC": sklearn.svm.LinearSVC(),
    "LinearSVR": sklearn.svm.LinearSVR(),
    "KernelRidge": sklearn.kernel_ridge.KernelRidge(),
    "GaussianProcessRegressor": sklearn.gaussian_process.GaussianProcessRegressor(),
    "KNeighborsClassifier": sklearn.neighbors.KNeighborsClassifier(),
    "KNeighborsRegressor": sklearn.neighbors.KNeighborsRegressor(),
}


@pytest.mark.parametrize("name", MIRRORED)
def test_public_names_of_a_fitted_estimator_are_those_of_scikit_learn(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = Y if is_classifier(MIRRORED[name]) else NUMBERS
        theirs, ours = MIRRORED[name].fit(X, y), getattr(mercer, name)().fit(X, y)
        public = {member for member in dir(theirs) if not member.startswith("_")}
        # Left over from the common code of libsvm and of neighbours: arguments of other estimators.
        public -= {"nu", "epsilon", "radius", "class_weight", "probability", "random_state", "unused_param"} - set(ours.get_params())
        assert {member for member in public if not hasattr(ours, member)} == set()


def test_the_factor_of_a_process_is_that_of_scikit_learn():
    alpha = np.linspace(0.1, 0.5, 40)
    for kernel in (RBF(2.0), PairwiseKernel(metric="laplacian", gamma=0.3)):
        theirs = sklearn.gaussian_process.GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None).fit(X[:120:3], NUMBERS[:40])
        ours = mercer.GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None).fit(X[:120:3], NUMBERS[:40])
        np.testing.assert_allclose(ours.L_, theirs.L_, rtol=0, atol=1e-12)
        assert "L_" not in dir(ours) and hasattr(ours, "L_")


def test_values_that_were_left_open_are_attributes_after_the_fit():
    model = mercer.SVC(C="auto").fit(X, Y)
    assert model.C_ == model.model_.parameters["c"] > 0 and model.get_params()["C"] == "auto"
    assert not hasattr(model.set_params(C=1.0).fit(X, Y), "C_")
    assert 0.1 <= mercer.SVR(C=(0.1, 10.0)).fit(X, NUMBERS).C_ <= 10.0
    ridge = mercer.KernelRidge(alpha="auto", kernel="rbf").fit(X, NUMBERS)
    assert ridge.alpha_ == ridge.model_.parameters["lambda"] > 0
    process = mercer.GaussianProcessRegressor("rbf(length_scale=auto)", alpha=(1e-3, 10.0)).fit(X, NUMBERS)
    assert 1e-3 <= process.noise_ <= 10.0 and process.alpha_.shape == (150,)
    neighbours = mercer.KNeighborsClassifier((1, 9)).fit(X, Y)
    assert isinstance(neighbours.n_neighbors_, int) and 1 <= neighbours.n_neighbors_ <= 9
