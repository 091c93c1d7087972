"""GridSearchCV beside scikit-learn's."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn")

from sklearn import model_selection, svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, SVR, GridSearchCV, KernelRidgeClassifier
from mercer.scikit import _search

IRIS = load_iris(return_X_y=True)
CELLS = {"C": [0.1, 1, 100], "gamma": [0.01, 0.1, 1]}


def together(monkeypatch):
    """Lets no cell go to scikit-learn."""
    monkeypatch.setattr(model_selection.GridSearchCV, "fit", lambda *_, **__: pytest.fail("searched by scikit-learn"))


def scores(search):
    return np.array([search.cv_results_[f"split{k}_test_score"] for k in range(search.n_splits_)])


def test_scores_of_all_cells_are_those_of_scikit_learn(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    cells = {"C": [2.0**k for k in range(-5, 16, 4)], "gamma": [2.0**k for k in range(-15, 4, 4)]}
    theirs = model_selection.GridSearchCV(svm.SVC(tol=1e-5), cells).fit(X, y)
    together(monkeypatch)
    ours = GridSearchCV(SVC(tol=1e-5), cells).fit(X, y)
    np.testing.assert_allclose(scores(ours), scores(theirs), atol=1e-12)
    assert ours.best_params_ == theirs.best_params_ and ours.best_score_ == theirs.best_score_
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    np.testing.assert_array_equal(ours.cv_results_["rank_test_score"], theirs.cv_results_["rank_test_score"])
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, y) == ours.best_estimator_.score(X, y) and list(ours.classes_) == [0, 1] and ours.n_features_in_ == 30


@pytest.mark.parametrize(
    ("made", "cells", "scoring"),
    [
        (SVC, CELLS, None),
        (SVC, {"C": [1, 10], "gamma": ["scale", "auto"]}, None),
        (SVC, [{"kernel": ["linear"], "C": [0.1, 1]}, {"kernel": ["poly"], "degree": [2, 3], "coef0": [0, 1]}], "f1_macro"),
        (SVR, {**CELLS, "epsilon": [0.1, 0.5]}, None),
        (SVR, CELLS, "neg_mean_absolute_error"),
    ],
)
def test_every_kind_of_cell_is_the_fit_of_its_own(monkeypatch, made, cells, scoring):
    X, y = IRIS
    y = X[:, 3] if made is SVR else np.array(["setosa", "versicolor", "virginica"])[y]
    X = X[:, :3]
    weight = np.linspace(0.5, 2, len(y))
    theirs = model_selection.GridSearchCV(made(tol=1e-6), cells, scoring=scoring, cv=4).fit(X, y, sample_weight=weight)
    together(monkeypatch)
    ours = GridSearchCV(made(tol=1e-6), cells, scoring=scoring, cv=4).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(scores(ours), scores(theirs), atol=1e-4)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, abs=1e-4)


def test_two_classes_are_scored_by_decision_values_and_probabilities(monkeypatch):
    X, y = IRIS
    X, y = X[50:], y[50:]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    made = [SVC(tol=1e-6), SVC(tol=1e-6, probability=True)]
    theirs = [model_selection.GridSearchCV(e, CELLS, scoring=s, cv=folds).fit(X, y) for e, s in zip(made, ["roc_auc", "neg_log_loss"])]
    together(monkeypatch)
    for e, scoring, other in zip(made, ["roc_auc", "neg_log_loss"], theirs):
        np.testing.assert_allclose(scores(GridSearchCV(e, CELLS, scoring=scoring, cv=folds).fit(X, y)), scores(other), atol=1e-3)


def test_what_is_not_computed_together_is_searched_by_scikit_learn(monkeypatch):
    X, y = IRIS
    monkeypatch.setattr(_search, "grid", lambda *_, **__: pytest.fail("computed together"))
    searches = [
        GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1, 10]}),
        GridSearchCV(KernelRidgeClassifier(), {"alpha": [0.1, 1]}),
        GridSearchCV(SVC(), {"C": [1, 10]}, scoring=["accuracy", "f1_macro"], refit="accuracy"),
        GridSearchCV(SVC(), {"C": [1, 10]}, return_train_score=True),
        GridSearchCV(SVC(kernel=lambda a, b: a @ b.T), {"C": [1, 10]}),
    ]
    for search in searches:
        assert search.fit(X, y).best_score_ > 0.8


def test_grids_over_class_weights_are_computed_together(monkeypatch):
    X, y = IRIS
    X, y = X[50:130], np.array(["few", "many"])[(y[50:130] == 1).astype(int)]
    cells = {"class_weight": [None, "balanced", {"few": 5.0, "many": 0.5}], "C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}
    weight = np.linspace(0.5, 2, len(y))
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    # Weighted rows count in "balanced" here, and not in svm.SVC.
    for made, params in [(svm.SVC, {}), (SVC, {"sample_weight": weight})]:
        theirs = model_selection.GridSearchCV(made(tol=1e-6), cells, scoring="balanced_accuracy", cv=folds).fit(X, y, **params)
        with monkeypatch.context() as patch:
            together(patch)
            ours = GridSearchCV(SVC(tol=1e-6), cells, scoring="balanced_accuracy", cv=folds).fit(X, y, **params)
        np.testing.assert_allclose(scores(ours), scores(theirs), atol=1e-12)
        assert ours.best_params_ == theirs.best_params_


def test_faults_are_those_of_scikit_learn():
    X, y = IRIS
    with pytest.raises(ValueError, match="C=-1"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        GridSearchCV(SVC(), {"C": [-1]}, error_score="raise").fit(X, y)
    with pytest.raises(ValueError, match="Invalid parameter 'c'"):
        GridSearchCV(SVC(), {"c": [1]}).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="15 of 15 fits"):
        GridSearchCV(SVC(max_iter=3), {"C": [1, 2, 3]}, refit=False).fit(X, y)


def test_regression_of_diabetes_has_the_best_cell_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    cells = {"C": [1.0, 10.0, 100.0], "gamma": [1.0, 10.0], "epsilon": [1.0, 10.0]}
    ours = GridSearchCV(SVR(tol=1e-5), cells).fit(X, y)
    theirs = model_selection.GridSearchCV(svm.SVR(tol=1e-5), cells).fit(X, y)
    np.testing.assert_allclose(scores(ours), scores(theirs), atol=1e-4)
    assert ours.best_params_ == theirs.best_params_


@pytest.mark.parametrize("sparse", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_matrix])
@pytest.mark.parametrize("machine", [SVC(), SVR()], ids=str)
def test_sparse_rows_are_searched_together(monkeypatch, sparse, machine):
    X, y = IRIS
    theirs = model_selection.GridSearchCV(machine, CELLS, cv=3).fit(sparse(X), y)
    together(monkeypatch)
    np.testing.assert_allclose(scores(GridSearchCV(machine, CELLS, cv=3).fit(sparse(X), y)), scores(theirs), atol=1e-3)


@pytest.mark.parametrize(
    "scorer",
    [
        lambda model, X, y: float(np.mean(model.predict(X + 100) == y)),
        lambda model, X, y: float(np.mean(model.predict(X[y > 0]) == y[y > 0])),
        lambda model, X, y: model.score(X, y) - 0.001 * model.n_support_.sum(),
    ],
    ids=["other rows", "some rows", "what the model keeps"],
)
def test_a_function_as_the_scorer_gets_a_fitted_estimator(scorer):
    X, y = IRIS
    ours, theirs = (search(SVC(), {"C": [0.01, 10]}, cv=3, scoring=scorer).fit(X, y) for search in (GridSearchCV, model_selection.GridSearchCV))
    np.testing.assert_allclose(scores(ours), scores(theirs), atol=1e-12)


def test_a_scorer_made_of_a_metric_is_computed_together(monkeypatch):
    X, y = IRIS
    scorer = make_scorer(f1_score, average="macro")
    theirs = model_selection.GridSearchCV(SVC(tol=1e-6), CELLS, scoring=scorer).fit(X, y)
    together(monkeypatch)
    np.testing.assert_allclose(scores(GridSearchCV(SVC(tol=1e-6), CELLS, scoring=scorer).fit(X, y)), scores(theirs), atol=1e-3)


@pytest.mark.parametrize("cells", [{"C": [-1, 10]}, {"decision_function_shape": ["foo", "ovr"], "C": [10]}, {"shrinking": ["foo", True], "C": [10]}], ids=str)
def test_a_cell_that_cannot_be_fitted_is_none(cells):
    with pytest.warns(FitFailedWarning), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("always", FitFailedWarning)
        found = GridSearchCV(SVC(), cells, cv=3).fit(*IRIS)
    assert np.isnan(found.cv_results_["mean_test_score"][0]) and found.best_score_ > 0.9


def test_a_frame_is_searched_without_a_warning(monkeypatch, recwarn):
    pandas = pytest.importorskip("pandas")
    X, y = IRIS
    together(monkeypatch)
    search = GridSearchCV(SVC(), CELLS, cv=3).fit(pandas.DataFrame(X, columns=list("abcd")), y)
    assert not recwarn.list and list(search.feature_names_in_) == list("abcd")


def test_names_are_listed():
    assert "GridSearchCV" in dir(mercer) and "GridSearchCV" in mercer.__all__ and "GridSearchCV" in mercer.scikit.__all__
