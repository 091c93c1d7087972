"""Learners and models: numbers against formulas by numpy, labels, storing, the same bits as the shell."""

import json
import pickle

import numpy as np
import pytest

import mercer
from mercer import Learner, Model, kernels


@pytest.fixture(scope="module")
def iris():
    return mercer.example("iris")


# spec: GP01, GP04
def test_a_gaussian_process_on_two_points_gives_the_numbers_computed_by_hand():
    learner = Learner("gp(noise=0.1, variance=1, standardise_target=false)", kernels.rbf(1.0), standardise=False)
    model = learner.fit([[0.0], [1.0]], [0.0, 1.0])
    mean, std = model.predict([[0.5]], std=True)
    assert abs(mean[0] - 0.51712924) <= 5e-9
    assert abs(std[0] ** 2 - 0.1872700955) <= 5e-10
    assert abs(model.covariance([[0.5]])[0, 0] - 0.0872700955) <= 5e-10
    assert abs(model.summary["evidence"] + 2.4050741568) <= 5e-10
    low, high = model.predict_interval([[0.5]], 0.9)
    # 1.6448536 is the 95% quantile of the standard normal distribution.
    assert abs(high[0] - mean[0] - 1.6448536269514722 * std[0]) <= 1e-12
    assert abs(mean[0] - low[0] - 1.6448536269514722 * std[0]) <= 1e-12


# spec: M24
def test_ridge_solves_its_equations(rng):
    x, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    k = kernels.rbf(1.5)
    model = Learner("ridge(lambda=0.3, intercept=false)", k, standardise=False).fit(x, y)
    new = rng.normal(size=(4, 3))
    expected = k(new, x) @ np.linalg.solve(k(x) + 0.3 * np.eye(20), y)
    np.testing.assert_allclose(model.predict(new), expected, rtol=0, atol=1e-11)


def test_several_outputs_are_columns(rng):
    x, y = rng.normal(size=(20, 2)), rng.normal(size=(20, 3))
    model = Learner("ridge(lambda=1)", "rbf(length_scale=1)").fit(x, y)
    assert model.predict(x).shape == (20, 3)
    alone = Learner("ridge(lambda=1)", "rbf(length_scale=1)").fit(x, y[:, 1])
    np.testing.assert_allclose(model.predict(x)[:, 1], alone.predict(x), rtol=0, atol=1e-12)


LABELS = {
    "str": np.array(["no", "yes", "perhaps"]),
    "objects": np.array(["no", "yes", "perhaps"], dtype=object),
    "int": np.array([10, 9, -1]),
    "int8": np.array([3, 2, 1], dtype=np.int8),
    "unsigned": np.array([7, 8, 9], dtype=np.uint64),
    "float": np.array([-1.0, 0.0, 1.0]),
    "bool": np.array([True, False]),
}


@pytest.mark.parametrize("sort", LABELS)
def test_labels_of_any_type_come_back_as_they_came(rng, sort, tmp_path):
    labels = LABELS[sort]
    codes = np.arange(30) % len(labels)
    x = rng.normal(size=(30, 2)) + 10 * codes[:, None]
    y = labels[codes]
    model = Learner("svc(c=1)", "rbf(length_scale=1)").fit(x, y)
    predicted = model.predict(x)
    assert (predicted == y).all()
    assert predicted.dtype.kind == {"O": "U", "u": "i"}.get(y.dtype.kind, y.dtype.kind)
    assert set(model.classes.tolist()) == set(labels.tolist())
    if y.dtype.kind in "iuf":
        assert (np.diff(model.classes) > 0).all()
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer").predict(x)
    assert again.dtype == predicted.dtype and (again == predicted).all()


@pytest.mark.parametrize(
    ("estimator", "y", "task", "classes"),
    [
        ("svc(c=1)", [0, 1, 2, 0], None, True),
        ("svc(c=1)", [0.0, 1.0, 1.0, 0.0], None, True),
        ("svr(c=1)", [0, 1, 1, 0], None, False),
        ("ridge(lambda=1)", [0, 1, 1, 0], None, True),
        ("ridge(lambda=1)", [0, 1, 2, 0], None, False),
        ("ridge(lambda=1)", [0.0, 1.0, 1.0, 0.0], None, False),
        ("ridge(lambda=1)", [0, 1, 2, 0], "classification", True),
        ("ridge(lambda=1)", [0, 1, 1, 0], "regression", False),
        ("ridge(lambda=1)", [True, False, True, False], None, True),
        ("ridge(lambda=1)", [True, False, True, False], "regression", False),
        (None, [0, 1, 1, 0], None, True),
        (None, [0.5, 1, 1, 0], None, False),
    ],
)
def test_whole_numbers_are_classes_or_numbers_by_the_documented_rule(estimator, y, task, classes):
    x = [[0.0], [1.0], [2.0], [4.0]]
    model = Learner(estimator, "linear").fit(x, y, task=task)
    assert (model.classes is not None) == classes


