"""scikit-learn's own checks of estimators: every public class at its defaults, and the exceptions by name.

An exception is about weights: a row of weight 2 is two equal rows, wherever nothing is taken from the rows as they stand and the fit is
exact. It is held as well, with parameters that leave nothing to be taken or tuned.
"""

import inspect

import pytest

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

import mercer

EXACT = {"calibrated": False, "code": "auto", "nu": 0.3, "tol": 1e-10, "tolerance": 1e-10, "gamma": "auto", "dual": "auto", "estimator": {"svc": "svc(c=1, tolerance=1e-10)", "ridge": "ridge(lambda=1)"}}

#: Why a fit with weights is not that with copies of the rows, at the defaults of a class.
TOLERANCE = "two fits at the default tolerance are compared to seven digits; scikit-learn's own class fails too"
TUNED = "what is tuned by leave-one-out or by evidence looks at equal rows once, so that copies do not vouch for each other"
CALIBRATED = "the predicted class is the one of the greatest calibrated probability, which need not be that of the greatest score"
INFEASIBLE = "a class has too few rows for nu=0.5; scikit-learn's own class fails too"
DENSE, SPARSE = (f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))
EXCEPTIONS = {
    **{name: {DENSE: TOLERANCE, SPARSE: TOLERANCE} for name in ("LinearSVC", "LinearSVR", "MultipleInstanceSVC", "NuSVR", "OneClassSVM", "SVC", "SVR")},
    "NuSVC": {"check_class_weight_classifiers": INFEASIBLE, DENSE: INFEASIBLE, SPARSE: INFEASIBLE},
    **{
        name: {DENSE: TUNED, SPARSE: TUNED}
        for name in (
            "L2VectorClassifier",
            "L2VectorRegressor",
            "RBFNetworkClassifier",
            "RBFNetworkRegressor",
        )
    },
    "MercerClassifier": {SPARSE: TOLERANCE},
    "L1VectorClassifier": {DENSE: TOLERANCE},
    "KernelDiscriminantAnalysis": {"check_classifiers_train": CALIBRATED},
    "GridSearchCV": {
        "check_classifiers_one_label_sample_weights": "where every fit fails the search raises scikit-learn's own message, which names no class"
    },
}


def made(name):
    """An estimator at its defaults; a search needs an estimator and a grid."""
    return mercer.GridSearchCV(mercer.SVC(), {"C": [1.0, 10.0]}) if name == "GridSearchCV" else getattr(mercer, name)()


def exact(name):
    """The estimator with nothing left to be tuned."""
    estimator = made(name)
    for key, value in estimator.get_params(deep=False).items():
        given = EXACT.get(key, 1.0 if value == "auto" and key not in ("algorithm", "eigen_tol") else value)
        estimator.set_params(**{key: given[value] if isinstance(given, dict) else given})
    if name == "MultipleInstanceSVC":
        return estimator.set_params(kernel="set_mean(rbf(length_scale=1))")
    if name.startswith("Mercer"):
        return estimator.set_params(kernel="rbf(length_scale=1)")
    return estimator.set_params(kernel="rbf(length_scale=1)") if "gamma" not in estimator.get_params() and getattr(estimator, "kernel", None) == "rbf" else estimator


PUBLIC = [made(name) for name in (*mercer.scikit.NAMES, *mercer.scikit.SEARCHES)]
#: An exception that is none any more is an error, where scikit-learn can say so.
STRICT = {name: True for name in inspect.signature(parametrize_with_checks).parameters if name.endswith("_strict")}


@parametrize_with_checks(PUBLIC, expected_failed_checks=lambda estimator: EXCEPTIONS.get(type(estimator).__name__, {}), **STRICT)
def test_the_estimator_keeps_the_rules_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", [name for name, exceptions in EXCEPTIONS.items() if DENSE in exceptions or SPARSE in exceptions])
@pytest.mark.parametrize("check", [check_sample_weight_equivalence_on_dense_data, check_sample_weight_equivalence_on_sparse_data], ids=["dense", "sparse"])
def test_weights_are_copies_where_nothing_is_tuned(name, check):
    check(name, exact(name))


@pytest.mark.parametrize("estimator", [mercer.MercerClassifier("svc(c=1, tolerance=1e-10)"), mercer.MercerRegressor("ridge(lambda=1)")])
def test_a_row_of_weight_two_is_two_rows_where_the_width_is_found_too(estimator):
    assert estimator.get_params()["kernel"] is None
    check_sample_weight_equivalence_on_dense_data(type(estimator).__name__, estimator)


@pytest.mark.parametrize("estimator", [mercer.MercerClassifier("svc(c=1, tolerance=1e-10)"), mercer.MercerRegressor("ridge(lambda=1)")])
def test_a_row_of_weight_two_is_two_rows_through_standardising_too(estimator):
    assert estimator.get_params()["standardise"]
    estimator.set_params(kernel="rbf(length_scale=3)")
    check_sample_weight_equivalence_on_dense_data(type(estimator).__name__, estimator)
