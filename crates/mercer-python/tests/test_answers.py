"""What a native model tells besides predictions: scores, draws, parameters, pages for notebooks; what is said once."""

import html.parser
import warnings

import numpy as np
import pytest

import mercer
from mercer import DataError, Dataset, Kernel, Learner, MercerWarning


@pytest.fixture(scope="module")
def sinc():
    return mercer.example("sinc")


def test_a_score_is_the_share_of_right_classes_or_the_share_of_explained_variance():
    x = np.arange(8.0)[:, None]
    model = Learner("knn(k=1)", "linear").fit(x, list("aabbaabb"))
    truth = list("abbbaabz")
    # 'z' is no class of the model and hence wrong.
    assert model.score(x, truth) == pytest.approx(6 / 8, abs=1e-15)
    weight = np.array([1, 5, 1, 1, 1, 1, 1, 1])
    assert model.score(x, truth, weight) == pytest.approx(6 / 12, abs=1e-15)
    for labels in (np.array([3, 7]), np.array([0.5, 2.0]), np.array([False, True])):
        y = labels[[0, 0, 1, 1, 0, 0, 1, 1]]
        assert Learner("knn(k=1)", "linear").fit(x, y, task="classification").score(x, y) == 1.0
    rng = np.random.default_rng(0)
    y = rng.normal(size=(8, 2))
    numbers = Learner("ridge(lambda=1)", "linear").fit(x, y)
    rest = ((y - numbers.predict(x)) ** 2).sum(axis=0) / ((y - y.mean(axis=0)) ** 2).sum(axis=0)
    assert numbers.score(x, y) == pytest.approx(1 - rest.mean(), abs=1e-12)
    with pytest.raises(DataError, match="expected 8, found 3"):
        model.score(x, truth[:3])


def test_other_metrics_are_those_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    y = np.where(x[:, 0] + rng.normal(size=80) > 0.7, "yes", "no")
    weight = rng.uniform(0.5, 2, 80)
    model = Learner("knn(k=9)", "linear").fit(x[:50], y[:50])
    new, truth, w = x[50:], y[50:], weight[50:]
    rare = min(["no", "yes"], key=lambda label: w[truth == label].sum())
    found = model.predict(new)
    assert model.score(new, truth, w, metric="f1") == pytest.approx(metrics.f1_score(truth, found, pos_label=rare, sample_weight=w), abs=1e-12)
    expected = metrics.balanced_accuracy_score(truth, found, sample_weight=w)
    assert model.score(new, truth, w, metric="balanced_accuracy") == pytest.approx(expected, abs=1e-12)
    expected = metrics.log_loss(truth, model.predict_proba(new), sample_weight=w)
    assert model.score(new, truth, w, metric="log_loss") == pytest.approx(expected, abs=1e-12)
    numbers = Learner("ridge(lambda=1)", "rbf(length_scale=1)").fit(x[:50], x[:50, 0] ** 2)
    expected = metrics.mean_absolute_error(new[:, 0] ** 2, numbers.predict(new), sample_weight=w)
    assert numbers.score(new, new[:, 0] ** 2, w, metric="mae") == pytest.approx(expected, abs=1e-12)
    for score, says in [
        (lambda: model.score(new, truth, metric="mae"), "mae judges numbers"),
        (lambda: numbers.score(new, new[:, 0], metric="log_loss"), "log_loss judges classes"),
        (lambda: numbers.score(new, new[:, 0], metric="nlpd"), "ridge has nothing that nlpd could be computed from"),
        (lambda: model.score(new, np.where(truth == "yes", "yes", "perhaps"), metric="log_loss"), "holds perhaps, which the model does not know"),
        (lambda: model.score(new, truth, metric="acuracy"), "did you mean 'accuracy'"),
    ]:
        with pytest.raises(mercer.MercerError, match=says):
            score()


def test_a_metric_decides_a_comparison_and_a_search():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 2))
    y = np.where(x[:, 0] + 0.5 * rng.normal(size=120) > 1.2, "rare", "usual")
    table = mercer.compare(x, y, "rbf(length_scale=1)", "svc(c=1), knn(k=3), baseline", metric="balanced_accuracy", folds=4)
    values = [row["metrics"]["balanced_accuracy"]["mean"] for row in table.rows]
    assert table.best["metrics"]["balanced_accuracy"]["mean"] == max(values) > 0.5
    assert next(iter(table.best["metrics"])) == "balanced_accuracy"
    learner = Learner("svc(c=auto)", "rbf(length_scale=1)", metric="balanced_accuracy", sample=100)
    model = learner.fit(x, y)
    assert model.summary["tuning"]["criterion"].replace(" ", "_").endswith("balanced_accuracy")
    assert "100 for training" in str(model)
    assert 'metric="balanced_accuracy", sample=100' in repr(learner)
    assert (learner.metric, learner.sample) == ("balanced_accuracy", 100)
    assert mercer.MercerClassifier("svc(c=auto)", "rbf", metric="f1").fit(x, y).predict(x).shape == (120,)
    with pytest.raises(mercer.ExpressionError, match="did you mean 'accuracy'"):
        mercer.compare(x, y, metric="acuracy")
    with pytest.raises(mercer.MercerError, match="judges numbers"):
        mercer.compare(x, y, metric="rmse")


