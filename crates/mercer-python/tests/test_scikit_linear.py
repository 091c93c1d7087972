"""LinearSVC and LinearSVR beside scikit-learn's: objectives, predictions, arguments, errors."""

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer

IRIS = load_iris(return_X_y=True)
TWO = StandardScaler().fit_transform(IRIS[0][50:]), IRIS[1][50:]
DIABETES = StandardScaler().fit_transform(load_diabetes().data), load_diabetes().target / 50
TIGHT = {"tol": 1e-8, "max_iter": 100_000}
CLASSIFIERS = [{"loss": "hinge"}, {"dual": True}, {"dual": False}, {"dual": False, "fit_intercept": False}, {"intercept_scaling": 5.0}]
REGRESSORS = [
    {"epsilon": 0.2},
    {"loss": "squared_epsilon_insensitive", "dual": True},
    {"loss": "squared_epsilon_insensitive", "dual": False, "epsilon": 0.3},
]


def objective(model, x, y, weight=1.0):
    """The primal objective, the intercept penalised."""
    w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    f = x @ w + b
    margins = "hinge" in model.loss
    left = np.maximum(0, 1 - y * f) if margins else np.maximum(0, np.abs(y - f) - model.epsilon)
    return 0.5 * (w @ w + (b / model.intercept_scaling) ** 2) + model.C * np.sum(weight * (left**2 if "squared" in model.loss else left))


def both(name, parameters, x, y, weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        ours = getattr(mercer, name)(**TIGHT, **parameters).fit(x, y, weight)
    theirs = getattr(sklearn.svm, name)(**{**TIGHT, "max_iter": 1_000_000}, **parameters).fit(x, y, weight)
    return ours, theirs


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("parameters", CLASSIFIERS)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csc_array])
def test_the_objective_of_classes_is_no_worse_and_predictions_agree(parameters, form):
    x, y = TWO
    ours, theirs = both("LinearSVC", {"C": 0.5, **parameters}, form(x), y)
    signs = np.where(y == 2, 1, -1)
    here, there = objective(ours, x, signs), objective(theirs, x, signs)
    assert here <= there * (1 + 1e-6)
    np.testing.assert_array_equal(ours.predict(form(x)), theirs.predict(form(x)))
    np.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(x), atol=1e-3)
    assert ours.coef_.shape == theirs.coef_.shape and np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    assert 0 <= ours.certificate_["value"] <= 1e-8 and isinstance(ours.n_iter_, int)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("parameters", REGRESSORS)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_the_objective_of_numbers_is_no_worse_and_predictions_agree(parameters, form):
    x, y = DIABETES
    ours, theirs = both("LinearSVR", {"C": 0.1, **parameters}, form(x), y)
    assert objective(ours, x, y) <= objective(theirs, x, y) * (1 + 1e-6)
    np.testing.assert_allclose(ours.predict(form(x)), theirs.predict(form(x)), atol=1e-2)
    assert ours.coef_.shape == theirs.coef_.shape == (10,) and ours.intercept_.shape == theirs.intercept_.shape


def test_at_the_usual_tolerance_the_objective_is_no_worse_either():
    x, y = load_digits(return_X_y=True)
    x, y = x / 16, np.where(y == 8, 1, -1)
    for parameters in [{"dual": False}, {"dual": True, "C": 0.05}, {"loss": "hinge", "C": 0.05}]:
        ours, theirs = mercer.LinearSVC(**parameters).fit(x, y), sklearn.svm.LinearSVC(**parameters).fit(x, y)
        assert objective(ours, x, y) <= objective(theirs, x, y) * (1 + 1e-6)


def test_every_class_stands_against_the_rest_and_labels_are_texts():
    x, y = IRIS[0], load_iris().target_names[IRIS[1]]
    ours, theirs = both("LinearSVC", {"C": 0.1}, x, y)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))
    assert ours.score(x, y) == theirs.score(x, y)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 1: 0.5, 2: 1.0}])
@pytest.mark.parametrize("classes", [2, 3])
def test_weights_of_classes_and_rows_are_those_of_scikit_learn(class_weight, classes):
    x, y = IRIS[0][:50 * classes], IRIS[1][:50 * classes]
    if isinstance(class_weight, dict):
        class_weight = {k: w for k, w in class_weight.items() if k < classes}
    weight = None if class_weight == "balanced" else np.linspace(0.0, 2.0, len(y))
    ours, theirs = both("LinearSVC", {"class_weight": class_weight, "C": 0.3}, x, y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))


