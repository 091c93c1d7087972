"""The estimators as programs use them: pipelines, searches, copies, processes, threads, interrupts, documentation."""

import copy
import doctest
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sklearn
from joblib import Parallel, delayed
from sklearn.base import DensityMixin, TransformerMixin, clone, is_classifier, is_clusterer, is_outlier_detector, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.gaussian_process.kernels import RBF, PairwiseKernel, WhiteKernel
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

import mercer

IRIS = load_iris(return_X_y=True)
DIABETES = tuple(part[:150] for part in load_diabetes(return_X_y=True))
CLASSES = [getattr(mercer, name) for name in mercer.scikit.NAMES]


def data_for(estimator):
    X, y = IRIS if is_classifier(estimator) else DIABETES
    return (X[:, 0] if get_tags(estimator).input_tags.one_d_array else X), y


def answer(model):
    """What a model says of rows."""
    return next(getattr(model, name) for name in ("predict", "transform", "score_samples") if hasattr(model, name))


@pytest.mark.parametrize("estimator", CLASSES, ids=lambda c: c.__name__)
def test_copies_predict_the_same_bits(estimator):
    X, y = data_for(estimator())
    model = estimator().fit(X, y)
    for other in [pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model), clone(model).fit(X, y)]:
        np.testing.assert_array_equal(answer(other)(X), answer(model)(X))
    groups = is_clusterer(model)
    maps = isinstance(model, TransformerMixin) and not groups
    density = isinstance(model, DensityMixin)
    assert is_classifier(model) + is_regressor(model) + groups + maps + density + is_outlier_detector(model) == 1
    solved = type(model)._name not in ("kde", "local_regression", "lowess")
    assert not solved or model.certificate_ is None or model.certificate_["value"] >= 0


@pytest.mark.parametrize("estimator", CLASSES, ids=lambda c: c.__name__)
def test_examples_of_the_documentation_run(estimator):
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    tests = [test for test in finder.find(estimator, estimator.__name__, globs={}) if test.examples]
    assert len(tests) == 1 and runner.run(tests[0]).failed == 0
    for word in ["Parameters", "Attributes" if estimator._name else "Examples", *estimator().get_params()]:
        assert word in estimator.__doc__


def test_pipelines_searches_and_scores_take_the_estimators():
    X, y = IRIS
    search = GridSearchCV(make_pipeline(StandardScaler(), mercer.SVC()), {"svc__C": [0.1, 1, 10]}, cv=3).fit(X, y)
    theirs = GridSearchCV(make_pipeline(StandardScaler(), sklearn.svm.SVC()), {"svc__C": [0.1, 1, 10]}, cv=3).fit(X, y)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    scores = cross_val_score(mercer.KernelRidge(kernel="rbf"), *DIABETES, cv=3)
    np.testing.assert_allclose(scores, cross_val_score(sklearn.kernel_ridge.KernelRidge(kernel="rbf"), *DIABETES, cv=3))
    assert OneVsRestClassifier(mercer.SVC()).fit(X, y).score(X, y) > 0.9


def test_parameters_of_a_kernel_inside_are_reached_by_name():
    estimator = mercer.GaussianProcessRegressor(RBF(2.0) + WhiteKernel(1.0))
    assert estimator.get_params()["kernel__k1__length_scale"] == 2.0
    estimator.set_params(kernel__k1__length_scale=3.0, optimizer=None)
    assert estimator.fit(*DIABETES).kernel_.k1.length_scale == 3.0


def test_large_numbers_in_a_polynomial_kernel_are_named_as_the_reason():
    X, y = IRIS
    with pytest.warns(ConvergenceWarning) as caught:
        mercer.SVC(kernel="poly", gamma=1).fit(X * 1e3, y)
    (said,) = [str(w.message) for w in caught]
    # Nothing that more time could mend: values of (x . z)^3 are about 1e22 here.
    assert "large numbers in a polynomial" in said and "scale the columns" in said and "more time" not in said


def test_calibration_of_decision_values_is_that_of_scikit_learn():
    X, y = IRIS
    calibrated = CalibratedClassifierCV(mercer.SVC(), ensemble=False).fit(X, y)
    theirs = CalibratedClassifierCV(sklearn.svm.SVC(), ensemble=False).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X), theirs.predict_proba(X), atol=1e-2)
    assert not hasattr(mercer.SVC(), "predict_proba")


def test_cross_validation_of_a_gram_matrix_cuts_rows_and_columns():
    X, y = IRIS
    gram = X @ X.T
    given = cross_val_predict(mercer.SVC(kernel="precomputed", tol=1e-8), gram, y, cv=3)
    np.testing.assert_array_equal(given, cross_val_predict(mercer.SVC(kernel="linear", tol=1e-8), X, y, cv=3))


