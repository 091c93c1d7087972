"""Dual objectives on ten real sets, held against LIBSVM's at its own optimum."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

import libsvm_sets
from libsvm_sets import SETS, dual, rows

from mercer import SVC

#: The dual objective of LIBSVM at the settings of SETS: sklearn.svm.SVC of scikit-learn 1.9, which is LIBSVM, with tol=1e-8.
LIBSVM = {
    "a1a": 675.0921737679103,
    "a9a": 11596.356873572633,
    "svmguide1": 2769.049502668292,
    "svmguide3": 54052.73694343082,
    "splice": 492.9353217019313,
    "ionosphere": 398.0750013057808,
    "german": 588.2843998994721,
    "usps": 1608.3576997854282,
    "letter": 110238.16316166919,
    "shuttle": 36679.858137615054,
}


def solved(name, tol):
    found = rows(name)
    if found is None:
        pytest.skip(f"{libsvm_sets.DATA} is not there")
    c, gamma = SETS[name]
    model = SVC(C=c, gamma=gamma, tol=tol).fit(*found)
    assert model.fit_status_ == 0
    return dual(model.support_vectors_, np.asarray(model.dual_coef_).ravel(), gamma), model


@pytest.mark.parametrize("name", SETS)
def test_objectives_are_those_of_libsvm(name):
    loose, _ = solved(name, 1e-3)
    tight, model = solved(name, 1e-6)
    assert loose == pytest.approx(LIBSVM[name], rel=1e-4)
    assert tight == pytest.approx(LIBSVM[name], rel=1e-7)
    assert model.certificate_["value"] <= 1e-6


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_very_large_penalty_comes_to_an_end(kernel):
    found = rows("svmguide1")
    if found is None:
        pytest.skip(f"{libsvm_sets.DATA} is not there")
    X, y = found
    model = SVC(C=2.0**15, gamma=8.0, kernel=kernel).fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    assert model.fit_status_ == 0 and model.n_iter_[0] < 1_000_000
