"""Kernels written in Python: functions of two batches in expressions, searches, comparisons, files and pickles."""

import pickle
import subprocess
import sys
import traceback

import numpy as np
import pytest

import mercer
from mercer import kernels


def triangle(X, Z, width=4.0):
    """Triangles in every direction: max(0, 1 - |x - z| / width), multiplied over the columns."""
    distance = np.abs(X[:, None, :] - Z[None, :, :])
    return np.maximum(0, 1 - distance / width).prod(axis=2)


def squares(X, Z):
    return (X @ Z.T) ** 2


def shared_words(X, Z, power=1):
    return np.array([[float(len(set(x.split()) & set(z.split())) ** power) for z in Z] for x in X])


def lengths(X, Z):
    return np.array([[float(len(x) * len(z)) for z in Z] for x in X])


@pytest.fixture(autouse=True)
def registered():
    # Not when the file is read: other tests look at the catalogue then.
    kernels.register(triangle, mercer=True)


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 2))
    return x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=60)


def test_a_function_stands_in_expressions_sums_and_products():
    x = np.array([[0.0], [1.0], [3.0]])
    # By hand: max(0, 1 - |x - z| / 2).
    expected = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(mercer.Kernel("triangle(width=2)")(x), expected)
    linear = x @ x.T
    two = kernels.triangle(width=2)
    for made, value in [
        ("2*triangle(width=2) + linear", 2 * expected + linear),
        (two + kernels.linear(), expected + linear),
        (kernels.linear() * two, linear * expected),
        (two**2, expected**2),
        ("normalise(triangle(width=2) + 1)", (expected + 1) / 2),
        ("on(x0, triangle(width=2))", expected),
    ]:
        np.testing.assert_allclose(mercer.Kernel(made)(x), value, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(two(x[:1], x), expected[:1])
    np.testing.assert_array_equal(two.diag(x), np.ones(3))
    # The function itself, at its defaults.
    assert str(mercer.Kernel(triangle)) == "triangle" and str(kernels.rbf() + triangle) == "rbf + triangle"
    assert str(2 * kernels.triangle(width=(1, 8))) == "2*triangle(width=1..8)"
    assert triangle(x, x).shape == (3, 3)
    assert "Triangles in every direction" in kernels.triangle.__doc__.replace("triangles", "Triangles")


def test_models_are_those_of_the_same_kernel_given_as_a_function(rows):
    x, y = rows
    model = mercer.Learner("ridge(lambda=0.1)", "triangle(width=3)", standardise=False).fit(x, y)
    sklearn = mercer.KernelRidge(alpha=0.1, kernel=triangle, kernel_params={"width": 3.0}, fit_intercept=True).fit(x, y)
    np.testing.assert_allclose(model.predict(x), sklearn.predict(x), rtol=0, atol=1e-9)
    labels = np.where(y > 0, "up", "down")
    by_text = mercer.SVC(kernel="triangle(width=3)").fit(x, labels)
    by_function = mercer.SVC(kernel=lambda X, Z: triangle(X, Z, 3.0)).fit(x, labels)
    np.testing.assert_allclose(by_text.decision_function(x), by_function.decision_function(x), rtol=0, atol=1e-3)
    # A Gaussian process asks for k(x, x) of new rows too.
    gp = mercer.Learner("gp(noise=0.1, variance=1, standardise_target=false)", "triangle(width=3)", standardise=False).fit(x, y)
    _, std = gp.predict(np.full((1, 2), 100.0), std=True)
    np.testing.assert_allclose(std, np.sqrt(1.1), rtol=1e-9)


def test_its_parameters_are_searched_and_it_is_compared(rows):
    x, y = rows
    model = mercer.Learner("ridge(lambda=0.1)", "triangle(width=0.1..20)").fit(x, y)
    assert 0.5 < model.kernel.parameters["triangle.width"] < 20
    assert mercer.Learner("ridge(lambda=0.1)", "triangle(width=auto)").fit(x, y).kernel.parameters["triangle.width"] != 4.0
    kernels.register("ranged", lambda X, Z, width=1.0: triangle(X, Z, width), parameters={"width": (0.1, 20.0)}, mercer=True)
    ranged = mercer.Learner("ridge(lambda=0.1)", "ranged").fit(x, y)
    assert abs(ranged.kernel.parameters["ranged.width"] - model.kernel.parameters["triangle.width"]) < 1e-9
    found = mercer.compare(x, y, kernel="triangle(width=3) + linear", estimators="ridge(lambda=0.1), baseline")
    assert found.best["estimator"] == "ridge(lambda=0.1)"
    few = mercer.Learner("ridge(lambda=0.1)", "nystroem(triangle(width=3), rank=20)").fit(x, y)
    assert few.score(x, y) > 0.8


def test_parameters_come_as_they_were_declared():
    seen = []

    def noted(X, Z, degree=2, scale=1.5, flat=False, shape=("a", "b")):
        seen.append((degree, scale, flat, shape))
        return np.ones((len(X), len(Z)))

    kernels.register("noted", noted, parameters={"degree": 2, "scale": 1.5, "flat": False, "shape": ["soft", "hard"]})
    assert mercer.Kernel("noted")([[0.0]]).shape == (1, 1)
    mercer.Kernel("noted(degree=3, scale=2, flat=true, shape=hard)")([[0.0]])
    assert seen[0] == (2, 1.5, False, "soft") and seen[-1] == (3, 2.0, True, "hard")
    assert isinstance(seen[-1][0], int) and isinstance(seen[-1][1], float)
    for wrong, why in [("degree=2.5", "whole number"), ("flat=3", "true or false"), ("shape=other", "one of soft, hard"), ("width=1", "unknown parameter")]:
        with pytest.raises(mercer.ExpressionError, match=why):
            mercer.Kernel(f"noted({wrong})")


def test_other_columns_come_as_cells():
    kernels.register(shared_words, inputs="text", mercer=True)
    texts = ["the cat sat", "a dog ran", "the cat ran", "a dog sat"] * 8
    target = ["cat", "dog"] * 16
    np.testing.assert_array_equal(mercer.Kernel("shared_words(power=2)")(texts[:2]), [[9.0, 0.0], [0.0, 9.0]])
    data = mercer.Dataset({"said": texts, "n": np.arange(32.0)}, types={"said": "text"})
    model = mercer.Learner("svc(c=1)", "shared_words + linear").fit(data, target)
    assert (model.predict(data) == target).all()
    kernels.register(lengths, inputs="series")
    series = [np.arange(float(n)) for n in (2, 3, 5)]
    np.testing.assert_array_equal(mercer.Kernel("lengths")(series), np.outer([2, 3, 5], [2, 3, 5]))


def test_what_is_not_declared_is_refused_where_a_mercer_kernel_is_needed(rows):
    x, y = rows
    kernels.register(squares)
    with pytest.raises(mercer.ExpressionError, match="svr needs a Mercer kernel and squares is not one: nothing is known"):
        mercer.Learner("svr", "squares").fit(x, y)
    assert mercer.Learner("svr(c=1)", "squares", allow_non_mercer=True).fit(x, y).predict(x).shape == (60,)
    kernels.register(squares, mercer=True)
    assert mercer.Learner("svr(c=1)", "squares").fit(x, y).predict(x).shape == (60,)
    assert mercer.Kernel("squares").mercer == "conditional"
    assert mercer.Kernel("squares").check(x)["verdict"] == "tested"
    # A declaration that the values refute.
    kernels.register("minus", lambda X, Z: -squares(X, Z), mercer=True)
    with pytest.raises(mercer.ExpressionError, match="minus is not one.*has the eigenvalue -"):
        mercer.Learner("svr", "minus").fit(x, y)


def test_what_a_function_raises_is_the_cause():
    def broken(X, Z):
        raise KeyError("no such thing")

    kernels.register(broken)
    x = np.arange(30.0).reshape(-1, 1)
    for call in (lambda: mercer.Kernel("broken")(x), lambda: mercer.Learner("ridge", "broken + rbf", allow_non_mercer=True).fit(x, x[:, 0])):
        with pytest.raises(mercer.DataError, match="the kernel broken raised KeyError: 'no such thing'") as raised:
            call()
        assert isinstance(raised.value.__cause__, KeyError)
        assert "in broken" in "".join(traceback.format_exception(raised.value.__cause__))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (lambda X, Z: np.zeros((3, 2)), r"broken: expected an array of 2 x 2 kernel values, found one of shape \[3, 2\]"),
        (lambda X, Z: np.array([["a"] * len(Z)] * len(X)), "broken: expected an array of numbers"),
        (lambda X, Z: np.full((len(X), len(Z)), np.nan), r"broken: k\(row 1 .*, row 1 .*\) = NaN"),
        (lambda X, Z: np.arange(4.0).reshape(2, 2), "a kernel is symmetric"),
    ],
)
def test_values_that_are_none_are_refused_by_row(values, message):
    kernels.register("broken", values)
    with pytest.raises(mercer.MercerError, match=message):
        mercer.Kernel("broken")([[0.0], [1.0]])


