"""Kernel principal components against scikit-learn's, and where there is no target."""

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sklearn

from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris, make_circles
from sklearn.decomposition import PCA
from sklearn.decomposition import KernelPCA as Theirs
from sklearn.exceptions import NotFittedError
from sklearn.manifold import MDS as TheirMap
from sklearn.metrics import pairwise_distances

import mercer
from libsvm_sets import DATA
from mercer import KernelPCA

X = load_iris().data[::2]
NEW = load_iris().data[1::2]
CIRCLES = make_circles(400, factor=0.3, noise=0.05, random_state=0)[0]


def up_to_sign(found, expected):
    """The columns of the first with the signs of the second."""
    return found * np.sign((found * expected).sum(axis=0))


@pytest.mark.parametrize(
    "words",
    [
        {"kernel": "linear", "n_components": 3},
        {"kernel": "rbf", "gamma": 0.3, "n_components": 5},
        {"kernel": "poly", "degree": 2, "n_components": 4},
        {"kernel": "sigmoid", "gamma": 0.001, "n_components": 2},
        {"kernel": "cosine", "n_components": 2},
        {"kernel": "rbf"},
    ],
    ids=str,
)
def test_projections_of_old_and_new_rows_are_those_of_scikit_learn(words):
    ours, theirs = KernelPCA(**words).fit(X), Theirs(**words).fit(X)
    # Components with variance next to none have directions of rounding.
    well = theirs.eigenvalues_[: len(ours.eigenvalues_)] > 1e-5 * theirs.eigenvalues_[0]
    np.testing.assert_allclose(ours.eigenvalues_[well], theirs.eigenvalues_[: len(well)][well], rtol=1e-8)
    for rows in (X, NEW):
        found, expected = ours.transform(rows)[:, well], theirs.transform(rows)[:, : len(well)][:, well]
        np.testing.assert_allclose(up_to_sign(found, expected), expected, atol=1e-8)
    np.testing.assert_array_equal(ours.fit_transform(X), ours.transform(X))


def test_the_search_for_leading_components_finds_those_of_all():
    words = {"kernel": "rbf", "gamma": 2.0, "n_components": 6}
    ours, theirs = KernelPCA(**words).fit(CIRCLES), Theirs(eigen_solver="dense", **words).fit(CIRCLES)
    assert ours.model_.summary["iterations"] > 0
    assert ours.certificate_["value"] <= ours.certificate_["tolerance"]
    expected = theirs.transform(CIRCLES)
    np.testing.assert_allclose(up_to_sign(ours.transform(CIRCLES), expected), expected, atol=1e-8)
    # The sign of each component is scikit-learn's too.
    np.testing.assert_allclose(ours.transform(CIRCLES), expected, atol=1e-8)


def test_the_linear_kernel_is_principal_components():
    ours, theirs = KernelPCA(2).fit(X), PCA(2).fit(X)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-10)
    assert KernelPCA(0.95).fit_transform(X).shape[1] == PCA(0.95).fit(X).n_components_


def test_precomputed_values_and_functions_give_what_the_kernel_gives():
    gram, cross = X @ X.T, NEW @ X.T
    plain = KernelPCA(3).fit(X)
    np.testing.assert_allclose(KernelPCA(3, kernel="precomputed").fit(gram).transform(cross), plain.transform(NEW), atol=1e-9)
    np.testing.assert_allclose(KernelPCA(3, kernel=np.dot).fit(X).transform(NEW), plain.transform(NEW), atol=1e-9)


def test_a_learner_without_a_target_gives_components_and_a_target_is_refused(tmp_path):
    model = mercer.Learner("kernel_pca(components=2)", "linear", standardise=False).fit(X)
    np.testing.assert_allclose(model.predict(X), KernelPCA(2).fit_transform(X), atol=1e-9)
    model.save(tmp_path / "m.mercer")
    np.testing.assert_array_equal(mercer.load(tmp_path / "m.mercer").predict(NEW), model.predict(NEW))
    assert model.classes is None and model.predict(X[:1]).shape == (1, 2)
    with pytest.raises(mercer.MercerError, match="takes no target"):
        mercer.Learner("kernel_pca").fit(X, np.zeros(len(X)))
    with pytest.raises(mercer.MercerError, match="there is none"):
        mercer.Learner("ridge(lambda=1)").fit(X)
    with pytest.raises(mercer.MercerError, match="kernel_pca gives components"):
        model.score(X, np.zeros(len(X)))
    with pytest.raises(mercer.DataError, match="has no class probabilities"):
        model.predict_proba(X)


def test_weights_count_like_repeated_rows():
    weight = np.arange(len(X)) % 3 + 1.0
    learner = mercer.Learner("kernel_pca(components=3)", "rbf(length_scale=2)", standardise=False)
    found = learner.fit(X, sample_weight=weight).predict(NEW)
    np.testing.assert_allclose(found, learner.fit(np.repeat(X, weight.astype(int), axis=0)).predict(NEW), atol=1e-9)