def test_output_frames_and_routed_weights():
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True, as_frame=True)
    scaler = StandardScaler().set_output(transform="pandas")
    model = make_pipeline(scaler, mercer.SVC()).fit(X, y)
    np.testing.assert_array_equal(model[-1].feature_names_in_, X.columns)
    with pytest.raises(ValueError, match="feature names"):
        model[-1].predict(pandas.DataFrame(scaler.transform(X)).iloc[:, ::-1])
    weight = np.linspace(0.1, 2, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        routed = mercer.SVC().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(routed, {"C": [1.0]}, cv=2).fit(X, y, sample_weight=weight)
    plain = mercer.SVC().fit(X, y, weight)
    np.testing.assert_array_equal(search.best_estimator_.decision_function(X), plain.decision_function(X))
    assert "SVC" in mercer.SVC()._repr_html_()


def fitted_score(seed):
    X, y = IRIS
    return mercer.SVC(C=1 + seed).fit(X, y).score(X, y)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_joblib_runs_fits_at_the_same_time(backend):
    expected = [fitted_score(seed) for seed in range(4)]
    assert Parallel(n_jobs=2, backend=backend)(delayed(fitted_score)(seed) for seed in range(4)) == expected


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes_of_every_kind_fit_after_the_parent_did(method):
    expected = fitted_score(0)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(fitted_score, [0, 0]).get(timeout=100) == [expected, expected]


def test_threads_are_those_asked_for(monkeypatch):
    X, y = IRIS
    every = mercer.SVC().fit(X, y).decision_function(X)
    for jobs in [1, 2, -1]:
        np.testing.assert_array_equal(mercer.SVC(n_jobs=jobs).fit(X, y).decision_function(X), every)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert mercer.SVC()._threads() == 1 and mercer.SVC(n_jobs=3)._threads() == 3
    with pytest.raises(ValueError, match="n_jobs=0"):
        mercer.SVC(n_jobs=0).fit(X, y)


@pytest.mark.skipif(os.name == "nt", reason="SIGINT is sent as POSIX systems do")
def test_an_interrupted_fit_leaves_the_estimator_unfitted():
    code = """
        import numpy as np, mercer
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(6000, 30)), rng.integers(0, 2, 6000)
        model = mercer.SVC(C=1000.0, tol=1e-6).fit(X[:20], y[:20])
        print("ready", flush=True)
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            try:
                model.predict(X)
            except Exception as error:
                print(type(error).__name__, flush=True)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=50)
    assert out == "NotFittedError\n" and process.returncode == 0


def test_importing_the_package_does_not_import_scikit_learn():
    code = "import sys, mercer; assert 'sklearn' not in sys.modules; mercer.SVC; assert 'sklearn' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "SVC" in dir(mercer) and "SVC" in mercer.__all__
    with pytest.raises(AttributeError, match="LocalOutlierFactor"):
        mercer.LocalOutlierFactor
    hidden = "import sys; sys.modules['sklearn'] = None; import mercer; mercer.SVC"
    failed = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)
    assert "mercer.SVC needs scikit-learn: pip install scikit-learn" in failed.stderr


def test_a_fit_that_ends_early_warns_as_scikit_learn_does_and_points_at_the_caller():
    X, y = IRIS
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(max_iter=2\)") as caught:
        model = mercer.SVC(max_iter=2).fit(X, y)
    assert caught[0].filename == __file__
    assert model.fit_status_ == 1 and model.n_iter_.max() <= 2


def test_a_search_is_part_of_a_fit_where_a_parameter_is_left_open():
    X, y = IRIS
    model = mercer.SVC(C=(0.1, 10.0)).fit(X, y)
    assert 0.1 <= model.model_.summary["tuning"]["parameters"][0]["value"] <= 10
    regressor = mercer.MercerRegressor("ridge(lambda=auto)", "rbf").fit(*DIABETES)
    assert regressor.model_.summary["tuning"]["criterion"] == "leave-one-out error"
    classifier = mercer.MercerClassifier("knn(k=3)", max_seconds=100, max_memory="1GB").fit(X, y)
    np.testing.assert_allclose(classifier.predict_proba(X).sum(axis=1), 1.0)
    assert not hasattr(classifier, "decision_function")


def test_a_search_of_expressions_is_a_search_of_parameters():
    X, y = IRIS
    grid = {"kernel": ["rbf", "linear + 0.5*rbf"], "estimator": ["svc(c=1)", "ridge(lambda=0.1)"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert GridSearchCV(mercer.MercerClassifier(), grid, cv=3).fit(X, y).best_score_ > 0.9


def test_an_unfitted_estimator_says_so():
    for estimator in CLASSES:
        if estimator is not mercer.GaussianProcessRegressor:
            with pytest.raises(NotFittedError):
                answer(estimator())(IRIS[0])


def test_fits_on_given_kernels_are_copied_too():
    X, y = IRIS
    for model in [mercer.SVC(kernel=dot).fit(X, y), mercer.KernelRidgeClassifier(kernel="poly", degree=2.5).fit(X + 1, y)]:
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X + 1), model.predict(X + 1))
    gaussian = mercer.GaussianProcessRegressor(PairwiseKernel(metric="laplacian")).fit(*DIABETES)
    np.testing.assert_array_equal(copy.deepcopy(gaussian).predict(DIABETES[0]), gaussian.predict(DIABETES[0]))


def dot(a, b):
    return a @ b.T
