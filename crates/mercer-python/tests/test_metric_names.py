"""Names of metrics that scikit-learn has too: each means what its scorer of that name means."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, get_scorer, get_scorer_names

import mercer


def table(kind):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(90, 2))
    noisy = x[:, 0] + 0.8 * rng.normal(size=90)
    if kind == "numbers":
        return x, noisy
    if kind == "several numbers":
        return x, np.column_stack([noisy, 100 * x[:, 1] + rng.normal(size=90)])
    if kind == "mostly 1":
        return x, (noisy > -0.7).astype(int)
    if kind == "flags":
        return x, noisy > 0.9
    return x, np.array(["a", "b", "c"])[np.digitize(noisy, [-0.5, 0.6])]


@pytest.mark.parametrize("kind", ["numbers", "several numbers", "mostly 1", "flags", "three classes"])
def test_a_name_that_both_have_means_the_same(kind):
    x, y = table(kind)
    fitted = (
        mercer.MercerRegressor("ridge(lambda=1)", "linear").fit(x, y)
        if "numbers" in kind
        else mercer.MercerClassifier("logistic(lambda=1)", "linear").fit(x, y)
    )
    compared, weights = [], np.linspace(0.5, 2.0, 90)
    for name in get_scorer_names():
        try:
            found = fitted.model_.score(x, y, metric=name)
        except mercer.ExpressionError as error:
            assert "metric" in str(error)
            continue
        if name == "average_precision" and kind == "three classes":
            # scikit-learn ranks by decision values, which are on no common scale; ours by probabilities where there are any.
            by_class = np.eye(3)[np.unique(y, return_inverse=True)[1]]
            expected = average_precision_score(by_class, fitted.predict_proba(x))
            assert abs(found - expected) <= 1e-9
            continue
        try:
            expected = get_scorer(name)(fitted, x, y)
        except ValueError:
            # It is undefined there, such as F1 of more than two classes without an average.
            continue
        assert abs(found - expected) <= 1e-9 * max(1.0, abs(expected)), (name, found, expected)
        if name not in ("neg_median_absolute_error",):
            weighed = fitted.model_.score(x, y, weights, metric=name)
            assert abs(weighed - get_scorer(name)(fitted, x, y, sample_weight=weights)) <= 1e-9 * max(1.0, abs(weighed)), name
        compared.append(name)
    expected = {
        "numbers": {"neg_mean_absolute_error", "neg_median_absolute_error", "neg_root_mean_squared_error", "r2"},
        "mostly 1": {"accuracy", "average_precision", "balanced_accuracy", "f1", "f1_macro", "neg_brier_score", "neg_log_loss", "roc_auc"},
        "three": {"accuracy", "balanced_accuracy", "f1_macro", "neg_log_loss", "neg_brier_score", "roc_auc_ovr"},
    }
    key = {"several numbers": "numbers", "flags": "mostly 1", "three classes": "three"}.get(kind, kind)
    assert expected[key] <= set(compared), compared


def test_names_that_would_mean_something_else_are_refused():
    x, y = table("three classes")
    for name in ("recall_macro", "f1_micro", "roc_auc_ovo", "neg_mean_squared_error"):
        with pytest.raises(mercer.ExpressionError, match="unknown metric"):
            mercer.Learner("svc", metric=name)
