"""SVC(multiclass=..): machines of each way against scikit-learn's, shapes of what they give, and what is refused."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as Libsvm
from sklearn.svm import LinearSVC as Liblinear

from mercer import SVC

WAYS = ["pairs", "one_vs_rest", "weston_watkins", "crammer_singer", "dag", "codes"]
OF_CLASSES = ["one_vs_rest", "weston_watkins", "crammer_singer", "codes"]


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.mark.parametrize("way", WAYS)
def test_every_way_learns_the_classes(iris, way):
    X, y = iris
    model = SVC(multiclass=way, C=10).fit(X, y)
    assert model.fit_status_ == 0 and model.score(X, y) >= 0.95
    scores = model.decision_function(X)
    assert scores.shape == (150, 3)
    if way in OF_CLASSES:
        np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))


def test_one_against_the_rest_is_that_of_scikit_learn(iris):
    X, y = iris
    ours = SVC(multiclass="one_vs_rest", gamma=0.5, tol=1e-8).fit(X, y)
    theirs = OneVsRestClassifier(Libsvm(gamma=0.5, tol=1e-8)).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=0, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, [machine.intercept_[0] for machine in theirs.estimators_], rtol=0, atol=1e-5)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_crammer_and_singer_is_that_of_liblinear(iris, C):
    X, y = iris
    ours = SVC(multiclass="crammer_singer", kernel="linear", C=C, tol=1e-6).fit(X, y)
    # A column of 1000 leaves the intercepts all but unpenalised.
    theirs = Liblinear(multi_class="crammer_singer", C=C, intercept_scaling=1000, tol=1e-8, max_iter=10**6, random_state=0).fit(X, y)

    def objective(coef, intercept):
        f = X @ coef.T + intercept
        own = (theirs.classes_ == y[:, None]).astype(float)
        losses = (f + 1 - own).max(axis=1) - (f * own).sum(axis=1)
        return (coef**2).sum() / 2 + C * losses.sum()

    expected = objective(theirs.coef_, theirs.intercept_)
    assert ours.model_.summary["objective"] == pytest.approx(objective(ours.coef_, ours.intercept_), rel=1e-5)
    # LIBLINEAR may stop short of the minimum, as one column is so much larger than the others.
    assert objective(ours.coef_, ours.intercept_) <= expected * (1 + 1e-3)


@pytest.mark.parametrize("way", OF_CLASSES)
def test_values_of_pairs_need_machines_of_pairs(iris, way):
    with pytest.raises(ValueError, match="multiclass='pairs'"):
        SVC(multiclass=way, decision_function_shape="ovo").fit(*iris)


@pytest.mark.parametrize("way", WAYS)
def test_probabilities_of_every_way(iris, way):
    X, y = iris
    model = SVC(multiclass=way, probability=True, random_state=0).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
    plain = SVC(multiclass=way).fit(X, y).set_params(probability=True)
    with pytest.raises(NotFittedError):
        plain.predict_proba(X)


def test_a_way_that_is_unknown_is_refused(iris):
    with pytest.raises(ValueError, match="multiclass"):
        SVC(multiclass="one_vs_all").fit(*iris)
