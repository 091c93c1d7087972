"""Fits, predictions and scores on collections of Dask, held against scikit-learn on all rows, on every scheduler."""

import contextlib
import logging
import os

import cloudpickle
import dask
import dask.array as da
import dask.dataframe as dd
import joblib
import mercer
import mercer.dask
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

LEARNER = mercer.Learner("ridge(lambda=2)", "linear")


def made(rows=900):
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 4))
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1] ** 2 + 0.1 * random.normal(size=rows)


def blocks(X, y, *, rows=200, columns=3):
    """Blocks that cut rows too, and those of the targets elsewhere."""
    return da.from_array(X, chunks=(rows, columns)), da.from_array(y, chunks=rows + 50)


def test_a_fit_by_blocks_is_ridge_of_scikit_learn_on_all_rows():
    X, y = made()
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    scaled = StandardScaler().fit(X).transform(X)
    expected = Ridge(alpha=2).fit(scaled, y, sample_weight=weights).predict(scaled)
    rows, targets = blocks(X, y)
    model = mercer.dask.fit(LEARNER, rows, targets)
    np.testing.assert_allclose(model.predict(X), Ridge(alpha=2).fit(scaled, y).predict(scaled), atol=1e-12)
    weighted = mercer.dask.fit(mercer.Learner("ridge(lambda=2)", "linear", standardise=False), da.from_array(scaled, chunks=200), y_of(y), y_of(weights))
    np.testing.assert_allclose(weighted.predict(scaled), expected, atol=1e-12)
    lazy = mercer.dask.predict(model, rows)
    assert lazy.chunks == (rows.chunks[0],)
    np.testing.assert_array_equal(lazy.compute(), model.predict(X))
    assert mercer.dask.score(weighted, da.from_array(scaled, chunks=200), y_of(y), y_of(weights)) == pytest.approx(
        r2_score(y, expected, sample_weight=weights), abs=1e-12
    )


def test_an_estimator_of_several_passes_is_logistic_regression_of_scikit_learn():
    X, y = made()
    labels = np.where(y > 0.3, "high", "low")
    scaled = StandardScaler().fit(X).transform(X)
    expected = LogisticRegression(C=0.5, solver="newton-cholesky", tol=1e-12).fit(scaled, labels).predict_proba(scaled)
    rows, targets = blocks(X, labels)
    model = mercer.dask.fit(mercer.Learner("logistic(lambda=2)", "linear"), rows, targets)
    np.testing.assert_allclose(mercer.dask.predict(model, rows, "predict_proba").compute(), expected, atol=1e-4)  # of a relative duality gap of 1e-8


def y_of(y):
    return da.from_array(y, chunks=200)


def test_frames_keep_their_index_and_labels_their_names():
    X, y = made()
    frame = pd.DataFrame(X, columns=list("abcd")).assign(word=np.where(X[:, 2] > 0, "u", "v"))
    frame.index += 10_000
    labels = pd.Series(np.where(y > 0.3, "high", "low"), index=frame.index)
    rows, targets = dd.from_pandas(frame, npartitions=5), dd.from_pandas(labels, npartitions=5)
    model = mercer.dask.fit(mercer.Learner("ridge", "rbf"), rows, targets, sample=300, landmarks=50)
    predicted = mercer.dask.predict(model, rows)
    assert predicted.npartitions == 5
    predicted = predicted.compute()
    assert predicted.index.equals(frame.index) and set(predicted) == {"high", "low"}
    assert accuracy_score(labels, predicted) > 0.9
    assert mercer.dask.score(model, rows, targets) == pytest.approx(accuracy_score(labels, predicted))
    decided = mercer.dask.predict(model, rows, "decision_function").compute()
    np.testing.assert_array_equal(decided, model.decision_function(frame))


def test_every_scheduler_gives_the_same_bits_and_grids_run_on_the_workers():
    X, y = made()
    rows, targets = blocks(X, y)

    def fit():
        return mercer.dask.fit(mercer.Learner("ridge(lambda=0.1)", "rbf"), rows, targets, sample=400, landmarks=60)

    with dask.config.set(scheduler="synchronous"):
        alone = fit()
    assert fit().to_bytes() == alone.to_bytes()
    grid = GridSearchCV(mercer.SVR(), {"C": [0.1, 1.0, 10.0]}, cv=3)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        assert fit().to_bytes() == alone.to_bytes()
        with joblib.parallel_backend("dask"):
            on_workers = grid.fit(X, y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(on_workers, grid.fit(X, y).cv_results_["mean_test_score"])


def dies_once(block, folder, block_info=None):
    """The block; ends the process of the worker that asks for the third block first, and the one that asks for the second again."""
    number = block_info[0]["chunk-location"][0]
    asked = [folder / f"{number}-{i}" for i in range(3)]
    for i, mark in enumerate(asked):
        with contextlib.suppress(FileExistsError):
            mark.touch(exist_ok=False)
            if (number, i) in ((2, 0), (1, 1)):
                os._exit(1)
            break
    return block


def test_a_worker_that_dies_while_it_draws_or_adds_changes_nothing(tmp_path):
    X, y = made()
    rows, targets = da.from_array(X, chunks=(200, 4)), y_of(y)

    def fit(rows):
        return mercer.dask.fit(mercer.Learner("ridge(lambda=0.1)", "rbf"), rows, targets, sample=400, landmarks=60)

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL) as cluster, Client(cluster):
        model = fit(rows.map_blocks(dies_once, folder=tmp_path, dtype=float, meta=X[:0]))
    assert (tmp_path / "2-1").exists() and (tmp_path / "1-2").exists()
    assert model.to_bytes() == fit(rows).to_bytes()


def test_a_graph_holds_no_rows():
    rows = da.random.default_rng(0).normal(size=(200_000, 10), chunks=(20_000, 10))
    model = mercer.dask.fit(LEARNER, rows[:2000], rows[:2000, 0])
    assert rows.nbytes > 100 * len(cloudpickle.dumps(mercer.dask.predict(model, rows).dask))


def test_what_does_not_fit_is_refused_before_a_fit():
    X, y = made()
    rows, targets = blocks(X, y)
    with pytest.raises(mercer.DataError, match="no collection of Dask"):
        mercer.dask.fit(LEARNER, X, targets)
    with pytest.raises(mercer.DataError, match="dask.array.from_array"):
        mercer.dask.fit(LEARNER, rows, y)
    with pytest.raises(mercer.DataError, match="5 and 2 blocks"):
        mercer.dask.fit(LEARNER, rows, da.from_array(y[:400], chunks=200))
    with pytest.raises(mercer.ExpressionError, match="does not learn from batches of rows"):
        mercer.dask.fit(mercer.Learner("knn"), rows, targets)
