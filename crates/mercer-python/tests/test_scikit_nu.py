"""Machines of nu and of one class beside scikit-learn's."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC as SklearnSVC
from sklearn.svm import NuSVC as SklearnNuSVC
from sklearn.svm import NuSVR as SklearnNuSVR
from sklearn.svm import OneClassSVM as SklearnOneClassSVM

import mercer

X, Y = make_classification(n_samples=200, n_features=4, flip_y=0.2, random_state=3)
NEW = np.random.default_rng(5).normal(size=(50, 4))
T = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * np.cos(17 * np.arange(200))


def half_square(model, gram):
    """a'Ka / 2."""
    a, rows = np.asarray(model.dual_coef_).ravel(), model.support_
    return 0.5 * a @ gram[np.ix_(rows, rows)] @ a


@pytest.mark.parametrize("nu", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_class_has_the_objective_scores_and_labels_of_scikit_learn(nu, weighted):
    weight = np.where(np.arange(200) % 3 == 0, 2.0, 1.0) if weighted else None
    ours = mercer.OneClassSVM(nu=nu, gamma=0.3).fit(X, sample_weight=weight)
    theirs = SklearnOneClassSVM(nu=nu, gamma=0.3, tol=1e-8).fit(X, sample_weight=weight)
    gram = rbf_kernel(X, gamma=0.3)
    assert half_square(ours, gram) == pytest.approx(half_square(theirs, gram), rel=1e-4)
    assert ours.offset_ == pytest.approx(theirs.offset_[0], rel=2e-3)
    scores, expected = ours.decision_function(NEW), theirs.decision_function(NEW)
    np.testing.assert_allclose(scores, expected, atol=3e-3 * ours.offset_)
    np.testing.assert_allclose(ours.score_samples(NEW), scores + ours.offset_)
    clear = np.abs(expected) > 3e-3 * ours.offset_
    assert (ours.predict(NEW) == theirs.predict(NEW))[clear].all()
    assert set(np.unique(ours.predict(X))) <= {-1, 1}
    counted = np.ones(200) if weight is None else weight
    assert counted[ours.predict(X) == -1].sum() <= nu * counted.sum() + 1e-9
    assert (ours.fit_predict(X, sample_weight=weight) == ours.predict(X)).all()


def test_a_tiny_nu_calls_few_rows_outliers_and_a_linear_machine_has_coefficients():
    assert (mercer.OneClassSVM(nu=1e-5).fit_predict(X) == 1).all()
    ours = mercer.OneClassSVM(kernel="linear", nu=0.3, tol=1e-6).fit(X + 4)
    theirs = SklearnOneClassSVM(kernel="linear", nu=0.3, tol=1e-8).fit(X + 4)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-3)
    assert ours.support_vectors_.shape[0] == ours.dual_coef_.shape[1] == len(ours.support_)


def test_a_search_over_one_class_machines_works_with_any_scorer():
    def near(truth, found):
        return float(np.mean(found == truth))

    truth = np.where(Y == 1, 1, -1)
    for scoring in (make_scorer(near), "accuracy", lambda model, rows, _: float(model.score_samples(rows).mean())):
        search = GridSearchCV(mercer.OneClassSVM(), {"nu": [0.1, 0.5], "gamma": [0.1, 1.0]}, scoring=scoring, cv=3).fit(X, truth)
        assert search.best_params_["nu"] in (0.1, 0.5)
    unlabelled = GridSearchCV(mercer.OneClassSVM(), {"nu": [0.1, 0.5]}, scoring=lambda model, rows, *_: model.score_samples(rows).mean(), cv=3)
    assert unlabelled.fit(X).best_estimator_.model_ is not None


@pytest.mark.parametrize("nu", [0.4, 0.6])
def test_nu_svc_has_the_objective_and_decision_values_of_scikit_learn(nu):
    ours = mercer.NuSVC(nu=nu, gamma=0.3, tol=1e-4).fit(X, Y)
    theirs = SklearnNuSVC(nu=nu, gamma=0.3, tol=1e-9).fit(X, Y)
    gram = rbf_kernel(X, gamma=0.3)
    assert half_square(ours, gram) == pytest.approx(half_square(theirs, gram), rel=1e-3)
    expected = theirs.decision_function(NEW)
    np.testing.assert_allclose(ours.decision_function(NEW), expected, atol=1e-2 * np.abs(expected).max())
    clear = np.abs(expected) > 1e-2 * np.abs(expected).max()
    assert (ours.predict(NEW) == theirs.predict(NEW))[clear].all()
    # C = 1 / rho is the same machine.
    equal = SklearnSVC(C=np.abs(ours.dual_coef_).max(), gamma=0.3, tol=1e-6).fit(X, Y)
    np.testing.assert_allclose(ours.decision_function(NEW), equal.decision_function(NEW), atol=1e-2 * np.abs(expected).max())


def test_nu_svc_of_three_classes_and_its_probabilities():
    rows, species = load_iris(return_X_y=True)
    ours = mercer.NuSVC(nu=0.2, probability=True).fit(rows, species)
    theirs = SklearnNuSVC(nu=0.2).fit(rows, species)
    assert np.mean(ours.predict(rows) == theirs.predict(rows)) > 0.97
    shares = ours.predict_proba(rows)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (ours.classes_[shares.argmax(axis=1)] == ours.predict(rows)).all()


def test_an_infeasible_nu_is_refused_with_the_range_and_class_weights_widen_it():
    rare = np.arange(200) % 10 == 0
    with pytest.raises(ValueError, match="specified nu is infeasible.*at most 0.2"):
        mercer.NuSVC(nu=0.5).fit(X, rare)
    assert mercer.NuSVC(nu=0.5, class_weight="balanced").fit(X, rare).fit_status_ == 0
    for wrong in (0.0, -1, 1.5, "half"):
        with pytest.raises(ValueError):
            mercer.NuSVC(nu=wrong).fit(X, Y)


@pytest.mark.parametrize(("nu", "c"), [(0.3, 1.0), (0.5, 10.0), (0.9, 0.2)])
def test_nu_svr_has_the_predictions_and_coefficients_of_scikit_learn(nu, c):
    ours = mercer.NuSVR(nu=nu, C=c, gamma=0.3, tol=1e-5).fit(X, T)
    theirs = SklearnNuSVR(nu=nu, C=c, gamma=0.3, tol=1e-9).fit(X, T)
    np.testing.assert_allclose(ours.predict(NEW), theirs.predict(NEW), atol=1e-3)
    assert np.abs(ours.dual_coef_).sum() == pytest.approx(c * nu * 200, rel=1e-6)
    assert mercer.NuSVR(nu=nu, C=c, gamma=0.3).fit(X, T).score(X, T) == pytest.approx(theirs.score(X, T), abs=1e-3)


def test_steps_end_where_they_are_limited_and_estimators_are_cloned():
    for model, fit in ((mercer.OneClassSVM(max_iter=1), (X,)), (mercer.NuSVC(max_iter=1), (X, Y)), (mercer.NuSVR(max_iter=1), (X, T))):
        with pytest.warns(ConvergenceWarning):
            clone(model).fit(*fit)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mercer.Learner("one_class(nu=0.1)").fit(X).predict(X).dtype == np.int64