def test_weights_of_rows_reach_the_regression():
    x, y = DIABETES
    weight = np.linspace(0.0, 2.0, len(y))
    ours, theirs = both("LinearSVR", {"C": 0.1, "loss": "squared_epsilon_insensitive"}, x, y, weight)
    assert objective(ours, x, y, weight) <= objective(theirs, x, y, weight) * (1 + 1e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)


def test_frames_pipelines_searches_and_sparse_coefficients():
    pytest.importorskip("pandas")
    frame, y = load_iris(return_X_y=True, as_frame=True)
    model = mercer.LinearSVC().fit(frame, y)
    np.testing.assert_array_equal(model.feature_names_in_, frame.columns)
    search = GridSearchCV(make_pipeline(StandardScaler(), mercer.LinearSVC()), {"linearsvc__C": [0.1, 1.0]}, cv=3).fit(*IRIS)
    assert search.best_score_ > 0.9
    assert cross_val_score(mercer.LinearSVR(C=0.1), *DIABETES, cv=3).mean() > 0.4
    before = model.decision_function(frame)
    assert sp.issparse(model.sparsify().coef_)
    np.testing.assert_allclose(model.decision_function(frame), before, atol=1e-12)
    assert isinstance(model.densify().coef_, np.ndarray)


def test_sparse_rows_are_not_written_out():
    # Written out they would take 80 GB.
    n, dim = 10_000, 1_000_000
    rng = np.random.default_rng(0)
    x = sp.csr_matrix((rng.normal(size=5 * n), rng.integers(0, dim, 5 * n), np.arange(0, 5 * n + 1, 5)), shape=(n, dim))
    y = rng.integers(0, 2, n)
    assert mercer.LinearSVC().fit(x, y).score(x, y) > 0.99
    assert mercer.LinearSVC(loss="hinge").fit(x, y).score(x, y) > 0.99


def test_bits_do_not_depend_on_threads_and_seeds_are_kept():
    x, y = load_digits(return_X_y=True)
    for dual in [True, False]:
        one, two = (mercer.LinearSVC(dual=dual, n_jobs=jobs, random_state=5, tol=1e-2).fit(x / 16, y) for jobs in [1, 2])
        np.testing.assert_array_equal(one.coef_, two.coef_)