def test_names_that_cannot_be_are_refused():
    for name, why in [("rbf", "Mercer has a kernel"), ("normalise", "Mercer has a kernel or a composition"), ("my kernel", "cannot stand")]:
        with pytest.raises(mercer.ExpressionError, match=why):
            kernels.register(name, squares)
    for wrong in ({"name": "register", "function": squares}, {"name": "thing", "function": 3}):
        with pytest.raises(mercer.DataError, match="register"):
            kernels.register(**wrong)
    with pytest.raises(mercer.DataError, match="p=None"):
        kernels.register("thing", squares, parameters={"p": None})
    with pytest.raises(mercer.DataError, match="inputs: expected one of number"):
        kernels.register("thing", squares, inputs="numbers")
    with pytest.raises(mercer.DataError, match="mercer.kernels.register"):
        mercer.Kernel(lambda X, Z: X @ Z.T)


def test_models_and_kernels_are_stored_by_the_name(rows, tmp_path):
    x, y = rows
    path = tmp_path / "own.mercer"
    model = mercer.Learner("ridge(lambda=0.1)", "triangle(width=3) + linear").fit(x, y)
    model.save(path)
    assert (mercer.load(path).predict(x) == model.predict(x)).all()
    assert (pickle.loads(pickle.dumps(model)).predict(x) == model.predict(x)).all()
    kernel = kernels.triangle(width=3)
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    # Another program knows the name only where it registers it.
    read = f"""
import mercer, numpy as np
try:
    mercer.load({str(path)!r})
except mercer.ModelFileError as error:
    print("triangle" in str(error) and "register" in str(error))
mercer.kernels.register("triangle", lambda X, Z, width=4.0: np.maximum(0, 1 - np.abs(X[:, None] - Z[None]) / width).prod(axis=2))
print(mercer.load({str(path)!r}).predict({x[:1].tolist()}).shape)
mercer.kernels.register("triangle", lambda X, Z, length=4.0: X @ Z.T)
try:
    mercer.load({str(path)!r})
except mercer.ModelFileError as error:
    print("was stored with the parameters [width] and is registered with [length]" in str(error))
"""
    said = subprocess.run([sys.executable, "-c", read], check=True, capture_output=True, text=True).stdout.split("\n")
    assert said[:3] == ["True", "(1,)", "True"]


