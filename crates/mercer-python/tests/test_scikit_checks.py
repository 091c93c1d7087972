"""scikit-learn's own checks of estimators: every class, no failure expected.

Among them: a row of weight 2 is two equal rows. Solutions are equal then; solvers come near them by their tolerance, and
gamma="scale" is that of the rows as they stand, as in scikit-learn. Both are given here where a class has them.
"""

import pytest

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer

EXACT = {"tol": 1e-10, "tolerance": 1e-10, "gamma": "auto"}


def exact(name):
    estimator = getattr(mercer, name)()
    return estimator.set_params(**{key: value for key, value in EXACT.items() if key in estimator.get_params()})


@parametrize_with_checks([exact(name) for name in ["SVC"]])
def test_the_estimator_keeps_the_rules_of_scikit_learn(estimator, check):
    check(estimator)