def test_a_fit_that_ends_early_warns_and_says_what_to_do():
    x, y = load_digits(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="max_iter, lower C, or scale the columns") as caught:
        model = mercer.LinearSVC(max_iter=1, dual=True).fit(x, y)
    assert caught[0].filename == __file__ and model.n_iter_ == 1


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("LinearSVC", {"penalty": "l1"}, r"penalty='l1'.*sklearn\.svm\.LinearSVC has penalty='l1'"),
        ("LinearSVC", {"penalty": "l3"}, "penalty='l3'.*expected 'l2'"),
        ("LinearSVC", {"multi_class": "crammer_singer"}, r"multi_class='crammer_singer'.*expected 'ovr'.*mercer\.SVC has pairs"),
        ("LinearSVC", {"loss": "l2"}, "loss='l2': expected one of 'squared_hinge', 'hinge'"),
        ("LinearSVC", {"loss": "hinge", "dual": False}, "dual=False: expected True or 'auto'.* is not smooth"),
        ("LinearSVR", {"dual": False}, "dual=False: expected True or 'auto'.* is not smooth"),
        ("LinearSVC", {"dual": "no"}, "True, False or 'auto'"),
        ("LinearSVC", {"C": 0.0}, "C=0.0: expected a finite number above 0"),
        ("LinearSVC", {"tol": -1.0}, "tol=-1.0: expected a finite number above 0"),
        ("LinearSVC", {"max_iter": 1.5}, "max_iter=1.5: expected a whole number from 0"),
        ("LinearSVC", {"intercept_scaling": 0}, "fit_intercept=False fits no intercept"),
        ("LinearSVR", {"epsilon": -1}, "epsilon=-1"),
        ("LinearSVR", {"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_what_cannot_be_is_refused_in_words(name, parameters, said):
    with pytest.raises(ValueError, match=said):
        getattr(mercer, name)(**parameters).fit(*TWO)


def test_one_class_and_rows_that_do_not_count_are_refused():
    x, y = TWO
    with pytest.raises(ValueError, match="every row is of class '1.0'.*1 class"):
        mercer.LinearSVC().fit(x, np.ones(len(x)))
    with pytest.raises(ValueError, match="at least one non-zero number"):
        mercer.LinearSVC().fit(x, y, np.zeros(len(x)))
    with pytest.raises(ValueError, match="class '1' has no row of weight above 0"):
        mercer.LinearSVC().fit(x, y, (y == 2).astype(float))


def test_a_linear_machine_stands_on_a_model_of_the_library_and_its_penalty_is_tuned():
    x, y = IRIS
    model = mercer.LinearSVC(C="auto").fit(x, y)
    assert model.C_ == model.model_.parameters["c"] > 0
    np.testing.assert_array_equal(model.model_.predict(x), model.predict(x))
    np.testing.assert_allclose(model.model_.decision_function(x), model.decision_function(x), rtol=0, atol=1e-10)
    assert not hasattr(model.set_params(C=1.0).fit(x, y), "C_")
    # Of several classes with weights there is a model for each.
    weighed = mercer.LinearSVC(class_weight={0: 3.0, 1: 0.5, 2: 1.0}).fit(x, y)
    assert len(weighed.model_.models) == 3 and weighed.certificate_["value"] <= weighed.tol
    numbers, target = DIABETES
    curve = mercer.LinearSVR(C=(0.01, 10.0), epsilon=0.1, max_iter=100_000).fit(numbers, target)
    assert 0.01 <= curve.C_ <= 10.0
    np.testing.assert_allclose(curve.model_.predict(numbers), curve.predict(numbers), rtol=0, atol=1e-10)


def test_progress_is_printed(capsys):
    mercer.LinearSVC(verbose=1).fit(*TWO)
    said = capsys.readouterr().out
    assert "[LinearSVC]" in said and "iterations, objective" in said


def rings(n, seed):
    """Rings and chains of labelled nodes as text, and numbers of their nodes of one label."""
    rng = np.random.default_rng(seed)
    cells, classes = [], []
    for i in range(n):
        labels = rng.choice(["C", "N", "O"], size=rng.integers(4, 9))
        edges = [f"{a}-{a + 1}" for a in range(len(labels) - 1)] + ([f"0-{len(labels) - 1}"] if i % 2 else [])
        cells.append(" ".join(labels) + " | " + " ".join(edges))
        classes.append("ring" if i % 2 else "chain")
    return mercer.Dataset({"g": cells}, types={"g": "graph"}), classes


@pytest.mark.parametrize("kernel", ["weisfeiler_lehman(depth=2)", "normalise(shortest_path)"])
def test_counts_of_the_patterns_of_graphs_are_features_too(kernel):
    data, classes = rings(60, 0)
    new, _ = rings(20, 1)
    both = mercer.Kernel(kernel)
    # Features with the same inner products, from the eigenvectors of the Gram matrix.
    values, vectors = np.linalg.eigh(both(data))
    kept = values > 1e-9 * values.max()
    rows, cross = vectors[:, kept] * np.sqrt(values[kept]), both(new, data) @ vectors[:, kept] / np.sqrt(values[kept])
    theirs = sklearn.svm.LinearSVC(C=0.5, tol=1e-9, max_iter=100_000).fit(rows, classes)
    ours = mercer.Learner("linear_svc(c=0.5, tolerance=1e-9, max_iterations=100000)", kernel).fit(data, classes)
    np.testing.assert_allclose(ours.decision_function(new), theirs.decision_function(cross), atol=1e-5)
    target = np.arange(60) % 7 + 3.0
    theirs = sklearn.svm.LinearSVR(C=0.5, epsilon=0.1, tol=1e-9, max_iter=1_000_000, random_state=0).fit(rows, (target - target.mean()) / target.std())
    ours = mercer.Learner("linear_svr(c=0.5, epsilon=0.1, tolerance=1e-9, max_iterations=100000)", kernel).fit(data, target)
    expected = theirs.predict(cross) * target.std() + target.mean()
    np.testing.assert_allclose(ours.predict(new), expected, atol=2e-3)
    with pytest.raises(mercer.ExpressionError, match="solver=dual"):
        mercer.Learner("linear_svc(solver=primal)", kernel).fit(data, classes)


def test_a_table_of_graphs_has_a_kernel_with_features():
    data, classes = rings(40, 2)
    model = mercer.Learner("linear_svc(c=10)").fit(data, classes)
    assert "weisfeiler_lehman" in str(model.kernel)
    again = mercer.Model.from_bytes(model.to_bytes())
    new, expected = rings(20, 3)
    np.testing.assert_array_equal(again.decision_function(new), model.decision_function(new))
    assert np.mean(np.array(model.predict(new)) == expected) > 0.8
