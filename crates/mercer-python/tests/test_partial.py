"""Sums over batches of rows: pickled, merged, and refused where they do not fit."""

import pickle

import mercer
import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler


def made(rows=900):
    random = np.random.default_rng(0)
    x = random.normal(size=(rows, 4))
    return x, np.sin(x[:, 0]) + 0.3 * x[:, 1] ** 2 + 0.1 * random.normal(size=rows)


def begun(x, y, estimator="ridge(lambda=2)", kernel="linear"):
    model = mercer.Learner(estimator, kernel).fit(x, y)
    return mercer.Partial(model, x, y)


def test_sums_over_batches_are_ridge_of_scikit_learn_on_all_rows():
    x, y = made()
    scaled = StandardScaler().fit(x)
    weights = np.random.default_rng(1).integers(0, 3, len(x)).astype(float)
    partial = begun(x, y)
    for number, rows in enumerate(np.array_split(np.arange(len(x)), 7)):
        partial.add(number, x[rows], y[rows], weights[rows])
    expected = Ridge(alpha=2).fit(scaled.transform(x), y, sample_weight=weights).predict(scaled.transform(x))
    np.testing.assert_allclose(partial.finish().predict(x), expected, atol=1e-12)
    assert partial.rows == np.count_nonzero(weights) and partial.batches == list(range(7))


def test_workers_in_any_order_give_the_same_bits():
    x, y = made()
    labels = np.where(y > 0.3, "up", "down")
    start = begun(x, labels, kernel="nystroem(rbf(length_scale=2), rank=30)")
    parts = np.array_split(np.arange(len(x)), 5)

    def worker(numbers):
        own = pickle.loads(pickle.dumps(start))
        for number in numbers:
            own.add(number, x[parts[number]], labels[parts[number]])
        return pickle.dumps(own)

    one = pickle.loads(worker([0, 1, 2, 3, 4]))
    merged = pickle.loads(worker([3, 0]))
    for sent in (worker([4]), worker([2, 1])):
        merged.merge(pickle.loads(sent))
    assert merged.to_bytes() == one.to_bytes()
    assert merged.finish().to_bytes() == one.finish().to_bytes()
    with pytest.raises(mercer.DataError, match="batch 2 was added before"):
        merged.merge(pickle.loads(worker([2])))
    assert "900 rows in 5 batches" in repr(merged)
    assert set(merged.finish().predict(x)) == {"up", "down"}
    assert (merged.finish().predict(x) == labels).mean() > 0.9


def test_what_does_not_fit_is_refused_by_name():
    x, y = made(60)
    with pytest.raises(mercer.ExpressionError, match="none written out"):
        begun(x, y, kernel="rbf(length_scale=1)")
    with pytest.raises(mercer.ExpressionError, match="take one of ridge, logistic, linear_svc, linear_svr"):
        begun(x, y, estimator="svr(c=1)")
    partial = begun(x, y)
    with pytest.raises(mercer.DataError, match="no batch"):
        partial.finish()
    with pytest.raises(mercer.DataError, match="batch 3: the target of row 2"):
        partial.add(3, x[:2], [1.0, np.nan])
    with pytest.raises(mercer.ModelFileError, match="sums over batches"):
        mercer.Partial.from_bytes(partial.to_bytes()[:-3])
    labels = np.where(y > 0.3, "up", "down")
    classes = begun(x, labels)
    with pytest.raises(mercer.DataError, match="sideways"):
        classes.add(0, x[:2], ["up", "sideways"])
    assert partial.batches == [] and classes.batches == []