def test_draws_have_the_mean_and_the_covariance_of_the_posterior(sinc):
    data, y = sinc
    model = Learner("gp(noise=0.1, variance=1)", "rbf(length_scale=0.5)").fit(data, np.c_[y, 10 * y + 3])
    new = data[:5]
    draws = model.sample(new, 20000, seed=3)
    assert draws.shape == (5, 2, 20000)
    covariance = model.covariance(new)
    # A mean of n draws has a standard deviation of s / sqrt(n), a covariance one of about s^2 sqrt(2 / n): five of each.
    for o, factor in [(0, 1.0), (1, 100.0)]:
        deviation = np.sqrt(factor * np.diag(covariance))
        np.testing.assert_allclose(draws[:, o].mean(axis=1), model.predict(new)[:, o], rtol=0, atol=5 * deviation.max() / np.sqrt(20000))
        found = np.cov(draws[:, o])
        np.testing.assert_allclose(found, factor * covariance, rtol=0, atol=5 * deviation.max() ** 2 * np.sqrt(2 / 20000))
    assert (model.sample(new, 3, seed=3) == model.sample(new, 3, seed=3)).all()
    assert (model.sample(new, 3, seed=3) != model.sample(new, 3, seed=4)).all()
    one = Learner("gp(noise=0.1, variance=1)", "rbf(length_scale=0.5)").fit(data, y)
    assert one.sample(data[:4], 2).shape == (4, 2) and one.sample(data[:0], 2).shape == (0, 2)
    with pytest.raises(DataError, match="has no predictive covariance; fit gp"):
        Learner("ridge(lambda=1)").fit(data, y).sample(data)


def test_parameters_are_told_by_name_and_value():
    data, species = mercer.example("iris")
    model = Learner("svc(c=auto)", "rbf(length_scale=1)").fit(data, species)
    parameters = model.parameters
    assert parameters["c"] == model.summary["tuning"]["parameters"][0]["value"]
    assert parameters["class_weight"] == "none" and parameters["tolerance"] == 1e-3
    knn = Learner("knn(k=3)").fit(data, species).parameters
    assert knn["k"] == 3 and isinstance(knn["k"], int)
    assert Learner("ridge(lambda=0.5, intercept=false)", "linear").fit([[1.0], [2.0]], [1.0, 2.0]).parameters["intercept"] is False


def test_the_factor_of_a_process_multiplies_to_its_covariance():
    x, y = np.linspace(0, 3, 6)[:, None], np.arange(6.0)
    kernel = Kernel("rbf(length_scale=1)")
    model = Learner("gp(noise=0.2, variance=2, standardise_target=false)", kernel, standardise=False).fit(x, y)
    factor = model.factor()
    assert (np.triu(factor, 1) == 0).all()
    np.testing.assert_allclose(factor @ factor.T, 2 * kernel(x) + 0.2 * np.eye(6), rtol=0, atol=1e-14)
    assert Learner("svr(c=1)", "linear").fit(x, y).factor() is None


def test_missing_cells_of_new_rows_are_told_once_for_each_column():
    rng = np.random.default_rng(0)
    rows = {"a": rng.normal(size=30), "b": rng.normal(size=30)}
    model = Learner("ridge(lambda=1)", "rbf(length_scale=1)").fit(rows, rng.normal(size=30))
    gap = {"a": [1.0, np.nan], "b": [0.0, 1.0]}
    with pytest.warns(MercerWarning, match="column 'a' has 1 missing cell: filled with the training median"):
        model.predict(gap)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            model.predict(gap)
        model.score(gap, [0.0, 1.0])
    with pytest.warns(MercerWarning) as caught:
        model.predict({"a": [np.nan], "b": [np.nan]})
    assert len(caught) == 1 and "column 'b'" in str(caught[0].message)


def test_rows_with_missing_cells_are_told_by_column():
    data = Dataset({"age": [31, None, 45], "city": ["Bonn", "Bonn", None], "size": [1.0, 2.0, 3.0]})
    missing = data.missing
    assert list(missing) == ["age", "city"]
    np.testing.assert_array_equal(missing["age"], [1])
    np.testing.assert_array_equal(missing["city"], [2])


STRINGS = ["GATTACA", "GATTTCA", "CCCGGGC", "CCCGGCC"] * 5
LABELS = [0, 0, 1, 1] * 5


