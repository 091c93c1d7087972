"""Fits, predictions and scores on arrays and dataframes of Dask, block by block: ``pip install mercer[dask]``.

A random sample of the rows settles columns, landmarks and parameters. Then every block adds its rows to sums of its own where it lies
(`mercer.Partial`), and the sums are merged in a tree: the model has the same bits whatever the scheduler, the workers and the order.

    import dask.array as da
    import mercer, mercer.dask

    model = mercer.dask.fit(mercer.Learner("ridge", "rbf"), X, y)
    predicted = mercer.dask.predict(model, X_new)          # lazy, in the blocks of X_new
"""

import warnings
from collections.abc import Callable, Sequence
from functools import partial as _partial
from typing import Any
from uuid import uuid4

import numpy as np
from dask.base import is_dask_collection
from dask.delayed import delayed

from ._native import Learner, Model, Partial
from .errors import DataError, MercerWarning

__all__ = ["fit", "predict", "score"]


def fit(
    learner: Learner,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    sample: int = 5_000,
    landmarks: int = 1_000,
    seed: int = 0,
) -> Model:
    """The model of all rows.

    Parameters
    ----------
    learner : Learner
        Of an estimator that learns from sums over rows: see `mercer.Partial`.
    X : dask array (N x D) or dask dataframe
        The rows, in blocks that each fit in the memory of a worker.
    y : dask array or series
        Their numbers or labels, in the same blocks.
    sample_weight : dask array or series, optional
        2 means that the row counts twice, 0 that it is absent.
    sample : int
        Rows of the sample, at most.
    landmarks : int
        Rows of it through which a kernel goes that has no features of its own, at most.
    seed : int
        Of the sample.

    Returns
    -------
    Model
        A model that keeps no training row.

    Raises
    ------
    DataError
        Collections whose blocks differ; a label that the sample lacks; what a fit or a batch refuses.
    ExpressionError
        An estimator that does not learn from sums over rows.

    Examples
    --------
    >>> import dask.array as da, mercer, mercer.dask, numpy as np
    >>> X = da.from_array(np.linspace(0, 1, 1000)[:, None], chunks=(100, 1))
    >>> model = mercer.dask.fit(mercer.Learner("ridge(lambda=0.1)", "linear"), X, 3 * X[:, 0])
    >>> round(mercer.dask.score(model, X, 3 * X[:, 0]), 3)
    1.0
    """
    blocks = _blocks(X, y, sample_weight)
    drawn = _each("sample", _partial(_drawn, sample, seed), blocks)
    count, _, *rows = _tree("sample-merge", _partial(_smallest, sample), drawn).compute()
    model = learner.fit_batches([rows], landmarks=landmarks, tell=False)
    # Made where it is used: the graph holds the model and the sample, not the sums.
    after = delayed(Partial)(model, *rows[:2], rows=count)
    while True:
        after = delayed(_next)(_tree("merge", _merged, _each("add", _added, blocks, after))).compute()
        if isinstance(after, Model):
            return after
        after = delayed(after)


def predict(model: Model, X: Any, method: str = "predict", **arguments: Any) -> Any:
    """Predictions in the blocks of the rows, computed when they are asked for.

    Parameters
    ----------
    model : Model
        Any model.
    X : dask array (N x D) or dask dataframe
        New rows.
    method : str
        The method of the model: ``predict``, ``predict_proba``, ``decision_function``, ``transform``, ...
    **arguments
        Of that method.

    Returns
    -------
    dask array, series or dataframe
        As the rows are: an array for an array; for a dataframe a series or a dataframe with its index.
    """
    if not is_dask_collection(X):
        raise DataError("these rows are no collection of Dask; Model.predict takes them as they are")
    of_block = _partial(_predicted, method, arguments)
    held = delayed(model)
    if hasattr(X, "map_partitions"):
        with warnings.catch_warnings():  # of made-up rows
            warnings.simplefilter("ignore", MercerWarning)
            like = of_block(X._meta_nonempty, model)
        return X.map_partitions(of_block, model=held, meta=like.iloc[:0])
    X = _with_whole_rows(X)
    like = of_block(np.zeros((1, X.shape[1]), X.dtype), model)
    chunks = {"drop_axis": 1} if like.ndim == 1 else {"chunks": (X.chunks[0], like.shape[1:])}
    return X.map_blocks(of_block, model=held, dtype=like.dtype, meta=like[:0], **chunks)


def score(model: Model, X: Any, y: Any, sample_weight: Any = None) -> float:
    """R^2 of numbers, accuracy of labels, as `Model.score`: one pass over the blocks.

    Parameters
    ----------
    model : Model
        A regressor or a classifier.
    X, y, sample_weight
        As in `fit`.
    """
    parts = _each("score", _scored, _blocks(X, y, sample_weight), delayed(model))
    weight, _, spread, loss = _tree("score-merge", _pooled, parts).compute()
    if model.classes is not None:
        return float(1 - loss / weight)
    return float(1 - loss / spread)


def _with_whole_rows(X: Any) -> Any:
    """An array whose blocks hold whole rows."""
    return X.rechunk({1: -1}) if X.ndim == 2 and X.numblocks[1] > 1 else X


