"""The arrays of the workloads: made by numpy's default generator with fixed seeds, the same for every library.

Laws as in the public benchmark definitions that bench/README.md names; every function returns training inputs `x`,
targets `y`, new inputs `xt`, and what is known of the truth there (`yt` noisy targets or labels, `ft` the function).
"""

import numpy as np


def two_classes(n, d=30, new=5000, seed=1):
    """Two classes, each a mixture of 4 Gaussians of unit covariance with means from N(0, 0.55^2): they overlap."""
    random = np.random.default_rng(seed)
    means = random.normal(0, 0.55, (2, 4, d))
    label = random.integers(0, 2, n + new)
    part = random.integers(0, 4, n + new)
    x = means[label, part] + random.normal(size=(n + new, d))
    y = 2.0 * label - 1
    return {"x": x[:n], "y": y[:n], "xt": x[n:], "yt": y[n:]}


def friedman(n, d, new=2000, noise=0.1, seed=2):
    """Friedman's first function of five uniform coordinates, the others irrelevant; inputs and target about standardised."""
    random = np.random.default_rng(seed)
    u = random.uniform(0, 1, (n + new, d))
    f = 10 * np.sin(np.pi * u[:, 0] * u[:, 1]) + 20 * (u[:, 2] - 0.5) ** 2 + 10 * u[:, 3] + 5 * u[:, 4]
    f = (f - 14.4) / 5.0
    y = f + noise * random.normal(size=n + new)
    x = (u - 0.5) * np.sqrt(12.0)
    return {"x": x[:n], "y": y[:n], "xt": x[n:], "yt": y[n:], "ft": f[n:]}


def normal(n, d, seed=20):
    """Independent standard normal numbers: for Gram matrices, whose cost does not depend on the law."""
    return {"x": np.random.default_rng(seed).normal(size=(n, d))}


def sparse(n=100_000, each=10, seed=30):
    """A square sparse matrix with `each` numbers a row, in the parts of its compressed rows."""
    random = np.random.default_rng(seed)
    columns = np.sort(random.integers(0, n, (n, each)), axis=1)
    # A column that is drawn twice in a row is taken once.
    keep = np.ones_like(columns, dtype=bool)
    keep[:, 1:] = columns[:, 1:] != columns[:, :-1]
    starts = np.r_[0, np.cumsum(keep.sum(1))]
    return {"indptr": starts, "indices": columns[keep], "data": random.normal(size=int(keep.sum()))}


def texts(n, columns=50_000, each=60, seed=31):
    """Rows like counts of words, scaled to length 1: at most `each` of `columns` numbers, column k drawn about as often as
    1 / (k + 3). The target is linear in them, with noise: about one sign in ten is wrong."""
    random = np.random.default_rng(seed)
    share = 1.0 / (np.arange(columns) + 3.0)
    ends = np.cumsum(share / share.sum())
    truth = random.normal(size=columns) * (random.random(columns) < 0.2)
    parts = {"indices": [], "data": [], "counts": [], "y": []}
    for start in range(0, n, 100_000):
        rows = min(100_000, n - start)
        drawn = np.searchsorted(ends, random.random((rows, each)) * ends[-1]).astype(np.int32)
        drawn.sort(axis=1)
        keep = np.ones_like(drawn, dtype=bool)
        keep[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
        values = np.where(keep, np.log(1 / share[drawn]) * (1 + random.exponential(size=drawn.shape)), 0.0)
        values /= np.sqrt((values**2).sum(axis=1, keepdims=True))
        f = (values * truth[drawn]).sum(axis=1)
        parts["y"].append(f + 0.3 * f.std() * random.normal(size=rows))
        parts["indices"].append(drawn[keep])
        parts["data"].append(values[keep])
        parts["counts"].append(keep.sum(axis=1))
    found = {name: np.concatenate(list_of) for name, list_of in parts.items()}
    starts = np.r_[0, np.cumsum(found["counts"])].astype(np.int32)
    return {"indptr": starts, "indices": found["indices"], "data": found["data"], "y": 5 * found["y"], "columns": columns}