def test_a_weight_of_two_is_a_row_twice_and_support_keeps_its_row_numbers(rng):
    x, y = rng.normal(size=(12, 2)), np.arange(12) % 2 == 0
    weights = np.ones(12)
    weights[[0, 5]] = 0
    weights[3] = 2
    learner = Learner("svc(c=1)", "rbf(length_scale=1)", standardise=False)
    weighted = learner.fit(x, y, weights)
    rows = [1, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11]
    repeated = learner.fit(x[rows], y[rows])
    np.testing.assert_allclose(weighted.decision_function(x), repeated.decision_function(x), rtol=0, atol=2e-3)
    assert not {0, 5} & set(weighted.support.tolist())
    assert set(np.array(rows)[repeated.support]) == set(weighted.support.tolist())


def test_a_model_survives_files_bytes_and_pickle(iris, tmp_path):
    data, species = iris
    model = Learner("svc(c=2)").fit(data, species)
    model.save(tmp_path / "m.mercer")
    scores = model.decision_function(data)
    for again in [mercer.load(tmp_path / "m.mercer"), Model.load(str(tmp_path / "m.mercer")), pickle.loads(pickle.dumps(model))]:
        assert (again.decision_function(data) == scores).all()
        assert repr(again) == repr(model) and str(again) == str(model)
        assert again.summary == model.summary


def test_a_learner_is_its_arguments():
    learner = Learner("gp(noise=auto)", kernels.rbf() + kernels.linear(), standardise=False, seed=3)
    assert pickle.loads(pickle.dumps(learner)) == learner
    assert repr(learner).startswith('Learner(estimator="gp') and 'standardise=False, seed=3' in repr(learner)
    assert learner.seed == 3 and not learner.standardise
    assert learner != Learner("ridge")


def test_what_is_settled_and_how_it_went_can_be_read(iris):
    data, _ = iris
    width = data["petal_width"]
    model = Learner("ridge", "rbf").fit({"length": data["petal_length"], "sepal": data["sepal_length"]}, width)
    assert "lambda=" in model.estimator and "length_scale=" in str(model.kernel)
    assert model.summary["converged"] and model.summary["tuning"]["evaluations"] > 0
    assert model.columns == {"length": "number", "sepal": "number"}
    assert (model.support == np.arange(150)).all()
    assert model.classes is None


def test_probabilities_agree_with_the_predicted_class(iris):
    data, species = iris
    model = Learner("knn(k=5)", "rbf").fit(data, species)
    p = model.predict_proba(data)
    assert p.shape == (150, 3)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert (model.classes[p.argmax(axis=1)] == model.predict(data)).all()


def test_what_an_estimator_lacks_is_said(iris):
    data, species = iris
    model = Learner("svc(c=1)").fit(data, species)
    with pytest.raises(mercer.DataError, match="variance"):
        model.predict(data, std=True)
    with pytest.raises(mercer.DataError, match="covariance"):
        model.covariance(data)


def test_the_shell_predicts_the_same_bits_from_a_model_fitted_in_python(shell, tmp_path):
    if shell is None:
        return
    data, width = mercer.example("iris", target="petal_width")
    model = Learner("gp(noise=0.1, variance=1)", "rbf(length_scale=1) + equal").fit(data, width)
    model.save(tmp_path / "m.mercer")
    lines = shell("predict", "m.mercer", "example:iris", "--std", "--interval", "0.8", folder=tmp_path).splitlines()
    read = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
    mean, std = model.predict(data, std=True)
    low, high = model.predict_interval(data, 0.8)
    assert (read == np.column_stack([mean, std, low, high])).all()


