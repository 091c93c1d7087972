"""Conformal intervals, prediction sets and p-values."""

import numpy as np
import pytest

import mercer
from mercer import Learner


def wave(rng, rows):
    x = rng.uniform(-3, 3, rows)
    return {"x": x}, np.sin(2 * x) + 0.3 * rng.standard_t(3, rows)


def inside(model, data, y, level):
    low, high = model.predict_interval(data, level)
    return float(np.mean((low <= y) & (y <= high)))


# Four standard deviations of a share of 1,000 rows by 300 scores: 0.079.
@pytest.mark.parametrize("estimator", ["ridge(lambda=1)", "knn(k=10)", "svr(c=1)", "gp(noise=0.1, variance=1)"])
def test_intervals_cover_nine_new_rows_in_ten(estimator, rng):
    data, y = wave(rng, 300)
    new, truth = wave(rng, 1000)
    model = Learner(estimator, "rbf(length_scale=1)").fit(data, y, intervals=True)
    assert abs(inside(model, new, truth, 0.9) - 0.9) <= 0.079
    assert model.conformal["by"] is None
    assert model.conformal["scores"].shape == (300,)


def test_scores_of_a_closed_form_are_the_residuals_of_rows_left_out(rng):
    data, y = wave(rng, 40)
    model = Learner("ridge(lambda=1)", "rbf(length_scale=1)").fit(data, y)
    assert model.conformal["kind"].startswith("leave-one-out conformal")
    np.testing.assert_allclose(model.conformal["scores"], np.abs(y - model.leave_one_out(y)), rtol=1e-9)
    # The ceil(0.9 * 41) = 37th smallest.
    low, high = model.predict_interval(data, 0.9)
    np.testing.assert_allclose((high - low) / 2, np.sort(model.conformal["scores"])[36], rtol=1e-9)
    again = mercer.Model.from_bytes(model.to_bytes())
    assert (again.predict_interval(data, 0.9)[0] == low).all()


def test_fits_store_scores_where_they_are_asked_for_or_cheap(rng):
    data, y = wave(rng, 40)
    assert Learner("ridge(lambda=1)").fit(data, y, intervals=False).conformal is None
    assert Learner("gp(noise=0.1, variance=1)").fit(data, y).conformal is None
    plain = Learner("svr(c=1)").fit(data, y)
    assert plain.conformal is None
    with pytest.raises(mercer.MercerError, match="intervals=True"):
        plain.predict_interval(data)
    assert Learner("svr(c=1)").fit(data, y, intervals=True).conformal["kind"] == "cross-validation conformal (10 folds)"


def test_rows_of_their_own_give_split_conformal_intervals(rng):
    data, y = wave(rng, 100)
    more, of_more = wave(rng, 300)
    new, truth = wave(rng, 1000)
    model = Learner("svr(c=1)", "rbf(length_scale=1)").fit(data, y).conformalize(more, of_more)
    assert model.conformal["kind"].startswith("split conformal")
    np.testing.assert_allclose(model.conformal["scores"], np.abs(of_more - model.predict(more)), rtol=1e-12)
    assert abs(inside(model, new, truth, 0.9) - 0.9) <= 0.079


def test_p_values_of_numbers_are_above_one_minus_the_level_inside_the_interval(rng):
    data, y = wave(rng, 60)
    model = Learner("ridge(lambda=1)", "rbf(length_scale=1)").fit(data, y)
    low, high = model.predict_interval(data, 0.8)
    p = model.predict_p(data, y)
    assert ((p > 0.2 + 1e-12) == ((low <= y) & (y <= high))).all()
    with pytest.raises(mercer.DataError, match="give target"):
        model.predict_p(data)


def test_sets_hold_the_true_class_and_p_values_agree_with_them():
    data, species = mercer.example("iris")
    model = Learner("svc(c=1)").fit(data, species, intervals=True)
    sets = model.predict_set(data, 0.9)
    assert sets.dtype == bool
    assert sets.shape == (150, 3)
    p = model.predict_p(data)
    assert ((p > 0.1 + 1e-12) == sets).all()
    codes = np.searchsorted(model.classes, np.asarray(species))
    assert sets[np.arange(150), codes].mean() >= 0.85
    np.testing.assert_array_equal(model.predict_p(data, species), p[np.arange(150), codes])
    by_class = Learner("svc(c=1)").fit(data, species, intervals="class")
    assert by_class.conformal["by"] == "class"
    with pytest.raises(mercer.MercerError, match="ask for a prediction set"):
        model.predict_interval(data)


