"""What estimators of scikit-learn's form tell: labels as they were given, numbers that were found, refusals that can be followed."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer import ExpressionError, MercerWarning

X, Y = load_iris(return_X_y=True)
ROWS, NUMBERS = (part[:150] for part in load_diabetes(return_X_y=True))


@pytest.mark.parametrize("labels", [Y, Y.astype(float), Y > 0, Y.astype(str), Y - 1], ids=lambda labels: labels.dtype.name)
@pytest.mark.parametrize("make", [lambda: mercer.SVC(), lambda: mercer.MercerClassifier("knn(k=3)"), lambda: mercer.KNeighborsClassifier(p=1)])
def test_the_model_behind_an_estimator_answers_with_the_labels_that_were_given(make, labels, tmp_path):
    estimator = make().fit(X, labels)
    model = estimator.model_
    np.testing.assert_array_equal(model.predict(X), estimator.predict(X))
    assert model.predict(X).dtype.kind == labels.dtype.kind
    if isinstance(model, mercer.Model):
        model.save(tmp_path / "m.mercer")
        again = mercer.load(tmp_path / "m.mercer")
        assert again.score(X, labels) == model.score(X, labels) == estimator.score(X, labels)


def test_a_model_on_a_given_kernel_answers_with_labels_too():
    model = mercer.SVC(kernel="precomputed").fit(X @ X.T, Y).model_
    assert model.predict(X @ X.T).dtype == Y.dtype


def test_labels_of_which_a_model_knows_none_are_refused_and_one_that_it_does_not_know_is_wrong():
    model = mercer.SVC().fit(X, Y).model_
    with pytest.raises(mercer.DataError, match=r"the model knows none of these labels: the first is '0' .*learnt 0, 1, 2 \(int64\)"):
        model.score(X, Y.astype(str))
    share = np.mean(model.predict(X)[Y > 0] == Y[Y > 0]) * 2 / 3
    assert model.score(X, np.where(Y == 0, 7, Y)) == pytest.approx(share)


def test_a_search_of_the_amplitude_follows_the_target():
    def fitted(factor):
        return mercer.GaussianProcessRegressor("auto*rbf(length_scale=auto)", alpha="auto").fit(ROWS, factor * NUMBERS)

    small, great = fitted(1.0), fitted(1000.0)
    assert small.score(ROWS, NUMBERS) > 0.4
    assert great.score(ROWS, 1000 * NUMBERS) == pytest.approx(small.score(ROWS, NUMBERS), abs=1e-3)
    both = mercer.GaussianProcessRegressor("auto*rbf + auto*white").fit(ROWS, NUMBERS)
    assert both.score(ROWS, NUMBERS) == pytest.approx(small.score(ROWS, NUMBERS), abs=0.05)


def test_a_number_at_the_end_of_its_search_is_warned_of():
    with pytest.warns(ConvergenceWarning, match="scale was found at the upper end of the search, 2; .*normalize_y=True"):
        mercer.GaussianProcessRegressor("1..2*rbf(length_scale=0.1)", alpha=1.0).fit(ROWS, NUMBERS)


@pytest.mark.parametrize("alpha", [["auto", (0.1, 10)], [(0.1, 10), 1.0], ["auto", 1.0], ("auto", "auto")], ids=str)
def test_a_penalty_for_each_target_may_be_searched(alpha):
    targets = np.column_stack([NUMBERS, np.sqrt(NUMBERS)])
    model = mercer.KernelRidge(alpha=alpha, kernel="rbf").fit(ROWS, targets)
    assert model.alpha_.shape == (2,)
    for j, penalty in enumerate(model.alpha_):
        alone = mercer.KernelRidge(alpha=penalty, kernel="rbf").fit(ROWS, targets[:, j])
        np.testing.assert_allclose(model.predict(ROWS)[:, j], alone.predict(ROWS), rtol=1e-6)


def test_numbers_beside_an_expression_that_holds_its_own_are_warned_of(recwarn):
    mercer.SVC(kernel="0.5*rbf").fit(X, Y)
    mercer.SVC(kernel="linear", gamma=0.1).fit(X, Y)
    assert not recwarn
    for words in ({"gamma": 0.1}, {"degree": 2}, {"coef0": 1.5}):
        with pytest.warns(MercerWarning, match=f"SVC: {next(iter(words))}=.* changes nothing where the kernel is an expression"):
            mercer.SVC(kernel="0.5*rbf", **words).fit(X, Y)
    with pytest.raises(ExpressionError, match="SVC: gamma='foo': expected"):
        mercer.SVC(kernel=lambda a, b: a @ b.T, gamma="foo").fit(X, Y)


def test_a_classifier_does_not_fit_numbers():
    with pytest.raises(ExpressionError, match="svc: it cannot predict numbers.*these can: ridge"):
        mercer.MercerRegressor("svc").fit(ROWS, NUMBERS)


def test_types_of_columns_are_taken_where_they_are_advised():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": np.arange(150), "kind": ["a", "b", "c"] * 50, "size": ROWS[:, 0]})
    with pytest.warns(MercerWarning, match='types={"id": "number"} keeps it'):
        mercer.MercerRegressor("ridge(lambda=1)").fit(frame, NUMBERS)
    model = mercer.MercerRegressor("ridge(lambda=1)", types={"id": "number", "kind": "ignore"}).fit(frame, NUMBERS)
    assert list(model.model_.columns) == ["id", "size"] and model.predict(frame).shape == (150,)
    plain = mercer.MercerRegressor("ridge(lambda=1)", types={"x0": "ignore"}).fit(ROWS, NUMBERS)
    assert "x0" not in plain.model_.columns and plain.predict(ROWS).shape == (150,)


def test_advice_of_a_metric_names_what_gives_it_a_value():
    with pytest.raises(ExpressionError, match=r"svc has nothing that log_loss could be computed from; fit svc\(probabilities=true\)"):
        mercer.Learner("svc(c=1)").fit(X, Y).score(X, Y, metric="log_loss")


def test_numbers_of_kernels_that_were_found_are_attributes():
    for estimator, y in [
        (mercer.SVC(kernel="rbf(length_scale=auto)"), Y),
        (mercer.SVR(kernel="rbf(length_scale=auto)"), NUMBERS),
        (mercer.KernelRidge(alpha="auto", kernel="rbf(length_scale=auto)"), NUMBERS),
        (mercer.MercerClassifier("svc(c=auto)", "rbf(length_scale=auto)"), Y),
        (mercer.MercerRegressor("ridge", "rbf(length_scale=auto)"), NUMBERS),
    ]:
        estimator.fit(X if y is Y else ROWS, y)
        assert estimator.kernel_.parameters["rbf.length_scale"] == estimator.model_.kernel.parameters["rbf.length_scale"] > 0
    assert estimator.parameters_["lambda"] > 0 and estimator.estimator_.startswith("ridge(lambda=")
    estimator.set_params(kernel="precomputed").fit(ROWS @ ROWS.T, NUMBERS)
    assert not hasattr(estimator, "kernel_")


PAIR = r', "auto" or a pair \(low, high\)'


@pytest.mark.parametrize(
    ("estimator", "says"),
    [
        (mercer.SVC(C="foo"), f"SVC: C='foo': expected a number above 0{PAIR}"),
        (mercer.SVC(C=None), f"SVC: C=None: expected a number above 0{PAIR}"),
        (mercer.SVC(C=[1, 2]), rf"SVC: C=\[1, 2\]: expected a number above 0{PAIR}"),
        (mercer.SVC(C=(10, 1)), rf"SVC: C=\(10, 1\): expected a number above 0{PAIR}"),
        (mercer.SVC(tol="auto"), "SVC: tol='auto': expected a number strictly between 0 and 1$"),
        (mercer.SVC(gamma=None), "SVC: gamma=None: expected"),
        (mercer.SVC(degree=2.5), "SVC: degree=2.5: expected a whole number from 0"),
        (mercer.SVC(shrinking="x"), "SVC: shrinking='x': expected True or False"),
        (mercer.SVC(verbose="yes"), "SVC: verbose='yes': expected True or False"),
        (mercer.KNeighborsClassifier(n_neighbors=None), f"KNeighborsClassifier: n_neighbors=None: expected a whole number from 1{PAIR}"),
        (mercer.KNeighborsClassifier(n_neighbors=(3, 1)), f"expected a whole number from 1{PAIR}"),
        (mercer.GaussianProcessRegressor(alpha="foo"), f"expected a number of 0 or above{PAIR}, or an array of numbers"),
        (mercer.GaussianProcessRegressor(normalize_y="x"), "normalize_y='x': expected True or False"),
        (mercer.GaussianProcessRegressor(n_restarts_optimizer=-1), "n_restarts_optimizer=-1: expected a whole number from 0"),
        (mercer.MercerClassifier(3), 'MercerClassifier: estimator=3: expected an expression such as "svc'),
    ],
    ids=str,
)
def test_a_wrong_argument_is_told_with_what_it_may_be(estimator, says):
    with pytest.raises(ExpressionError, match=says):
        estimator.fit(X, Y)


def test_a_solver_that_was_stopped_is_told_in_one_sentence():
    for steps in (0, 1):
        with pytest.warns(ConvergenceWarning, match=rf"max_iter={steps}\).  Consider pre-processing.*relative duality gap is 0\.98 and not 0\.001\.$"):
            mercer.SVC(max_iter=steps).fit(X, Y)


def test_a_matrix_that_is_nearly_singular_is_told_as_such():
    with pytest.warns(ConvergenceWarning, match=r"Nothing is penalised and .* nearly singular.*a penalty \(alpha\) above 0 helps"):
        mercer.KernelRidge(alpha=0, kernel="rbf", gamma=1).fit(*load_diabetes(return_X_y=True))


def test_a_regressor_by_expression_has_standard_deviations_where_its_estimator_has():
    mean, deviation = mercer.MercerRegressor("gp(noise=0.1)", "rbf").fit(ROWS, NUMBERS).predict(ROWS, return_std=True)
    assert mean.shape == deviation.shape == (150,) and (deviation > 0).all()
    with pytest.raises(mercer.DataError, match="no predictive variance"):
        mercer.MercerRegressor("ridge(lambda=1)").fit(ROWS, NUMBERS).predict(ROWS, return_std=True)


def test_dates_are_not_advised_to_be_categories():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"day": pandas.to_datetime(["2020-01-01", "2020-01-02"]), "b": [1.0, 2.0]})
    with pytest.raises(mercer.DataError, match="column 'day' holds datetime64.*make numbers of it first") as caught:
        mercer.SVC().fit(frame, [0, 1])
    assert "equal" not in str(caught.value) and "OneHotEncoder" not in str(caught.value)
