"""Arguments of scikit-learn's form: each is obeyed, refused, or warned of where it has no effect."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

import joblib
import sklearn.cluster
import sklearn.decomposition
import sklearn.gaussian_process
import sklearn.neighbors
from sklearn.datasets import load_iris, make_blobs
from sklearn.gaussian_process.kernels import RBF, CompoundKernel, WhiteKernel
from sklearn.metrics import adjusted_rand_score, pairwise_distances

import mercer
from mercer import ExpressionError, MercerWarning

X, Y = load_iris(return_X_y=True)
LINE = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [4.0, 8.0]])
BLOBS, OF_BLOBS = make_blobs(60, centers=3, cluster_std=0.3, random_state=1)
DISTANCES = pairwise_distances(BLOBS)


def product(a, b):
    return a @ b.T


class OfExpression(mercer.SVC):
    def __init__(self, C=1.0):
        super().__init__(C=C, kernel="rbf(length_scale=2)")


class OfFunction(mercer.SVR):
    def __init__(self, C=1.0):
        super().__init__(C=C, kernel=product)


class Ridge(mercer.KernelRidge):
    def __init__(self, alpha=1.0):
        super().__init__(alpha, kernel="rbf(length_scale=2)")


@pytest.mark.parametrize(
    ("variant", "same"),
    [(OfExpression(), mercer.SVC(kernel="rbf(length_scale=2)")), (OfFunction(), mercer.SVR(kernel=product)), (Ridge(), mercer.KernelRidge(kernel="rbf(length_scale=2)"))],
    ids=["expression", "function", "ridge"],
)
def test_a_subclass_with_its_own_constructor_predicts_as_the_class(variant, same):
    np.testing.assert_array_equal(variant.fit(X, Y).predict(X), same.fit(X, Y).predict(X))


def test_a_subclass_that_fits_in_another_way_is_searched_as_it_is():
    class Constant(mercer.SVC):
        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    assert mercer.GridSearchCV(Constant(), {"C": [1, 10]}, cv=3).fit(X, Y).best_score_ == pytest.approx(1 / 3)


@pytest.mark.parametrize("make", [mercer.SVC, mercer.KernelRidgeClassifier, mercer.KernelPerceptron])
def test_flags_of_numpy_are_obeyed_and_others_are_refused(make):
    assert make(probability=np.True_).fit(X, Y).predict_proba(X).shape == (150, 3)
    for value in (1, "yes"):
        with pytest.raises(ExpressionError, match="probability=.*expected True or False"):
            make(probability=value).fit(X, Y)
    with pytest.raises(AttributeError) as missing:
        _ = make().predict_proba
    assert f"{make.__name__}(probability=True)" in str(missing.value.__cause__)


@pytest.mark.parametrize(
    "estimator",
    [
        mercer.KernelPCA(eigen_solver="foo"),
        mercer.KernelPCA(remove_zero_eig="yes"),
        mercer.KernelPCA(tol=-1),
        mercer.SpectralClustering(3, assign_labels="discretize"),
        mercer.KMedoids(3, metric="manhattan"),
        mercer.MDS(metric="manhattan"),
        mercer.KernelDensity(metric="manhattan"),
        mercer.KernelDensity(algorithm="foo"),
        mercer.GaussianProcessRegressor(alpha="auto"),
        mercer.SVC(break_ties="x"),
    ],
    ids=str,
)
def test_what_cannot_be_obeyed_is_refused_by_name(estimator):
    with pytest.raises(ValueError, match=f"{type(estimator).__name__}: "):
        estimator.fit(X, Y)


@pytest.mark.parametrize(
    "estimator",
    [
        mercer.KernelRidge(kernel="rbf(length_scale=1)", kernel_params={"gamma": 3}),
        mercer.KernelPCA(2, kernel="linear", kernel_params={"gamma": 3}),
        mercer.GaussianProcessClassifier(optimizer=None, multi_class="one_vs_one"),
        mercer.SpectralClustering(3, n_components=2),
    ],
    ids=str,
)
def test_what_has_no_effect_is_warned_of(estimator):
    with pytest.warns(MercerWarning, match="has no effect"):
        estimator.fit(X, Y)


def test_components_without_variance_are_columns_of_zero_unless_they_are_removed():
    for zeros, columns in ((False, 3), (True, 1)):
        theirs = sklearn.decomposition.KernelPCA(3, kernel="linear", remove_zero_eig=zeros).fit(LINE)
        ours = mercer.KernelPCA(3, kernel="linear", remove_zero_eig=zeros).fit(LINE)
        assert ours.transform(LINE).shape == theirs.transform(LINE).shape == ours.fit_transform(LINE).shape == (4, columns)
        np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, atol=1e-12)
        np.testing.assert_allclose(np.abs(ours.transform(LINE)), np.abs(theirs.transform(LINE)), atol=1e-12)
        assert len(ours.get_feature_names_out()) == columns


@pytest.mark.parametrize("words", [{"metric": "precomputed"}, {"kernel": "precomputed", "values": "distances"}])
def test_medoids_of_given_distances_are_those_of_the_rows(words):
    given = mercer.KMedoids(3, **words).fit(DISTANCES)
    rows = mercer.KMedoids(3, metric="euclidean").fit(BLOBS)
    assert adjusted_rand_score(given.labels_, OF_BLOBS) == 1.0
    assert given.inertia_ == pytest.approx(DISTANCES[:, given.medoid_indices_].min(axis=1).sum()) == pytest.approx(rows.inertia_)


@pytest.mark.parametrize("make", [mercer.KMedoids, mercer.MDS, mercer.KernelPCA])
def test_a_matrix_that_looks_like_distances_is_not_taken_as_similarities(make):
    with pytest.raises(mercer.DataError, match=rf'are these distances\? Write {make.__name__}\(values="distances"\)'):
        make(2, kernel="precomputed").fit(DISTANCES)
    make(2, kernel="precomputed", values="distances").fit(DISTANCES)
    with pytest.raises(mercer.DataError, match=r"are these distances\? Write k_medoids\(values=distances\)"):
        mercer.Learner("k_medoids(clusters=3)", "precomputed").fit(DISTANCES)


def test_scaling_takes_dissimilarities_as_scikit_learn_names_them():
    for words in ({"dissimilarity": "precomputed"}, {"metric": "precomputed"}):
        placed = mercer.MDS(2, **words).fit_transform(DISTANCES)
        np.testing.assert_allclose(pairwise_distances(placed), DISTANCES, atol=1e-3 * DISTANCES.max())


@pytest.mark.parametrize("words", [{"affinity": "nearest_neighbors"}, {"affinity": "rbf", "gamma": 0.5}, {"affinity": "precomputed"}, {"affinity": "precomputed_nearest_neighbors"}], ids=str)
def test_spectral_clustering_takes_the_affinities_of_scikit_learn(words):
    given = {"precomputed": np.exp(-(DISTANCES**2) / 10), "precomputed_nearest_neighbors": DISTANCES}.get(words["affinity"], BLOBS)
    ours = mercer.SpectralClustering(3, random_state=0, **words).fit_predict(given)
    theirs = sklearn.cluster.SpectralClustering(3, random_state=0, **words).fit_predict(given)
    assert adjusted_rand_score(ours, theirs) == adjusted_rand_score(ours, OF_BLOBS) == 1.0


def test_a_compound_kernel_is_refused_in_the_words_of_scikit_learn():
    for kernel in (CompoundKernel([RBF(), RBF()]), CompoundKernel(0), CompoundKernel([RBF()]) + WhiteKernel()):
        for make in (mercer.GaussianProcessClassifier, mercer.GaussianProcessRegressor):
            with pytest.raises(ValueError, match="kernel cannot be a CompoundKernel"):
                make(kernel).fit(X, Y)


def test_latent_means_and_variances_of_two_classes_are_those_of_scikit_learn():
    kernel = 1.0 * RBF(1.0)
    ours = mercer.GaussianProcessClassifier(kernel, optimizer=None, tempered=False).fit(X, Y > 0)
    theirs = sklearn.gaussian_process.GaussianProcessClassifier(kernel, optimizer=None).fit(X, Y > 0)
    for found, expected in zip(ours.latent_mean_and_variance(X + 0.1), theirs.base_estimator_.latent_mean_and_variance(X + 0.1)):
        np.testing.assert_allclose(found, expected, atol=1e-5)
    with pytest.raises(ValueError, match="only supported for binary"):
        mercer.GaussianProcessClassifier(optimizer=None).fit(X, Y).latent_mean_and_variance(X)


@pytest.mark.parametrize("name", [name for name in mercer.scikit.NAMES if hasattr(getattr(mercer, name), "predict_proba")])
def test_logarithms_of_probabilities_are_there_with_the_probabilities(name):
    model = getattr(mercer, name)()
    if "probability" in model.get_params():
        model.set_params(probability=True)
    if name == "MercerClassifier":
        model.set_params(estimator="svc(c=1, probabilities=true)")
    if name == "GenerativeDensity":
        model.set_params(distribution="gaussian_mixture(components=2)")
    model.fit(X[::3], Y[::3])
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(X), np.log(model.predict_proba(X)))


@pytest.mark.parametrize("make", [mercer.KernelDiscriminantAnalysis, mercer.KernelPerceptron, mercer.NadarayaWatsonClassifier, lambda **words: mercer.MercerClassifier("svc(c=1)", "rbf(length_scale=1)", **words)])
def test_weights_of_classes_are_weights_of_their_rows(make):
    weights = {0: 1.0, 1: 3.0, 2: 0.5}
    by_class = make(class_weight=weights).fit(X, Y)
    by_row = make().fit(X, Y, sample_weight=np.vectorize(weights.get)(Y))
    np.testing.assert_array_equal(by_class.predict(X), by_row.predict(X))


def test_threads_are_those_of_the_context_or_the_process():
    model = mercer.SVC()
    assert mercer.SVC(n_jobs=-1)._threads() == joblib.cpu_count()
    with joblib.parallel_config(n_jobs=1):
        assert model._threads() == 1
    with joblib.parallel_config("threading"):
        assert model._threads() == mercer.SVC()._threads()


def test_a_limit_of_time_is_an_argument_of_every_class_whose_fit_may_take_long():
    without = {name for name in mercer.scikit.NAMES if "max_seconds" not in getattr(mercer, name)().get_params()}
    smoothers = {"KernelDensity", "LocalRegression", "Lowess", "NadarayaWatson"}
    assert without == smoothers | {"BaselineClassifier", "BaselineRegressor", "KNeighborsClassifier", "KNeighborsRegressor"}
    with pytest.raises(mercer.ResourceError, match="time was up.*allow more max_seconds"):
        mercer.L2VectorClassifier(max_seconds=1e-9).fit(X, Y)


@pytest.mark.parametrize("words", [{"algorithm": "ball_tree"}, {"atol": 0, "rtol": 1e-8}, {"leaf_size": 10, "breadth_first": False}, {"metric": "minkowski", "metric_params": {"p": 2}}, {}], ids=str)
def test_densities_take_the_arguments_of_scikit_learn_and_its_default_bandwidth(words):
    places = np.linspace(4, 8, 7)[:, None]
    ours, theirs = (make(**words).fit(X[:, :1]).score_samples(places) for make in (mercer.KernelDensity, sklearn.neighbors.KernelDensity))
    np.testing.assert_allclose(ours, theirs, atol=1e-10)


@pytest.mark.parametrize("bandwidth", [0.5, "silverman"])
def test_only_the_shares_of_weights_of_rows_count_where_they_are_no_numbers_of_rows(bandwidth):
    weights = np.linspace(0.1, 1.7, 150)
    found = [mercer.KernelDensity(bandwidth=bandwidth).fit(X[:, :1], sample_weight=c * weights).score_samples(X[:5, :1]) for c in (1, 1 / weights.sum(), 1000.5)]
    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=1e-12)


def test_every_export_is_listed_for_checkers_of_types():
    import ast
    from pathlib import Path

    for module in (mercer, mercer.scikit):
        tree = ast.parse((Path(module.__file__).parent / "__init__.pyi").read_text())
        listed = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
        assert set(listed) == set(module.__all__)