def test_classical_scaling_gives_distances_back():
    kernel = mercer.Learner("kernel_pca(components=4)", "linear", standardise=False).fit(X).predict(X)
    scaled = mercer.Learner("kernel_pca(components=4, values=distances)", "precomputed", allow_non_mercer=True).fit(pairwise_distances(X))
    np.testing.assert_allclose(pairwise_distances(scaled.predict(pairwise_distances(X))), pairwise_distances(X), atol=1e-7)
    np.testing.assert_allclose(up_to_sign(scaled.predict(pairwise_distances(X)), kernel), kernel, atol=1e-7)


@pytest.mark.parametrize("n_components", [0, -1, 1.5, "two"])
def test_a_number_of_components_that_cannot_be_is_refused(n_components):
    with pytest.raises(mercer.MercerError, match="n_components"):
        KernelPCA(n_components).fit(X)


@pytest.mark.parametrize("words", [{"kernel": "rbf", "gamma": 0.3}, {"kernel": "poly", "degree": 2}, {"kernel": "rbf"}], ids=str)
def test_rows_made_again_from_coordinates_are_those_of_scikit_learn(words):
    words = {**words, "n_components": 3, "fit_inverse_transform": True, "alpha": 0.1}
    ours, theirs = KernelPCA(**words).fit(X), Theirs(**words).fit(X)
    np.testing.assert_allclose(ours.X_transformed_fit_, ours.transform(X))
    back = theirs.inverse_transform(theirs.transform(NEW))
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(NEW)), back, atol=1e-6)


def test_a_way_back_is_learnt_where_it_is_asked_for_and_there_is_one():
    with pytest.raises(NotFittedError, match="fit_inverse_transform=True"):
        KernelPCA(2).fit(X).inverse_transform(np.zeros((1, 2)))
    with pytest.raises(mercer.MercerError, match="columns of numbers"):
        KernelPCA(2, kernel="precomputed", fit_inverse_transform=True).fit(X @ X.T)
    with pytest.raises(mercer.MercerError, match="toarray"):
        KernelPCA(2, fit_inverse_transform=True).fit(csr_matrix(X))


def test_pre_images_are_where_an_optimiser_finds_the_row_nearest_in_feature_space():
    from scipy.optimize import minimize

    words = {"n_components": 4, "kernel": "rbf", "gamma": 0.2}
    ours, theirs = KernelPCA(**words).fit(X), Theirs(**words).fit(X)
    found = ours.pre_images(ours.transform(NEW[:10]))
    # P phi = sum_i g_i phi(x_i) with what scikit-learn keeps: g_i = 1/n + sum_j f_j u_ij / l_j^(1/2), less the mean over i of that sum.
    loadings = theirs.eigenvectors_ / np.sqrt(theirs.eigenvalues_)
    shares = theirs.transform(NEW[:10]) @ (loadings - loadings.mean(axis=0)).T + 1 / len(X)

    def height(z, share):
        return -share @ np.exp(-0.2 * ((X - z) ** 2).sum(axis=1))

    for z, share in zip(found, shares):
        start = X[np.argmin([height(x, share) for x in X])]
        best = minimize(height, start, (share,), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-14, "maxiter": 4000})
        np.testing.assert_allclose(z, best.x, atol=1e-5)
        assert height(z, share) <= best.fun + 1e-12
    nearest = ours.pre_images(ours.transform(X[:5]), "nearest")
    assert nearest.shape == (5, X.shape[1])
    close = ours.pre_images(ours.transform(NEW[:10]), "distances")
    assert np.abs(close - found).max() < 0.5


def test_pre_images_of_a_frame_of_words_and_of_what_has_none():
    words = ["banana", "bandana", "orange", "range"]
    ours = KernelPCA(3, kernel="normalise(spectrum(k=2))").fit(words)
    assert list(ours.pre_images(ours.transform(words), "nearest")) == words
    with pytest.raises(mercer.MercerError, match="neither a Gaussian nor a linear kernel"):
        ours.pre_images(ours.transform(words))
    with pytest.raises(mercer.MercerError, match="fixed_point"):
        ours.pre_images(ours.transform(words), "mean")
    with pytest.raises(mercer.MercerError, match="give the rows and a kernel"):
        KernelPCA(2, kernel="precomputed").fit(X @ X.T).pre_images(np.zeros((1, 2)))
    with pytest.raises(mercer.MercerError, match="more coordinates"):
        KernelPCA(2, kernel="rbf").fit(X).pre_images(np.zeros((1, 3)))


def test_noise_is_taken_from_digits_by_kernel_components_better_than_by_linear_ones():
    path = DATA / "usps" / "usps_train.csv.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    pixels = np.loadtxt(path, delimiter=",", max_rows=700)[:, 1:]
    train, truth = pixels[:600], pixels[600:]
    noisy = truth + 0.5 * np.random.default_rng(1).normal(size=truth.shape)

    def error(rows):
        return np.mean((rows - truth) ** 2)

    linear = min(error(PCA(c).fit(train).inverse_transform(PCA(c).fit(train).transform(noisy))) for c in (8, 16, 32, 64))
    curved = KernelPCA(64, kernel="rbf", gamma=0.01).fit(train)
    for method in ("fixed_point", "distances"):
        assert error(curved.pre_images(curved.transform(noisy), method)) < linear < 0.3 * error(noisy)


