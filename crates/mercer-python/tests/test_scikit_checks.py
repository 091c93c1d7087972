"""scikit-learn's own checks of estimators: every class, no failure expected.

Among them: a row of weight 2 is two equal rows. Solutions are equal then, where nothing is taken from the rows as they
stand (gamma="scale", widths that are auto, folds of a search) and the tolerance is small. So the parameters are given for that check.
"""

import pytest

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data, parametrize_with_checks

import mercer

EXACT = {"tol": 1e-10, "tolerance": 1e-10, "gamma": "auto", "dual": "auto", "estimator": {"svc": "svc(c=1, tolerance=1e-10)", "ridge": "ridge(lambda=1)"}}


def exact(name):
    """The estimator with nothing left to be tuned."""
    estimator = getattr(mercer, name)()
    for key, value in estimator.get_params().items():
        given = EXACT.get(key, 1.0 if value == "auto" and key != "algorithm" else value)
        estimator.set_params(**{key: given[value] if isinstance(given, dict) else given})
    if name.startswith("Mercer"):
        return estimator.set_params(kernel="rbf(length_scale=1)")
    return estimator.set_params(kernel="rbf(length_scale=1)") if "gamma" not in estimator.get_params() and getattr(estimator, "kernel", None) == "rbf" else estimator


@parametrize_with_checks([getattr(mercer, name)() for name in mercer.scikit.NAMES])
def test_the_estimator_keeps_the_rules_of_scikit_learn(estimator, check):
    equivalence = "sample_weight_equivalence" in check.func.__name__
    check(exact(type(estimator).__name__) if equivalence else estimator)


@pytest.mark.parametrize("estimator", [mercer.MercerClassifier("svc(c=1, tolerance=1e-10)"), mercer.MercerRegressor("ridge(lambda=1)")])
def test_a_row_of_weight_two_is_two_rows_where_the_width_is_found_too(estimator):
    assert estimator.get_params()["kernel"] is None
    check_sample_weight_equivalence_on_dense_data(type(estimator).__name__, estimator)


@pytest.mark.parametrize("estimator", [mercer.MercerClassifier("svc(c=1, tolerance=1e-10)"), mercer.MercerRegressor("ridge(lambda=1)")])
def test_a_row_of_weight_two_is_two_rows_through_standardising_too(estimator):
    assert estimator.get_params()["standardise"]
    estimator.set_params(kernel="rbf(length_scale=3)")
    check_sample_weight_equivalence_on_dense_data(type(estimator).__name__, estimator)
