"""Comparisons from Python tell what the command line tells, in words of Python; plans."""

import json
import pickle
import warnings

import numpy as np
import pytest

import mercer

RNG = np.random.default_rng(0)
N = 120
A, B = RNG.normal(size=N), RNG.normal(size=N)
CODES = (A > 0).astype(int) + (B > 0.8)
LABELS = np.array(["p", "q", "r"])[CODES]
FEW = "baseline, knn(k=5)"


def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    return found, [str(w.message) for w in caught if issubclass(w.category, mercer.MercerWarning)]


def test_whole_numbers_that_come_back_are_not_taken_as_numbers_in_silence():
    data = {"a": A, "b": B}
    for target in (CODES, CODES.astype("uint8")):
        table, said = told(lambda: mercer.compare(data, target, estimators=FEW, folds=3))
        assert table.task == "regression" and len(said) == 1
        assert "3 different whole numbers" in said[0] and 'task="classification"' in said[0]
    table, said = told(lambda: mercer.compare(data, CODES, estimators=FEW, folds=3, task="classification"))
    assert table.task == "classification" and not said
    # Said of a fit too; nothing is said where there is no doubt.
    assert "whole numbers" in told(lambda: mercer.Learner("knn(k=5)").fit(data, CODES))[1][0]
    for doubtless in (RNG.permutation(N), CODES + 0.5, CODES > 0, LABELS, CODES % 2):
        assert not any("whole numbers" in said for said in told(lambda: mercer.compare(data, doubtless, estimators=FEW, folds=3))[1])
    assert not told(lambda: mercer.Learner("svr(c=1, epsilon=0.1)").fit(data, CODES))[1]


def test_facts_about_the_table_are_warned_of_and_kept():
    data = {"a": A, "b": B, "its class": CODES + 0.5}
    table, said = told(lambda: mercer.compare(data, LABELS, estimators=FEW, folds=3))
    (fact,) = table.facts
    assert "'its class' alone gives the target away" in fact and 'types={"its class": "ignore"}' in fact
    assert said.count(fact) == 1 and fact in str(table) and "--" not in fact
    twice = {name: np.tile(column, 2) for name, column in (("a", A), ("b", B))}
    table, said = told(lambda: mercer.compare(twice, np.tile(LABELS, 2), estimators=FEW, folds=3))
    assert any("120 of 240 rows" in fact for fact in table.facts) and set(table.facts) <= set(said)
    assert len(said) == len(set(said))


def test_ignored_identifiers_of_several_rows_are_warned_of_where_rows_are_dealt_one_by_one(tmp_path):
    frame = {"a": A, "customer id": [f"C{k % 24}" for k in range(N)]}
    (tmp_path / "t.csv").write_text("".join(f"{a},{c},{y}\n" for a, c, y in [("a", "customer id", "y"), *zip(A, frame["customer id"], LABELS, strict=True)]))
    types = {"customer id": "ignore"}
    read, target = mercer.read_table(tmp_path / "t.csv", target="y", types=types)
    for data, labels in ((mercer.Dataset(frame, types=types), LABELS), (read, target)):
        table, said = told(lambda data=data, labels=labels: mercer.compare(data, labels, estimators=FEW, folds=3))
        (fact,) = (fact for fact in table.facts if "'customer id', which is ignored, names 24 groups of rows" in fact)
        assert said.count(fact) == 1 and "groups" in fact and "--" not in fact
        grouped, _ = told(lambda data=data, labels=labels: mercer.compare(data, labels, estimators=FEW, folds=3, groups=frame["customer id"]))
        assert not any("names 24 groups" in fact for fact in grouped.facts)


def test_amounts_percentages_and_identifiers_are_taken_as_in_a_file(tmp_path):
    prices, shares = RNG.uniform(1, 5000, N), RNG.uniform(0, 100, N).round(1)
    frame = {
        "price $": [f"${price:,.2f}" for price in prices],
        "rate %": [f"{share}%" for share in shares],
        "customer id": [f"C{k:05d}" for k in range(N)],
        "nr": np.arange(1000, 1000 + N),
        "zip": [f"{k % 30:05d}" for k in range(N)],
    }
    data = mercer.Dataset(frame)
    assert data.columns == {"price $": "number", "rate %": "number", "zip": "category"}
    np.testing.assert_allclose(data["price $"], prices, atol=0.005)
    np.testing.assert_allclose(data["rate %"], shares, rtol=1e-15)
    assert not any("--" in notice for notice in data.notices)
    assert any("'nr' has a different whole number in every row" in n and 'types={"nr": "number"} keeps it' in n for n in data.notices)
    table, said = told(lambda: mercer.compare(frame, LABELS, estimators=FEW, folds=3))
    assert set(data.notices) <= set(said) and set(data.notices) <= set(table.notices) and len(said) == len(set(said))
    assert "nr" in mercer.Dataset(frame, types={"nr": "number"}).columns
    # An array has no names, and training says what a column is.
    assert mercer.Dataset(np.arange(40.0).reshape(-1, 2)).columns == {"x0": "number", "x1": "number"}


