"""Class probabilities of SVC: calibrated on held-out decision values, against scikit-learn's."""

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import mercer

SETS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}


def halves(load, seed):
    X, y = load(return_X_y=True)
    X, y = X[:900], y[:900]
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y)
    scaler = StandardScaler().fit(train)
    return scaler.transform(train), scaler.transform(test), y_train, y_test


def theirs(**words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sklearn.svm.SVC(probability=True, **words)


@pytest.mark.parametrize("name", SETS)
def test_the_log_loss_is_that_of_scikit_learn(name):
    # Both hold rows out in folds drawn by chance: the spread of scikit-learn's own loss over seeds is the noise.
    ours, other, own_noise = [], [], []
    for seed in range(4):
        train, test, y_train, y_test = halves(SETS[name], seed)
        model = mercer.SVC(probability=True, random_state=seed).fit(train, y_train)
        p = model.predict_proba(test)
        ours.append(log_loss(y_test, p))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [log_loss(y_test, theirs(random_state=again).fit(train, y_train).predict_proba(test)) for again in range(3)]
        other.append(np.mean(found))
        own_noise.append(np.std(found, ddof=1))
        np.testing.assert_array_equal(model.predict(test), model.classes_[p.argmax(axis=1)])
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(model.predict_log_proba(test), np.log(p))
    assert np.mean(ours) < np.mean(other) + 2 * np.mean(own_noise) + 0.01 * np.mean(other)


def test_two_classes_have_the_sigmoid_that_is_told():
    train, test, y_train, _ = halves(load_breast_cancer, 0)
    model = mercer.SVC(probability=True).fit(train, y_train)
    assert model.probA_.shape == model.probB_.shape == (1,) and model.probA_[0] < 0
    # libsvm counts decision values from the first class: 1 / (1 + exp(A d + B)).
    first = 1 / (1 + np.exp(model.probA_[0] * -model.decision_function(test) + model.probB_[0]))
    np.testing.assert_allclose(model.predict_proba(test)[:, 0], np.clip(first, 1e-7, 1 - 1e-7), atol=1e-12)
    reference = theirs().fit(train, y_train)
    np.testing.assert_allclose(model.probA_, reference.probA_, rtol=0.2)
    np.testing.assert_allclose(model.probB_, reference.probB_, atol=0.3)


def test_pairs_are_coupled_by_the_second_method_of_wu_lin_and_weng_and_scaled_by_a_softmax():
    train, test, y_train, _ = halves(load_wine, 1)
    model = mercer.SVC(probability=True, decision_function_shape="ovo").fit(train, y_train)
    a, b, values = model.probA_, model.probB_, model.decision_function(test)
    first, second = np.triu_indices(3, 1)
    coupled = []
    for row in values:
        r = np.zeros((3, 3))
        r[first, second] = np.clip(1 / (1 + np.exp(a * row + b)), 1e-7, 1 - 1e-7)
        r[second, first] = 1 - r[first, second]
        # The conditions of the optimum: (Q, 1; 1', 0) (p, b) = (0, 1).
        system = np.ones((4, 4))
        system[3, 3] = 0
        system[:3, :3] = np.diag((r.T**2).sum(axis=1)) - r * r.T
        coupled.append(np.linalg.solve(system, [0, 0, 0, 1])[:3])
    # ln p_k - ln p_0 = a (ln q_k - ln q_0) + b_k - b_0: one factor and two offsets for all rows.
    p, q = (np.log(table[:, 1:] / table[:, :1]) for table in (model.predict_proba(test), np.array(coupled)))
    design = np.column_stack([q.ravel(), np.tile([1, 0], len(q)), np.tile([0, 1], len(q))])
    found = np.linalg.lstsq(design, p.ravel(), rcond=None)[0]
    assert found[0] > 0
    np.testing.assert_allclose(design @ found, p.ravel(), atol=1e-7)


def test_weights_of_rows_and_of_classes_count_in_the_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] + 1.5 * rng.normal(size=400) > 1.2).astype(int)
    plain = mercer.SVC(probability=True).fit(X, y).predict_proba(X)[:, 1].mean()
    assert plain == pytest.approx(y.mean(), abs=0.05)
    even = np.where(y == 1, 1 / y.mean(), 1 / (1 - y.mean()))
    for words, weight in (({"class_weight": "balanced"}, None), ({}, even)):
        # With equal masses of both classes their mean probability over equal masses is a half.
        p = mercer.SVC(probability=True, **words).fit(X, y, weight).predict_proba(X)[:, 1]
        assert (p[y == 1].mean() + p[y == 0].mean()) / 2 == pytest.approx(0.5, abs=0.05)


