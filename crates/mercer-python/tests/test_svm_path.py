"""The regularisation path against scikit-learn's SVC, which is libsvm."""

import numpy as np
import pytest

import mercer


def rows(n, seed):
    draw = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, "b", "a")
    return draw.normal(size=(n, 2)) + np.where(y == "b", 0.8, -0.8)[:, None], y


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_decision_values_at_any_c_are_those_of_libsvm(class_weight):
    svm = pytest.importorskip("sklearn.svm")
    x, y = rows(60, 3)
    weights = np.linspace(0.5, 2.0, len(y))
    path = mercer.svm_path(x, y, "rbf(gamma=0.7)", sample_weight=weights, class_weight=class_weight, standardise=False)
    assert path.complete and path.classes == ["a", "b"] and np.isinf(path.max_C)
    assert path.alpha.shape == (len(path.C), 60) and (np.diff(path.C) >= 0).all()
    assert (path.alpha >= -1e-9).all()
    # libsvm counts a class by all of its rows, svc by their weights.
    factor = {"a": 1.0, "b": 1.0}
    if class_weight:
        factor = {k: weights.sum() / (2 * weights[y == k].sum()) for k in "ab"}
    # Before the first breakpoint of classes of equal weight an interval of intercepts is equally good, and libsvm takes an end of it.
    for c in [0.7, 4.0, 30.0] if class_weight else [0.05, 0.7, 4.0, 30.0]:
        assert (path.decision_function(x, [c, 0.6])[:, 0] == path.decision_function(x, c)).all()
        peer = svm.SVC(C=c, gamma=0.7, tol=1e-10).fit(x, y, sample_weight=weights * np.vectorize(factor.get)(y))
        np.testing.assert_allclose(path.decision_function(x, c), peer.decision_function(x), rtol=0, atol=2e-5)
        coef, intercept = path.at(c)
        assert np.isclose(coef.sum(), 0, atol=1e-9 * c) and np.isclose(intercept, peer.intercept_[0], rtol=0, atol=2e-5)


def test_a_path_in_part_refuses_what_lies_beyond():
    x, y = rows(30, 5)
    path = mercer.svm_path(x, y, max_C=2.0, folds=3)
    c, errors = path.held_out_error
    assert not path.complete and path.max_C == pytest.approx(2.0) and len(c) == len(errors) > 0
    assert "held-out error" in str(path)
    assert len(path.elbow) == len(path.left) == len(path.right) == len(path.training_error) == len(path.intercept) == len(path.C)
    with pytest.raises(mercer.MercerError, match="where the path ends"):
        path.at(3.0)
    with pytest.raises(mercer.MercerError, match="balanced"):
        mercer.svm_path(x, y, class_weight="even")
    with pytest.raises(mercer.MercerError, match=r"a path needs a Mercer kernel and sigmoid.*: clip\(sigmoid") as refused:
        mercer.svm_path(x, y, "sigmoid(gamma=1, offset=-1)")
    assert "allow" not in str(refused.value)
    with pytest.raises(mercer.MercerError, match="two classes"):
        mercer.svm_path(x, np.arange(30) % 3 == np.arange(30), kernel="rbf", sample_weight=np.arange(30) * 0.0 + (np.arange(30) > 2))