def test_names_with_signs_are_names():
    frame = {"$cost": A, "rate%": B, "100%": A * B, "a--b": A + B}
    table, said = told(lambda: mercer.compare(frame, LABELS, "rbf", "knn(k=3)", folds=3))
    assert not said and table.best["estimator"] == "knn(k=3)"
    model = mercer.Learner("svc(c=1)").fit(frame, LABELS)
    assert (model.predict({name: frame[name] for name in reversed(frame)}) == model.predict(frame)).all()


def test_advice_on_a_kernel_names_the_rule_and_what_was_measured():
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (100, 2))
    y = np.sin(3 * x[:, 0]) + np.cos(2 * x[:, 1]) + 0.05 * rng.normal(size=100)
    advice = mercer.advise({"a": x[:, 0], "b": x[:, 1]}, y, "laplacian")
    # A curve of two columns: rbf by the rule, and so far better than lines that the noise decides nothing.
    assert advice.rule == "smooth" and "2 numbers in each of 100 rows" in advice.because
    found = {entry["kernel"]: entry["tuning"] for entry in advice.kernels}
    assert list(found) == ["rbf", "linear", "polynomial(degree=2)", "matern(nu=1.5)", "rbf(ard=true)", "laplacian"]
    assert found["rbf"]["criterion"] == "leave-one-out error" and 0.03 < found["rbf"]["value"] < 0.1 < found["linear"]["value"]
    assert advice.holds is True and [e["kernel"] for e in advice.kernels if e["best"]] == [advice.best]
    scores = {entry["kernel"]: entry["scores"]["rmse"] for entry in advice.kernels}
    assert scores[advice.best] == min(scores.values()) < 0.1 < scores["linear"]
    assert json.loads(advice.json())["best"] == advice.best and str(advice) == repr(advice) and str(advice).startswith("Suggested: rbf")
    # Of columns that say nothing of the target too, and no text for Python names an option of the shell.
    lines = mercer.advise(rng.normal(size=(200, 3)) @ np.diag([1, 5, 9]), LABELS.repeat(2)[:200], seed=1, threads=1)
    assert len(lines.kernels) == 5 and "--" not in str(lines)
    with pytest.raises(mercer.ExpressionError, match="rfb"):
        mercer.advise(x, y, "rfb")
    with pytest.raises(mercer.DataError, match="99"):
        mercer.advise(x, y[:99])


def test_a_plan_says_rows_memory_and_time_without_fitting():
    x = RNG.normal(size=(400, 3))
    plan = mercer.plan(x, x[:, 0], estimators="ridge(lambda=1), knn(k=3)", folds=3)
    assert plan.rows == 400 and [fit["estimator"] for fit in plan.fits] == ["ridge(lambda=1)", "knn(k=3)"]
    # A factor of the whole Gram matrix needs at least 8 bytes for each of its numbers.
    assert plan.fits[0]["rows"] == 400 and plan.fits[0]["bytes"] >= 8 * 400**2
    assert str(plan).startswith("plan: 400 rows") and len(str(plan).splitlines()) == 3 and repr(plan) == str(plan)
    few = mercer.plan(x, x[:, 0], estimators="ridge(lambda=1)", sample=100)
    assert few.fits[0]["rows"] == 100
    with pytest.raises(mercer.ExpressionError, match="estimator"):
        mercer.plan(x, x[:, 0], estimators="forest")


def test_a_comparison_is_pickled_with_its_page_and_figures(tmp_path):
    table = mercer.compare(*mercer.example("iris"), "rbf(length_scale=1)", "baseline, knn(k=3)")
    again = pickle.loads(pickle.dumps(table))
    assert str(again) == str(table) and again.rows == table.rows and again.best == table.best
    assert again.to_html() == table.to_html() and again._repr_html_() == table._repr_html_()
    assert again.save_figures(tmp_path / "a") == table.save_figures(tmp_path / "b") > 0
    for file in (tmp_path / "b").iterdir():
        assert (tmp_path / "a" / file.name).read_text() == file.read_text()


def test_the_name_of_a_column_is_no_array():
    data, species = mercer.example("iris")
    for name in ("time", "groups"):
        with pytest.raises(mercer.DataError, match=f"{name}: found the text 't', expected an array with one entry a row"):
            mercer.compare(data, species, **{name: "t"})