def test_a_pickle_brings_its_function_along_where_none_is_registered():
    stored = pickle.dumps((mercer.SVC(kernel="triangle(width=3)"), mercer.Kernel("rbf + triangle")))
    read = (
        f"import sys, pickle, mercer\nsys.path.insert(0, {str(__file__).rsplit('/', 1)[0]!r})\n"
        f"svc, kernel = pickle.loads({stored!r})\nprint(svc.kernel, kernel, mercer.Kernel(svc.kernel)([[0.0]])[0, 0])"
    )
    said = subprocess.run([sys.executable, "-c", read], check=True, capture_output=True, text=True).stdout.strip()
    assert said == "triangle(width=3) rbf + triangle 1.0"


def test_kernels_of_mercer_may_be_asked_inside_of_one(rows):
    kernels.register("inner", lambda X, Z, scale=1.0: kernels.rbf(length_scale=scale)(X, Z), mercer=True)
    x, y = rows
    for threads in (1, 2):
        model = mercer.Learner("ridge(lambda=0.1)", "inner(scale=0.5..4)").fit(x, y, threads=threads, tell=False)
        assert model.score(x, y) > 0.8
    assert mercer.compare(x, y, "inner", "ridge(lambda=0.1), knn(k=5)", folds=2).best["estimator"]


@pytest.mark.parametrize("name", ["KernelPCA", "KernelKMeans", "KMedoids", "SpectralClustering", "MDS", "KernelRidge"])
def test_a_function_of_rows_and_one_of_arrays_are_told_apart(rows, name):
    x, y = rows
    made = getattr(mercer, name)

    def of_rows(a, b):
        return float(np.exp(-((a - b) ** 2).sum()))

    def of_arrays(X, Z):
        return np.exp(-((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2))

    words = {"n_clusters": 2} if "luster" in name or name in ("KMedoids", "KernelKMeans") else {}
    found = []
    for kernel in (of_rows, of_arrays):
        model = made(kernel=kernel, **words).fit(x, *([y] if name == "KernelRidge" else []))
        found.append(model.predict(x) if hasattr(model, "predict") else model.fit_transform(x))
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-6)