def test_how_usual_rows_are_is_what_principal_components_leave_of_them():
    ours, theirs = KernelPCA(2, novelty=True).fit(X), PCA(2).fit(X)
    assert ours.transform(NEW).shape == (len(NEW), 2) and ours.eigenvectors_.shape == (len(X), 2)
    left = ((NEW - theirs.inverse_transform(theirs.transform(NEW))) ** 2).sum(axis=1)
    np.testing.assert_allclose(ours.score_samples(NEW), -left, rtol=1e-8, atol=1e-10)
    # Rows between two rings and beyond them are less usual than those on them.
    rings = KernelPCA(20, kernel="rbf", gamma=8.0, novelty=True).fit(CIRCLES)
    assert rings.score_samples([[0.6, 0.0], [0.0, -0.65], [3.0, 3.0]]).max() < rings.score_samples(CIRCLES).min()
    with pytest.raises(AttributeError, match="score_samples"):
        KernelPCA(2).fit(X).score_samples(NEW)
    with pytest.raises(mercer.MercerError, match="among given kernel values"):
        KernelPCA(2, kernel="precomputed", novelty=True).fit(X @ X.T).score_samples(NEW @ X.T)


@pytest.mark.parametrize("loss", ["stress", "sammon"])
def test_a_map_keeps_distances_at_least_as_well_as_scikit_learns(loss):
    ours = mercer.MDS(2, loss=loss).fit(X)
    assert ours.certificate_["value"] <= ours.certificate_["tolerance"]
    np.testing.assert_allclose(ours.transform(X), ours.embedding_, atol=1e-9)
    d, on_map = pairwise_distances(X), pairwise_distances(ours.embedding_)
    d, on_map = d[np.triu_indices_from(d, 1)], on_map[np.triu_indices_from(on_map, 1)]
    # Iris has two rows alike, whose distance of 0 has no part in Sammon's sum.
    by = np.where(d > 0, 1 / np.where(d > 0, d, 1), 0) if loss == "sammon" else np.ones_like(d)
    np.testing.assert_allclose(ours.stress_, np.sum(by * (d - on_map) ** 2) / np.sum(by * d**2), rtol=1e-9)
    given = mercer.MDS(2, loss=loss, kernel="precomputed", values="distances").fit(pairwise_distances(X))
    np.testing.assert_allclose(given.stress_, ours.stress_, rtol=1e-9)
    if loss == "stress":
        with warnings.catch_warnings():
            # Its defaults are about to change.
            warnings.simplefilter("ignore")
            theirs = TheirMap(2, n_init=4, random_state=0).fit(X).embedding_
        assert np.sum((d - on_map) ** 2) <= np.sum((d - pairwise_distances(theirs)[np.triu_indices(len(X), 1)]) ** 2) * (1 + 1e-6)


def test_sparse_loadings_need_few_rows():
    full, few = KernelPCA(2, kernel="rbf", gamma=8.0).fit(CIRCLES), KernelPCA(2, kernel="rbf", gamma=8.0, sparsity=0.1).fit(CIRCLES)
    with_loadings = (few.eigenvectors_ != 0).any(axis=1)
    assert 2 < with_loadings.sum() < len(CIRCLES) / 2
    np.testing.assert_array_equal(np.flatnonzero(with_loadings), few.model_.support)
    ours, theirs = few.transform(CIRCLES), full.transform(CIRCLES)
    for k in range(2):
        assert np.corrcoef(ours[:, k], theirs[:, k])[0, 1] > 0.95
    with pytest.raises(mercer.MercerError, match="below 1"):
        KernelPCA(2, sparsity=1.0).fit(CIRCLES)


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_components_may_be_frames(output):
    frames = pytest.importorskip(output)
    X = np.random.default_rng(0).normal(size=(30, 4))
    model = mercer.KernelPCA(2, kernel="rbf", gamma=0.1, fit_inverse_transform=True, novelty=True)
    plain = model.fit(X)
    coordinates, back, usual = plain.transform(X), plain.inverse_transform(plain.transform(X)), plain.score_samples(X)
    placed = mercer.MDS(2).fit_transform(X)
    with sklearn.config_context(transform_output=output):
        framed = mercer.KernelPCA(**model.get_params()).fit(X)
        assert isinstance(framed.transform(X), frames.DataFrame) and list(framed.transform(X).columns) == ["kernelpca0", "kernelpca1"]
        np.testing.assert_array_equal(framed.transform(X), coordinates)
        np.testing.assert_array_equal(framed.fit_transform(X), coordinates)
        np.testing.assert_array_equal(framed.inverse_transform(framed.transform(X)), back)
        np.testing.assert_array_equal(framed.score_samples(X), usual)
        np.testing.assert_array_equal(mercer.MDS(2).set_output(transform=output).fit_transform(X), placed)
