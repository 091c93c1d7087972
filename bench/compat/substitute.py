"""A pytest plugin: classes of Mercer stand in the place of scikit-learn's before its tests are read.

What each test that made one of them came to is written to the file $MERCER_COMPAT as lines of JSON.
"""

import importlib
import json
import os

import mercer
from mercer.scikit._base import KernelEstimator

PLACES = {
    "sklearn.svm": ["SVC", "SVR"],
    "sklearn.kernel_ridge": ["KernelRidge"],
    "sklearn.gaussian_process": ["GaussianProcessRegressor"],
    "sklearn.neighbors": ["KNeighborsClassifier", "KNeighborsRegressor"],
}

touched = set()
now = []


def pytest_configure(config):
    for place, names in PLACES.items():
        module = importlib.import_module(place)
        for name in names:
            setattr(module, name, getattr(mercer, name))

    def noted(cls, *values, **words):
        touched.update(now)
        return object.__new__(cls)

    KernelEstimator.__new__ = noted


def pytest_runtest_logstart(nodeid, location):
    now[:] = [nodeid]


def pytest_runtest_logreport(report):
    if report.when != "call" or report.nodeid not in touched:
        return
    error = "" if report.longrepr is None else str(getattr(report.longrepr, "reprcrash", None) or report.longrepr).strip()
    line = {"test": report.nodeid.rpartition("/")[2], "outcome": report.outcome, "error": error}
    with open(os.environ["MERCER_COMPAT"], "a") as out:
        out.write(json.dumps(line) + "\n")
