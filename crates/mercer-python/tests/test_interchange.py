"""Fitted estimators of scikit-learn as models: the predictions of both are held against each other."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.gaussian_process import GaussianProcessRegressor, kernels
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

import mercer

#: Differences of predictions, as a share of their size.
ROUNDING = 1e-12


def made(rows=90, seed=3):
    """Rows, three classes that overlap, and numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    y = X[:, 0] - X[:, 1] ** 2 + 0.1 * rng.normal(size=rows)
    labels = np.array(["low", "mid", "top"])[np.digitize(y + 0.3 * rng.normal(size=rows), [-1.0, 0.0])]
    return X, labels, y


X, LABELS, Y = made()
NEW = made(40, seed=4)[0]


def close(found, expected, within=ROUNDING, coefficients=0.0):
    """Both agree; where coefficients are large their sum rounds like terms of that size do."""
    expected = np.asarray(expected)
    assert np.shape(found) == expected.shape
    assert np.abs(found - expected).max() <= within * max(np.abs(expected).max(), 1e-3 * np.abs(coefficients).sum())


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("machine", [SVC(C=2.0), NuSVC(nu=0.3)], ids=["svc", "nu_svc"])
def test_classifiers(machine, kernel):
    machine = machine.set_params(kernel=kernel, gamma=0.05, coef0=0.3, decision_function_shape="ovo")
    for rows in (np.arange(len(X)), np.flatnonzero(LABELS != "mid")):
        fitted = machine.fit(X[rows], LABELS[rows])
        model = mercer.from_sklearn(fitted)
        several = len(fitted.classes_) > 2
        close(model.decision_function(NEW), (-1 if several else 1) * fitted.decision_function(NEW), coefficients=fitted.dual_coef_)
        assert model.predict(NEW).tolist() == fitted.predict(NEW).tolist()
        assert model.support.tolist() == sorted(fitted.support_.tolist())


@pytest.mark.parametrize("machine", [SVR(C=3.0, epsilon=0.05), NuSVR(nu=0.4), OneClassSVM(nu=0.2)], ids=["svr", "nu_svr", "one_class"])
def test_machines_of_numbers_and_of_novelty(machine):
    fitted = machine.fit(X, Y)
    model = mercer.from_sklearn(fitted)
    if isinstance(fitted, OneClassSVM):
        close(model.decision_function(NEW), fitted.decision_function(NEW))
        assert model.predict(NEW).tolist() == fitted.predict(NEW).tolist()
    else:
        close(model.predict(NEW), fitted.predict(NEW))
    again = mercer.Model.from_bytes(model.to_bytes())
    assert (again.predict(NEW) == model.predict(NEW)).all()


def test_rows_may_be_sparse_and_labels_numbers():
    codes = np.digitize(Y, [-1.0, 0.0]) * 10 + 2
    few = np.where(np.abs(X) > 0.7, X, 0.0)
    fitted = SVC(decision_function_shape="ovo").fit(sp.csr_matrix(few), codes)
    assert sp.issparse(fitted.support_vectors_)
    model = mercer.from_sklearn(fitted)
    close(model.decision_function(sp.csr_matrix(NEW)), -fitted.decision_function(sp.csr_matrix(NEW)))
    found = model.predict(NEW)
    assert found.dtype.kind == "i" and found.tolist() == fitted.predict(sp.csr_matrix(NEW)).tolist()


def test_columns_have_the_names_of_a_frame():
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b", "c", "d"])
    fitted = SVC().fit(frame, LABELS)
    model = mercer.from_sklearn(fitted)
    assert model.predict(frame[["d", "c", "b", "a"]]).tolist() == fitted.predict(frame).tolist()


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_probabilities_are_kept_on_request():
    for labels in (LABELS, np.where(LABELS == "low", "low", "more")):
        fitted = SVC(probability=True, random_state=0).fit(X, labels)
        with pytest.warns(mercer.MercerWarning, match="predict_proba is left out"):
            assert mercer.from_sklearn(fitted).predict(NEW).tolist() == fitted.predict(NEW).tolist()
        found = mercer.from_sklearn(fitted, probabilities=True).predict_proba(NEW)
        # libsvm couples pairs by iterations that end at 0.005 / classes.
        close(found, fitted.predict_proba(NEW), 0.005)
        if len(fitted.classes_) == 2:
            # Platt's sigmoid of libsvm's decision value, which is above 0 for the first class.
            expected = 1.0 / (1.0 + np.exp(-fitted.probA_ * fitted.decision_function(NEW) + fitted.probB_))
            close(found[:, 0], expected)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "chi2", "cosine", "sigmoid", 2.0 * kernels.RBF(1.5)], ids=str)
def test_kernel_ridge(kernel):
    both = np.column_stack([Y, Y**2])
    for target in (Y, both):
        fitted = KernelRidge(kernel=kernel, gamma=0.7, alpha=0.5).fit(np.abs(X), target)
        # A kernel that is nearly singular has large coefficients, which take digits from both predictions.
        close(mercer.from_sklearn(fitted).predict(np.abs(NEW)), fitted.predict(np.abs(NEW)), 1e-11)


def test_gaussian_processes():
    kernel = kernels.ConstantKernel(2.0) * kernels.RBF([1.0, 2.0, 1.5, 3.0]) + kernels.WhiteKernel(0.05)
    for target, normalise in ((Y, True), (np.column_stack([Y, 3.0 * Y + 1.0]), True), (Y, False)):
        fitted = GaussianProcessRegressor(kernel, alpha=1e-3, optimizer=None, normalize_y=normalise).fit(X, target)
        model = mercer.from_sklearn(fitted)
        mean, sd = fitted.predict(NEW, return_std=True)
        found, deviation = model.predict(NEW, std="mean")
        close(found, mean, 1e-11)
        close(deviation, sd, 1e-11)


def test_what_cannot_be_taken_over_is_refused():
    def dot(a, b):
        return a @ b.T

    for estimator, raised, said in [
        (SVC(kernel=dot).fit(X, LABELS), mercer.ExpressionError, "is a function"),
        (SVC(kernel="precomputed").fit(X @ X.T, LABELS), mercer.ExpressionError, "precomputed"),
        (SVC(kernel="poly", coef0=-1.0).fit(X, LABELS), mercer.ExpressionError, "coef0=-1.0"),
        (SVC(), mercer.DataError, "not fitted"),
        (GaussianProcessRegressor(), mercer.DataError, "not fitted"),
        (Ridge().fit(X, Y), mercer.DataError, "found Ridge, expected a fitted SVC"),
    ]:
        with pytest.raises(raised, match=said):
            mercer.from_sklearn(estimator)
    with pytest.raises(mercer.DataError, match="no probabilities"):
        mercer.from_sklearn(SVC().fit(X, LABELS), probabilities=True)
    with pytest.raises(mercer.DataError, match="missing"):
        mercer.from_sklearn(SVC().fit(X, LABELS)).predict(np.where(NEW > 2.0, np.nan, NEW))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        mercer.from_sklearn(SVC(break_ties=True).fit(X, LABELS))
    assert any("break_ties" in str(one.message) for one in said)
