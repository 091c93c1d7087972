"""`compare(.., workers=N)`: trials in processes of their own."""

import json

import numpy as np
import pytest

import mercer

RNG = np.random.default_rng(7)
WORDS = ["".join(RNG.choice(list("ACGT"), 20)) + ("GATTACA" if i % 2 else "AAGGCCT") for i in range(60)]
LABELS = ["yes" if i % 2 else "no" for i in range(60)]
METHODS = "svc, ridge, knn, baseline"


def without_seconds(value):
    if isinstance(value, dict):
        keep = {k: v for k, v in value.items() if "second" not in k and k not in ("predict_us_per_row", "recommendation")}
        return {k: without_seconds(v) for k, v in keep.items()}
    return [without_seconds(v) for v in value] if isinstance(value, list) else value


def test_processes_give_what_threads_give():
    one, two = (mercer.compare({"letters": WORDS}, LABELS, estimators=METHODS, workers=workers) for workers in (None, 2))
    assert without_seconds(json.loads(one.json())) == without_seconds(json.loads(two.json()))
    assert two.best["metrics"]["accuracy"]["mean"] > 0.8


def test_what_other_processes_do_not_know_is_refused():
    class Mine:
        def fit(self, X, y):
            self.classes_ = sorted(set(y))
            return self

        def predict(self, X):
            return [self.classes_[0]] * len(X)

    x, y = np.arange(20.0).reshape(-1, 1), ["a", "b"] * 10
    with pytest.raises(mercer.errors.DataError, match="other processes do not know Mine"):
        mercer.compare(x, y, estimators=[Mine()], workers=2)
    for count in (0, 5000):
        with pytest.raises(mercer.errors.DataError, match="write a number from 1 to 1024"):
            mercer.compare(x, y, estimators="knn", workers=count)
