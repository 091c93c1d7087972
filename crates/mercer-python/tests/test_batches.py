"""Fits to batches of arrays, frames and tables of other packages against fits to all rows at once."""

import warnings

import mercer
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler


def made(rows=900):
    random = np.random.default_rng(0)
    x = random.normal(size=(rows, 3)) + [0.0, 5.0, -2.0]
    return x, np.sin(x[:, 0]) + 0.3 * x[:, 1] + 0.1 * random.normal(size=rows)


def cut(size, *columns):
    """A function that gives batches of so many rows."""
    return lambda: (tuple(column[at : at + size] for column in columns) for at in range(0, len(columns[0]), size))


def fitted(batches, sample=200, kernel="linear", **more):
    return mercer.Learner("ridge(lambda=2)", kernel, sample=sample).fit_batches(batches, tell=False, **more)


def test_batches_of_any_package_are_ridge_of_scikit_learn_on_all_rows(tmp_path):
    x, y = made()
    weights = np.random.default_rng(1).integers(1, 4, len(x)).astype(float)
    scaled = StandardScaler().fit(x, sample_weight=weights)
    expected = Ridge(alpha=2).fit(scaled.transform(x), y, sample_weight=weights).predict(scaled.transform(x))
    np.save(tmp_path / "x.npy", x)
    names = ["a", "b", "c"]
    pandas = pd.DataFrame(x, columns=names)
    polars, arrow = pl.DataFrame(x, schema=names), pa.Table.from_pandas(pandas)

    def records():
        for batch in arrow.append_column("y", pa.array(y)).append_column("w", pa.array(weights)).to_batches(max_chunksize=130):
            yield batch.select(names), batch["y"], batch["w"]

    for rows, batches in [
        (x, cut(130, np.load(tmp_path / "x.npy", mmap_mode="r"), y, weights)),
        (pandas, cut(130, pandas, pd.Series(y), weights)),
        (polars, cut(130, polars, pl.Series(y), pl.Series(weights))),
        (arrow, cut(130, arrow, pa.chunked_array([y]), weights)),
        (arrow, records),
        ({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2]}, list(zip(*[[{n: v[at : at + 90] for n, v in zip(names, x.T)} for at in range(0, 900, 90)]], *[np.split(v, 10) for v in (y, weights)]))),
    ]:
        np.testing.assert_allclose(fitted(batches).predict(rows), expected, atol=1e-12)


def test_labels_and_columns_of_text_are_those_of_the_sample():
    x, y = made(600)
    labels = np.where(y > 1.5, "up", "down")
    frame = pd.DataFrame({"a": x[:, 0], "place": pd.Categorical(np.array(["north", "south", "east"])[np.arange(600) % 3]), "b": x[:, 1]})
    text = pl.from_pandas(frame).cast({"place": pl.String})
    of_pandas, of_polars = (fitted(cut(70, rows, labels), kernel="nystroem(rbf(length_scale=1.5), rank=30)") for rows in (frame, text))
    assert set(of_pandas.predict(frame)) == {"up", "down"} and (of_pandas.predict(frame) == labels).mean() > 0.9
    np.testing.assert_array_equal(of_pandas.predict(frame), of_polars.predict(text))
    # The same rows are sampled whatever the batches, so that nothing changes.
    other = fitted(cut(211, frame, labels), kernel="nystroem(rbf(length_scale=1.5), rank=30)")
    np.testing.assert_array_equal(other.predict(frame), of_pandas.predict(frame))
    assert other.kernel == of_pandas.kernel
    sparse = scipy.sparse.csr_matrix(np.where(np.abs(x) > 1.0, x, 0.0))
    batches = lambda: ((sparse[at : at + 80], y[at : at + 80]) for at in range(0, 600, 80))
    dense = mercer.Learner("ridge(lambda=2)", "linear").fit(sparse, y)
    np.testing.assert_allclose(fitted(batches).predict(sparse), dense.predict(sparse), atol=1e-10)


def test_a_table_in_a_file_and_its_batches_give_one_model(shell, tmp_path):
    if shell is None:
        return
    x, y = made(700)
    pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": y}).to_csv(tmp_path / "t.csv", index=False)
    shell("fit", "t.csv", "--target", "y", "--batches", "--estimator", "ridge(lambda=2)", "--kernel", "rbf(length_scale=1)", "--landmarks", "50", "--sample", "200", "-o", "m.mercer", folder=tmp_path)
    frames = lambda: ((frame[["a", "b"]], frame["y"]) for frame in pd.read_csv(tmp_path / "t.csv", chunksize=60))
    of_file, of_frames = mercer.load(tmp_path / "m.mercer"), fitted(frames, kernel="rbf(length_scale=1)", landmarks=50)
    rows = pd.read_csv(tmp_path / "t.csv")
    np.testing.assert_allclose(of_frames.predict(rows), of_file.predict(rows), atol=1e-8)


def test_what_cannot_be_gone_over_again_or_does_not_fit_is_refused_by_its_batch():
    x, y = made(300)
    with pytest.raises(mercer.DataError, match="can be gone over once; a fit goes over the rows up to three times: give a function"):
        fitted(cut(50, x, y)())
    once = cut(50, x, y)()
    with pytest.raises(mercer.DataError, match="one pass over them has 300 rows and another 0"):
        fitted(lambda: once)
    with pytest.raises(mercer.DataError, match=r"batch 0: found ndarray, expected inputs and target"):
        fitted([x, y])
    with pytest.raises(mercer.DataError, match="batch 1: rows of different numbers: X has 10, y has 9"):
        fitted([(x[:10], y[:10]), (x[10:20], y[10:19])])
    with pytest.raises(mercer.DataError, match="there are no rows"):
        fitted([])
    with pytest.raises(mercer.DataError, match="int, which cannot be iterated"):
        fitted(7)
    with pytest.raises(mercer.ExpressionError, match="does not learn from batches of rows; take one of ridge, logistic, linear_svc, linear_svr"):
        mercer.Learner("svr(c=1)", "linear").fit_batches(cut(50, x, y))
    bad = y.copy()
    bad[170] = np.nan
    for sample in (20, 300):
        with pytest.raises(mercer.DataError, match="batch 3: the target of row 21 .index 20. is NaN"):
            fitted(cut(50, x, bad), sample=sample)

    def broken():
        yield x[:50], y[:50]
        raise OSError("the line is dead")

    with pytest.raises(mercer.DataError, match="batch 1 raised OSError: the line is dead") as raised:
        fitted(broken)
    assert isinstance(raised.value.__cause__, OSError)


def test_progress_is_told_and_ends_a_fit_by_an_exception():
    x, y = made(400)
    seen = []
    fitted(cut(50, x, y), progress=lambda what, done, total: seen.append(what))
    assert {"reading a sample of the rows", "adding up batches"} <= set(seen)

    def enough(what, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fitted(cut(50, x, y), progress=enough)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        mercer.Learner("ridge(lambda=2)", "linear", sample=100).fit_batches(cut(50, x, y))
    assert any("400 rows in 8 batches" in str(one.message) for one in told)