def test_intervals_by_group_need_the_group_of_each_row(rng):
    data, y = wave(rng, 200)
    groups = np.where(np.arange(200) % 2 == 0, "calm", "loud")
    y = y + np.where(groups == "loud", 5 * rng.normal(size=200), 0)
    model = Learner("ridge(lambda=1)", "rbf(length_scale=1)").fit(data, y, intervals=groups)
    low, high = model.predict_interval(data, 0.9, groups=groups)
    assert (high - low)[groups == "loud"].min() > 2 * (high - low)[groups == "calm"].max()
    with pytest.raises(mercer.MercerError, match="groups"):
        model.predict_interval(data, 0.9)
    with pytest.raises(mercer.MercerError, match="'quiet'"):
        model.predict_interval({"x": [0.0]}, 0.9, groups=["quiet"])


def test_too_few_scores_give_unbounded_intervals_with_a_warning():
    model = Learner("ridge(lambda=1)", "linear").fit({"x": [0.0, 1.0, 2.0, 3.0, 4.0]}, [0.0, 1.5, 2.0, 2.5, 4.0])
    with pytest.warns(mercer.MercerWarning, match="9 are needed"):
        low, high = model.predict_interval({"x": [1.0]}, 0.9)
    assert (low[0], high[0]) == (-np.inf, np.inf)


@pytest.mark.parametrize("kernel", ["rbf", "precomputed", lambda a, b: np.exp(-np.subtract.outer(a[:, 0], b[:, 0]) ** 2)])
def test_classes_of_scikit_learns_form_take_scores_and_give_intervals(kernel, rng):
    def rows(count):
        data, y = wave(rng, count)
        return data["x"][:, np.newaxis], y

    (X, y), (more, of_more), (new, truth) = rows(100), rows(300), rows(1000)
    given = (lambda Z: np.exp(-np.subtract.outer(Z[:, 0], X[:, 0]) ** 2)) if kernel == "precomputed" else (lambda Z: Z)
    svr = mercer.SVR(kernel=kernel).fit(given(X), y)
    with pytest.raises(mercer.DataError, match=r"SVR: the fit keeps no scores; .* conformalize\(X, y\)"):
        svr.predict_interval(given(new))
    assert svr.conformalize(given(more), of_more) is svr
    low, high = svr.predict_interval(given(new), 0.9)
    # The ceil(0.9 * 301) = 271st smallest residual on either side of the prediction.
    q = np.sort(np.abs(of_more - svr.predict(given(more))))[270]
    np.testing.assert_allclose(low, svr.predict(given(new)) - q, rtol=1e-9)
    np.testing.assert_allclose(high - low, 2 * q, rtol=1e-9)
    assert abs(np.mean((low <= truth) & (truth <= high)) - 0.9) <= 0.079


def test_classifiers_of_scikit_learns_form_give_sets_in_the_order_of_their_classes(rng):
    X = rng.standard_normal((900, 2))
    y = np.array(["b", "c", "a"])[np.argmax(X @ rng.standard_normal((2, 3)) + 0.5 * rng.standard_normal((900, 3)), axis=1)]
    svc = mercer.SVC(C=1.0).fit(X[:200], y[:200]).conformalize(X[200:500], y[200:500])
    sets, p = svc.predict_set(X[500:], 0.9), svc.predict_p(X[500:])
    assert sets.shape == (400, 3)
    held = sets[np.arange(400), np.searchsorted(svc.classes_, y[500:])]
    assert abs(held.mean() - 0.9) <= 0.079
    # A class is in the set where more than a tenth of the rows conform no better.
    np.testing.assert_array_equal(sets, p > 0.1)
    with pytest.raises(mercer.DataError, match="y has the class z"):
        svc.conformalize(X[:1], ["z"])
    processes = mercer.GaussianProcessRegressor("rbf", alpha=0.1).fit(X[:50], X[:50, 0])
    assert all(end.shape == (5,) for end in processes.predict_interval(X[:5]))
