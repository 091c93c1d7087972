"""Curves beside their formulas, and what they refuse."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.model_selection import GridSearchCV, KFold

import mercer


def wave(n=80, seed=0):
    random = np.random.default_rng(seed)
    x = np.sort(random.uniform(0, 10, n))
    return x, np.sin(x) + 0.2 * random.standard_normal(n)


def weights(x, at, h):
    return np.exp(-0.5 * ((x - at) / h) ** 2)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_curves_are_weighted_least_squares_at_each_place(degree):
    x, y = wave()
    w = np.random.default_rng(1).integers(1, 4, len(x)).astype(float)
    curve = mercer.LocalRegression(bandwidth=0.6, degree=degree).fit(x[:, None], y, sample_weight=w)
    at = np.linspace(0, 10, 21)
    values, deviations = curve.predict(at[:, None], return_std=True)
    slopes = curve.slopes(at[:, None])
    for i, place in enumerate(at):
        phi = np.vander(x - place, degree + 1, increasing=True)
        v = w * weights(x, place, 0.6)
        solve = np.linalg.solve(phi.T @ (v[:, None] * phi), (v[:, None] * phi).T)
        beta = solve @ y
        assert values[i] == pytest.approx(beta[0], rel=1e-9)
        assert slopes[i, 0] == pytest.approx(beta[1] if degree else 0, rel=1e-8)
        assert deviations[i] == pytest.approx(curve.noise_ * np.sqrt(np.sum(solve[0] ** 2 / w)), rel=1e-8)
    assert curve.bandwidth_ == 0.6


def test_the_bandwidth_leaves_rows_out_and_averages_are_local_regression_of_degree_zero():
    x, y = wave(60)
    curve = mercer.NadarayaWatson().fit(x[:, None], y)

    def left_out(h):
        k = np.array([weights(x, place, h) for place in x])
        np.fill_diagonal(k, 0)
        return k @ y / k.sum(axis=1)

    np.testing.assert_allclose(curve.left_out_, left_out(curve.bandwidth_), rtol=1e-9, atol=1e-12)
    best = min(np.mean((y - left_out(h)) ** 2) for h in np.geomspace(0.1, 5, 400))
    assert np.mean((y - curve.left_out_) ** 2) <= 1.001 * best
    same = mercer.LocalRegression(degree=0).fit(x[:, None], y)
    assert same.bandwidth_ == curve.bandwidth_ and (same.predict(x[:, None]) == curve.predict(x[:, None])).all()
    # The same by the kernel language, in units of the column.
    gamma = 0.5 / curve.bandwidth_**2
    language = mercer.NadarayaWatsonRegressor(kernel=f"rbf(gamma={gamma!r})").fit(x[:, None], y)
    np.testing.assert_allclose(language.predict(x[:, None]), curve.predict(x[:, None]), rtol=1e-9)


def test_the_estimator_of_classes_gives_shares_of_weights():
    x, _ = wave(50)
    y = np.where(x < 4, "low", np.where(x < 7, "middle", "high"))
    model = mercer.NadarayaWatsonClassifier(kernel="rbf(gamma=2)", calibrated=False).fit(x[:, None], y)
    k = np.exp(-2.0 * (x[:, None] - x) ** 2)
    shares = np.column_stack([(k * (y == c)).sum(axis=1) for c in model.classes_]) / k.sum(axis=1, keepdims=True)
    # The frequencies of the classes, with one row more for each, count as one row beside as many as the weights are worth (Kish 1965: (sum w)^2 / sum w^2).
    worth = (k.sum(axis=1) ** 2 / (k**2).sum(axis=1))[:, None]
    shares = (worth * shares + [((y == c).sum() + 1) / (len(y) + 3) for c in model.classes_]) / (worth + 1)
    np.testing.assert_allclose(model.predict_proba(x[:, None]), shares, atol=1e-14)
    assert (model.predict(x[:, None]) == model.classes_[shares.argmax(axis=1)]).all()


def test_lowess_is_lines_by_tricube_weights_and_an_outlier_does_not_move_it():
    x, y = wave(60)
    plain = mercer.Lowess(0.3, 0).fit(x, y)
    for i in [0, 7, 30, 59]:
        far = np.abs(x - x[i])
        w = np.clip(1 - (far / np.sort(far)[17]) ** 3, 0, None) ** 3
        line = np.polynomial.polynomial.polyfit(x - x[i], y, 1, w=np.sqrt(w))
        assert plain.fitted_values_[i] == pytest.approx(line[0], abs=1e-9)
    np.testing.assert_allclose(plain.predict(x), plain.fitted_values_, atol=1e-12)
    wrong = y.copy()
    wrong[20] += 50
    moved = [np.abs(mercer.Lowess(0.3, it).fit(x, wrong).fitted_values_ - mercer.Lowess(0.3, it).fit(x, y).fitted_values_).max() for it in (0, 3)]
    assert moved[0] > 3 and moved[1] < 0.2


def test_rounds_take_weight_from_outliers():
    x, y = wave(60)
    wrong = y.copy()
    wrong[20] += 50
    moved = [np.abs(mercer.LocalRegression(1.0, it=it).fit(x[:, None], wrong).predict(x[:, None]) - mercer.LocalRegression(1.0).fit(x[:, None], y).predict(x[:, None])).max() for it in (0, 3)]
    assert moved[0] > 3 and moved[1] < 0.5
    curve = mercer.LocalRegression(span=0.5, it=2).fit(x[:, None], wrong)
    values, deviations = curve.predict(x[:, None], return_std=True)
    assert (values == curve.predict(x[:, None])).all() and (deviations > 0).all()
    assert (pickle.loads(pickle.dumps(curve)).predict(x[:, None]) == values).all()


def test_pickled_curves_give_the_same_bits_and_searches_take_them():
    x, y = wave()
    X = np.column_stack([x, np.cos(3 * x)])
    for curve in [mercer.LocalRegression(degree=2).fit(X, y), mercer.NadarayaWatson(span=0.3).fit(X, y)]:
        assert (pickle.loads(pickle.dumps(curve)).predict(X) == curve.predict(X)).all()
    lowess = mercer.Lowess().fit(x, y)
    assert (pickle.loads(pickle.dumps(lowess)).predict(x) == lowess.predict(x)).all()
    folds = KFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(mercer.LocalRegression(), {"bandwidth": [0.05, 0.5, 20.0]}, cv=folds).fit(x[:, None], y)
    assert search.best_params_ == {"bandwidth": 0.5}


def test_what_makes_no_curve_is_named():
    x, y = wave(20)
    X = x[:, None]
    for curve, words in [
        (mercer.LocalRegression(0.0), "above 0"),
        (mercer.LocalRegression([1.0, 2.0]), "expected 1"),
        (mercer.LocalRegression("left"), "there is: left_out"),
        (mercer.LocalRegression(degree=3), "degree=3: expected a whole number from 0 to 2"),
        (mercer.NadarayaWatson(kernel="gausian"), "did you mean 'gaussian'"),
        (mercer.NadarayaWatson(span="half"), "a number above 0"),
        (mercer.Lowess(frac=1.5), "at most 1"),
        (mercer.Lowess(it=-1), "0 or above"),
        (mercer.LocalRegression(it=-1), "0 or above"),
    ]:
        with pytest.raises(ValueError, match=words):
            curve.fit(X, y)
    with pytest.raises(ValueError, match="it takes one"):
        mercer.Lowess().fit(np.ones((5, 2)), np.ones(5))
    with pytest.raises(ValueError, match="Negative values"):
        mercer.LocalRegression().fit(X, y, sample_weight=np.full(20, -1.0))


def test_places_without_a_row_near_are_nan_and_counted():
    x, y = wave()
    curve = mercer.LocalRegression(bandwidth=0.8, kernel="epanechnikov").fit(x[:, None], y)
    with pytest.warns(mercer.MercerWarning, match=r"2 of 3 rows \(the first is row 2\).*missing \(nan\); give a wider bandwidth"):
        values, deviations = curve.predict([[5.0], [90.0], [-90.0]], return_std=True)
    assert np.isfinite([values[0], deviations[0]]).all() and np.isnan(values[1:]).all() and np.isnan(deviations[1:]).all()
    assert curve.predict([[5.0]])[0] == values[0]