def test_seeds_decide_the_folds_and_a_fit_without_probabilities_says_so():
    train, test, y_train, _ = halves(load_wine, 2)
    fit = lambda seed: mercer.SVC(probability=True, random_state=seed).fit(train, y_train)
    np.testing.assert_array_equal(fit(3).predict_proba(test), fit(3).predict_proba(test))
    assert (fit(3).probA_ != fit(4).probA_).any()
    plain = mercer.SVC().fit(train, y_train)
    assert plain.probA_.shape == plain.probB_.shape == (0,) and not hasattr(plain, "predict_proba")
    with pytest.raises(NotFittedError, match="probability=False"):
        plain.set_params(probability=True).predict_proba(test)


def test_given_kernel_values_functions_and_expressions_have_them_too():
    train, test, y_train, _ = halves(load_wine, 3)
    reference = mercer.SVC(kernel="linear", probability=True, tol=1e-8).fit(train, y_train).predict_proba(test)
    given = mercer.SVC(kernel="precomputed", probability=True, tol=1e-8).fit(train @ train.T, y_train)
    np.testing.assert_allclose(given.predict_proba(test @ train.T), reference, atol=1e-5)
    function = mercer.SVC(kernel=lambda a, b: a @ b.T, probability=True, tol=1e-8).fit(train, y_train)
    np.testing.assert_allclose(function.predict_proba(test), reference, atol=1e-5)
    written = mercer.MercerClassifier("svc(c=1, tolerance=1e-8, probabilities=true)", "linear", standardise=False).fit(train, y_train)
    np.testing.assert_allclose(written.predict_proba(test), reference, atol=1e-5)
    assert not hasattr(mercer.MercerClassifier("svc(c=1)"), "predict_proba")


@pytest.mark.parametrize("name", SETS)
def test_predict_is_the_class_of_greatest_probability_of_every_classifier(name):
    train, test, y_train, _ = halves(SETS[name], 5)
    for model in (
        mercer.SVC(probability=True),
        mercer.KernelRidgeClassifier(gamma=0.03, probability=True),
        mercer.MercerClassifier("knn(k=5, calibrated=true)"),
    ):
        p = model.fit(train, y_train).predict_proba(test)
        np.testing.assert_array_equal(model.predict(test), model.classes_[p.argmax(axis=1)])
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert not hasattr(mercer.KernelRidgeClassifier(), "predict_proba")


def test_neighbours_and_ridge_are_better_calibrated_than_without():
    losses = {}
    for seed in range(4):
        train, test, y_train, y_test = halves(load_digits, seed)
        for text in ("knn(k=5)", "knn(k=5, calibrated=false)", "ridge(lambda=0.1, probabilities=true)"):
            p = mercer.MercerClassifier(text, "rbf(gamma=0.02)", standardise=False).fit(train, y_train).predict_proba(test)
            losses.setdefault(text, []).append(log_loss(y_test, p))
        scores = mercer.KernelRidgeClassifier(alpha=0.1, gamma=0.02).fit(train, y_train).decision_function(test)
        raw = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        losses.setdefault("raw", []).append(log_loss(y_test, raw))
    mean = {text: np.mean(values) for text, values in losses.items()}
    assert mean["knn(k=5)"] < mean["knn(k=5, calibrated=false)"]
    assert mean["ridge(lambda=0.1, probabilities=true)"] < 0.5 * mean["raw"]


def test_a_model_with_probabilities_is_stored_and_read():
    train, test, y_train, _ = halves(load_iris, 0)
    model = mercer.Learner("svc(c=1, probabilities=true)").fit(train, [str(label) for label in y_train])
    again = mercer.Model.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(again.predict_proba(test), model.predict_proba(test))
    assert again.sigmoids.shape == (3, 2) and mercer.Learner("svc(c=1)").fit(train, [str(label) for label in y_train]).sigmoids is None
    assert any("held out in 5 folds" in note for note in model.summary["notes"])


def test_where_both_classes_are_as_likely_a_process_names_the_first_as_argmax_does():
    rows, classes = np.array([[-1.0], [1.0], [-1.0], [1.0], [0.0], [0.0]]), np.array(["b", "a", "b", "a", "a", "b"])
    for turned in (1.0, -1.0):
        model = mercer.GaussianProcessClassifier().fit(turned * rows, classes)
        places = np.vstack([turned * rows, [[0.0]], [[1e-14]], [[0.001]]])
        shares = model.predict_proba(places)
        assert (model.predict(places) == model.classes_[shares.argmax(axis=1)]).all()
        # By symmetry.
        assert shares[4].tolist() == [0.5, 0.5]