def test_strings_that_repeat_go_to_a_kernel_of_strings():
    kernel = Kernel("normalise(spectrum(k=2))")
    model = Learner("svc(c=1)", kernel).fit(STRINGS, LABELS)
    assert model.columns == {"x": "sequence"}
    # The same fit on kernel values that the kernel gives for these strings.
    gram = kernel(STRINGS)
    fitted = Learner("svc(c=1)", "precomputed").fit(gram, LABELS)
    np.testing.assert_allclose(model.decision_function(STRINGS), fitted.decision_function(gram), rtol=0, atol=1e-9)
    assert model.predict(["GATTACC", "CCGGGCC", "GATTACC"]).tolist() == [0, 1, 0]
    # A dataset that was made without the model took them for labels.
    assert Dataset(["GATTACC", "GATTACC", "CC"]).columns == {"x": "category"}
    assert model.predict(Dataset(["GATTACC", "GATTACC", "CCGGGCC"])).tolist() == [0, 0, 1]


def test_a_kernel_that_names_its_columns_decides_which_are_strings():
    data = {"s": STRINGS, "city": ["Bonn", "Jena"] * 10, "age": np.arange(20.0)}
    model = Learner("svc(c=1)", "on(s, normalise(spectrum(k=2))) + on(city, equal) + on(age, rbf)").fit(data, LABELS)
    assert model.columns == {"s": "sequence", "city": "category", "age": "number"}
    assert model.score(data, LABELS) == 1.0
    natural = Learner("svc(c=1)").fit(data, LABELS)
    assert natural.columns["s"] == "category"
    # Two columns of labels and one kernel of one column: it has to be said which.
    with pytest.raises(mercer.MercerError, match="spectrum takes"):
        Learner("svc(c=1)", "spectrum(k=2)").fit({"s": STRINGS, "city": ["Bonn", "Jena"] * 10}, LABELS)
    table = mercer.compare({"s": STRINGS}, LABELS, "normalise(spectrum(k=2))", "svc(c=1)", task="classification", folds=4)
    assert table.rows[0]["metrics"]["accuracy"]["mean"] == 1.0


class Tags(html.parser.HTMLParser):
    """Whether every tag that is opened is closed, and the text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.words, self.names = [], [], set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        # A line break has no end.
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def shown(thing):
    page = thing._repr_html_()
    tags = Tags(page)
    assert tags.open == [] and "script" not in tags.names
    # One piece: its rules of style speak of nothing else on the page.
    assert page.startswith('<div class="mercer">') and page.endswith("</div>")
    rules = [line for line in page.partition("<style>")[2].partition("</style>")[0].splitlines() if line]
    assert all(part.strip().startswith(".mercer") for rule in rules for part in rule.partition("{")[0].split(","))
    return " ".join(tags.words)


def test_a_notebook_shows_comparisons_models_tables_and_kernels():
    data, species = mercer.example("iris")
    table = mercer.compare(data, species, "rbf(length_scale=1)", "baseline, svc(c=1)", folds=3)
    text = shown(table)
    assert "svc(c=1)" in text and "baseline" in text and "accuracy" in text
    model = Learner("svc(c=1)", "rbf(length_scale=1)").fit(data, species)
    text = shown(model)
    for fact in ("svc(c=1)", "rbf(length_scale=1)", "setosa", "relative duality gap", "150 for training"):
        assert fact in text, fact
    odd = Dataset({"<b>&\"": [1.5, None, 3.0], "city": ["Bonn", "Jena", "Bonn"], "s": ["ACGT" * 9, "GGTT" * 8, "CCAA" * 7]}, types={"s": "text"})
    text = shown(odd)
    assert '<b>&"' in text and "3 rows, 3 columns" in text and "1.5 to 3" in text and "2 labels: Bonn, Jena" in text
    assert "28 to 36 characters" in text
    text = shown(Kernel("0.5*rbf(length_scale=2) + linear"))
    assert "0.5*rbf(length_scale=2) + linear" in text and "positive semi-definite for every input" in text and "length_scale" in text
    assert "structure alone does not decide" in shown(Kernel("rbf - 2*linear"))
    assert "not positive semi-definite" in shown(Kernel("sigmoid"))


def square(a, b):
    return (a @ b.T) ** 2


def test_why_a_model_with_a_function_is_not_saved_and_what_to_do_is_said(tmp_path):
    pytest.importorskip("sklearn")
    import pickle

    x, y = np.random.default_rng(0).normal(size=(20, 2)), [0, 1] * 10
    machine = mercer.SVC(kernel=square).fit(x, y)
    for save in (lambda: machine.model_.save(tmp_path / "m.mercer"), machine.model_.to_bytes):
        with pytest.raises(DataError, match=r"Python function.*data, not code.*expression.*pickle\.dump"):
            save()
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(again.predict(x), machine.predict(x))
    given = mercer.SVC(kernel="precomputed").fit(square(x, x), y)
    given.model_.save(tmp_path / "m.mercer")
    np.testing.assert_array_equal(mercer.load(tmp_path / "m.mercer").predict(square(x, x)), machine.predict(x))
    with pytest.raises(DataError, match=r"found function; mercer\.kernels\.register\(function\)"):
        Learner("svc", square)
