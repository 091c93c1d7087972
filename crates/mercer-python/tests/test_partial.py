"""Sums over batches of rows: pickled, merged, and refused where they do not fit."""

import pickle

import mercer
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC, LinearSVR


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


def passes(start, batches, pickled=False):
    after = start
    while isinstance(after, mercer.Partial):
        for number, batch in enumerate(batches):
            after.add(number, *batch)
        after = after.next()
        if pickled and isinstance(after, mercer.Partial):
            after = pickle.loads(pickle.dumps(after))
    return after


def test_passes_over_batches_are_the_linear_models_of_scikit_learn():
    x, y = made(400)
    scaled = StandardScaler().fit_transform(x)
    labels = np.select([y < -0.3, y < 0.4], ["low", "middle"], "high")
    weights = np.random.default_rng(1).integers(0, 3, len(x)).astype(float)
    parts = np.array_split(np.arange(len(x)), 4)
    batches = [(x[rows], labels[rows], weights[rows]) for rows in parts]
    start = begun(x, labels, estimator="logistic(lambda=0.5)")
    model = passes(start, batches, pickled=True)
    assert model.summary["converged"] and model.to_bytes() == passes(begun(x, labels, estimator="logistic(lambda=0.5)"), batches).to_bytes()
    of_sklearn = LogisticRegression(C=2, tol=1e-12, max_iter=10_000).fit(scaled, labels, sample_weight=weights)
    order = [list(of_sklearn.classes_).index(name) for name in model.classes]
    np.testing.assert_allclose(model.predict_proba(x), of_sklearn.predict_proba(scaled)[:, order], atol=1e-4)
    assert set(model.predict(x)) == {"low", "middle", "high"}
    svc = passes(begun(x, labels, estimator="linear_svc(c=0.5)"), batches)
    expected = LinearSVC(C=0.5, dual=False, tol=1e-10).fit(scaled, labels, sample_weight=weights).decision_function(scaled)
    np.testing.assert_allclose(svc.decision_function(x), expected[:, order], atol=1e-3)
    svr = "linear_svr(c=0.5, epsilon=0.1, loss=squared_epsilon_insensitive, standardise_target=false)"
    numbers = [(x[rows], y[rows], weights[rows]) for rows in parts]
    of_sklearn = LinearSVR(C=0.5, epsilon=0.1, loss="squared_epsilon_insensitive", dual=False, tol=1e-10, max_iter=10_000)
    expected = of_sklearn.fit(scaled, y, sample_weight=weights).predict(scaled)
    np.testing.assert_allclose(passes(begun(x, y, estimator=svr), numbers).predict(x), expected, atol=1e-3)


def test_sums_of_another_pass_are_refused():
    x, y = made(60)
    labels = np.where(y > 0.3, "up", "down")
    first = begun(x, labels, estimator="logistic(lambda=1)")
    with pytest.raises(mercer.DataError, match="no batch"):
        first.next()
    first.add(0, x, labels)
    with pytest.raises(mercer.DataError, match="several passes"):
        first.finish()
    second = first.next()
    assert (first.pass_number, second.pass_number, second.rows) == (1, 2, 0)
    with pytest.raises(mercer.DataError, match="of pass 1 and those of pass 2"):
        second.merge(first)
    with pytest.raises(mercer.DataError, match="batch 5 was not in the passes before"):
        second.add(5, x, labels)
    with pytest.raises(mercer.DataError, match="0 of 1 batches"):
        second.next()
    second.add(0, x, labels)
    best = second.next().finish()
    assert not best.summary["converged"] and "2 passes" in best.summary["notes"][0]


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