def _blocks(X: Any, *others: Any) -> list[list[Any]]:
    """The parts of each block, delayed, as rows, targets and weights."""
    if not is_dask_collection(X):
        raise DataError("these rows are no collection of Dask; Learner.fit takes them as they are")
    parts = [_with_whole_rows(X) if hasattr(X, "numblocks") else X]
    for other in others:
        if other is None:
            continue
        if not is_dask_collection(other):
            raise DataError("targets and weights must be collections of Dask, in the blocks of the rows: see dask.array.from_array")
        known = hasattr(parts[0], "chunks") and hasattr(other, "chunks") and not np.isnan(sum(parts[0].chunks[0]))
        parts.append(other.rechunk({0: parts[0].chunks[0]}) if known and len(other) == len(parts[0]) else other)
    delayed_parts = [np.ravel(part.to_delayed()).tolist() for part in parts]
    if len({len(blocks) for blocks in delayed_parts}) > 1:
        counts = " and ".join(str(len(blocks)) for blocks in delayed_parts)
        raise DataError(f"rows, targets and weights are in {counts} blocks; give them the same ones, by rechunk or repartition")
    return [list(block) for block in zip(*delayed_parts)]


def _each(what: str, function: Callable[..., Any], blocks: list[list[Any]], *before: Any) -> list[Any]:
    """A function of the number and the parts of each block, delayed under a name that a dashboard shows."""
    once = uuid4().hex[:8]
    return [
        delayed(function)(*before, number, *block, dask_key_name=f"mercer-{what}-{once}-{number}") for number, block in enumerate(blocks)
    ]


def _tree(what: str, merge: Callable[..., Any], parts: list[Any]) -> Any:
    """All parts merged, some at a time."""
    fan_in, level = 8, 0
    once = uuid4().hex[:8]
    while len(parts) > 1 or level == 0:
        some = [parts[i : i + fan_in] for i in range(0, len(parts), fan_in)]
        parts = [delayed(merge)(*group, dask_key_name=f"mercer-{what}-{once}-{level}-{i}") for i, group in enumerate(some)]
        level += 1
    return parts[0]


def _taken(part: Any, rows: Any) -> Any:
    return part.iloc[rows] if hasattr(part, "iloc") else np.asarray(part)[rows]


def _drawn(sample: int, seed: int, number: int, *block: Any) -> tuple[Any, ...]:
    """The length of a block, the smallest of its random keys, and its rows of these, which may be in the sample."""
    keys = np.random.default_rng([seed, number]).random(len(block[0]))
    rows = np.argsort(keys)[:sample]
    return (len(keys), keys[rows], *(_taken(part, rows) for part in block))


def _smallest(sample: int, *drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """The rows with the smallest keys of all."""
    counts, keys, *parts = zip(*drawn)
    order = np.argsort(np.concatenate(keys), kind="stable")[:sample]
    return (sum(counts), np.concatenate(keys)[order], *(_taken(_stacked(part), order) for part in parts))


def _stacked(parts: Sequence[Any]) -> Any:
    if hasattr(parts[0], "iloc"):
        import pandas as pd

        return pd.concat(parts)
    return np.concatenate(parts)


def _added(start: Partial, number: int, *block: Any) -> Partial:
    own = Partial.from_bytes(start.to_bytes())
    if len(block[0]) > 0:
        own.add(number, *block, threads=1)
    return own


def _next(total: Partial) -> Partial | Model:
    return total.next()


def _merged(first: Partial, *others: Partial) -> Partial:
    total = Partial.from_bytes(first.to_bytes())
    for other in others:
        total.merge(other)
    return total


def _predicted(method: str, arguments: dict[str, Any], rows: Any, model: Model) -> Any:
    found = getattr(model, method)(rows, **arguments)
    if not hasattr(rows, "iloc"):
        return np.asarray(found)
    import pandas as pd

    found = np.asarray(found)
    return pd.Series(found, rows.index) if found.ndim == 1 else pd.DataFrame(found, rows.index)


def _scored(model: Model, _: int, X: Any, y: Any, weights: Any = None) -> tuple[float, float, float, float]:
    """Sum of weights, mean of targets, their squares about it, and the loss of the predictions: squares, or wrong labels."""
    y = np.asarray(y)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, float)
    total = w.sum()
    if total == 0:
        return 0.0, 0.0, 0.0, 0.0
    predicted = np.asarray(model.predict(X))
    if model.classes is not None:
        return total, 0.0, 0.0, (w * (predicted != y)).sum()
    mean = (w * y).sum() / total
    return total, mean, (w * (y - mean) ** 2).sum(), (w * (y - predicted) ** 2).sum()


def _pooled(*parts: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    weight, mean, spread, loss = 0.0, 0.0, 0.0, 0.0
    for w, its, square, lost in parts:
        both = weight + w
        if w > 0:
            spread += square + (its - mean) ** 2 * weight * w / both
            mean, weight = mean + (its - mean) * w / both, both
        loss += lost
    return weight, mean, spread, loss