def test_python_predicts_the_same_bits_from_a_model_fitted_in_the_shell(shell, tmp_path):
    if shell is None:
        return
    shell("fit", "example:iris", "--estimator", "svc(c=3)", "-o", "shell.mercer", folder=tmp_path)
    theirs = mercer.load(tmp_path / "shell.mercer")
    data, species = mercer.example("iris")
    ours = Learner("svc(c=3)").fit(data, species)
    assert (theirs.decision_function(data) == ours.decision_function(data)).all()
    lines = shell("predict", "shell.mercer", "example:iris", folder=tmp_path).split()
    assert lines[1:] == ours.predict(data).tolist()
    assert (theirs.classes == ours.classes).all()


def test_a_comparison_is_a_table_data_and_a_page(iris, tmp_path):
    data, species = iris
    result = mercer.compare(data, species, "rbf(length_scale=1)", "svc(c=1), knn(k=5), baseline", folds=3)
    assert [row["estimator"] for row in result.rows] and len(result.rows) == 3
    for row in result.rows:
        assert 0 <= row["metrics"]["accuracy"]["mean"] <= 1
    assert result.best["metrics"]["accuracy"]["mean"] > 0.9
    assert result.task == "classification" and "svc" in str(result)
    assert json.loads(result.json())["rows"] == result.rows
    result.save_html(tmp_path / "page.html")
    count = result.save_figures(tmp_path / "figures")
    written = sorted(f.name for f in (tmp_path / "figures").iterdir())
    assert count == len(written) > 0 and all(name.endswith(".svg") for name in written)
    assert all("tuning" in row for row in result.rows)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page == result.to_html() and page.lstrip().lower().startswith("<!doctype html")


def test_groups_stay_together_in_a_comparison(rng):
    x, y = rng.normal(size=(40, 2)), np.arange(40) // 2 % 2
    groups = np.repeat([f"g{i}" for i in range(20)], 2)
    result = mercer.compare(x, y, "linear", ["knn(k=1)"], groups=groups, folds=4)
    assert result.rows[0]["failure"] is None


def test_deviations_are_those_of_a_new_target_or_of_its_mean():
    data, height = mercer.example("sinc")
    model = mercer.Learner("gp(noise=0.1, variance=1)", "rbf(length_scale=1)").fit(data, height)
    values, new = model.predict(data, std=True)
    np.testing.assert_array_equal(model.predict(data, std="target")[1], new)
    mean = model.predict(data, std="mean")[1]
    np.testing.assert_allclose(mean**2, model.variance(data), rtol=1e-14)
    # A new target has the noise besides, of which each row has as much.
    noise = new**2 - mean**2
    assert noise.min() > 0
    np.testing.assert_allclose(noise, noise[0], rtol=1e-10)
    with pytest.raises(mercer.MercerError, match="target, mean"):
        model.predict(data, std="function")


def test_predictions_of_a_logarithm_are_in_the_unit_of_the_target():
    random = np.random.default_rng(3)
    x = random.uniform(-1, 1, 80)
    y = np.exp(1 + 2 * x + 0.3 * random.normal(size=80))
    kernel, data = "rbf(length_scale=1)", {"x": x}
    plain = mercer.Learner("gp(noise=0.1, variance=1)", kernel).fit(data, np.log(y))
    model = mercer.Learner("log_target(gp(noise=0.1, variance=1))", kernel).fit(data, y)
    # Duan (1983): exp(f) times the mean of exp(residual), here of rows that are left out.
    smeared = np.exp(plain.predict(data)) * np.exp(np.log(y) - plain.leave_one_out(np.log(y))).mean()
    np.testing.assert_allclose(model.predict(data), smeared, rtol=1e-10)
    np.testing.assert_allclose(model.predict_interval(data, 0.8), np.exp(plain.predict_interval(data, 0.8)), rtol=1e-10)
    # The variance of a log-normal number.
    f, s2 = plain.predict(data), plain.variance(data)
    np.testing.assert_allclose(model.variance(data), np.expm1(s2) * np.exp(2 * f + s2), rtol=1e-10)
    with pytest.raises(mercer.DataError, match=r"row 3 \(index 2\): log_target takes a target above 0"):
        mercer.Learner("log_target(ridge)", kernel).fit(data, np.where(np.arange(80) == 2, 0, y))
    regressor = mercer.MercerRegressor("log_target(gp(noise=0.1, variance=1))", kernel=kernel).fit(x[:, None], y)
    np.testing.assert_allclose(regressor.predict(x[:, None]), model.predict(data), rtol=1e-10)
