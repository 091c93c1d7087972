"""Methods that find clusters against scikit-learn's, where it has them, and against their definitions."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.cluster import KMeans
from sklearn.cluster import SpectralClustering as Theirs
from sklearn.datasets import load_iris, make_blobs, make_circles
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import KernelKMeans, KMedoids, SpectralClustering

X = load_iris().data
CIRCLES, RING = make_circles(400, factor=0.3, noise=0.05, random_state=0)


def test_with_the_linear_kernel_the_objective_is_no_worse_than_that_of_k_means():
    for k in (2, 3, 5):
        ours = KernelKMeans(k, kernel="linear", n_init=10).fit(X)
        theirs = KMeans(k, n_init=20, random_state=0).fit(X)
        assert ours.inertia_ <= theirs.inertia_ * (1 + 1e-9)
        if abs(ours.inertia_ - theirs.inertia_) < 1e-9 * theirs.inertia_:
            assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1


def test_rings_are_told_apart_as_by_scikit_learn():
    ours = SpectralClustering(2, gamma=30.0).fit(CIRCLES)
    theirs = Theirs(2, gamma=30.0, random_state=0).fit(CIRCLES)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    assert adjusted_rand_score(ours.labels_, RING) == 1
    new, ring = make_circles(100, factor=0.3, noise=0.05, random_state=1)
    assert adjusted_rand_score(ours.predict(new), ring) == 1


def test_the_loss_of_medoids_is_the_sum_of_distances_to_the_nearest():
    ours = KMedoids(4, kernel="linear").fit(X)
    apart = cdist(X, X[ours.medoid_indices_])
    np.testing.assert_allclose(ours.inertia_, apart.min(axis=1).sum(), rtol=1e-9)
    np.testing.assert_array_equal(ours.labels_, apart.argmin(axis=1))
    np.testing.assert_array_equal(ours.cluster_centers_, X[ours.medoid_indices_])
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)
    # No other row in the place of any medoid is better.
    every = cdist(X, X)
    for position in range(4):
        for row in range(len(X)):
            medoids = ours.medoid_indices_.copy()
            medoids[position] = row
            assert every[:, medoids].min(axis=1).sum() >= ours.inertia_ * (1 - 1e-9)


@pytest.mark.parametrize("one", [KMedoids(3), KernelKMeans(3), SpectralClustering(3)], ids=str)
def test_weights_and_given_values_count_as_rows_and_kernels_do(one):
    blobs, _ = make_blobs(60, centers=3, cluster_std=0.4, random_state=4)
    one = one.set_params(gamma=0.5)
    weight = np.arange(60) % 3 + 1
    weighed = one.fit(blobs, sample_weight=weight)
    repeated = type(one)(**one.get_params()).fit(np.repeat(blobs, weight, axis=0))
    np.testing.assert_array_equal(np.repeat(weighed.labels_, weight), repeated.labels_)
    np.testing.assert_allclose(weighed.inertia_, repeated.inertia_, rtol=1e-8, atol=1e-10)
    given = type(one)(**{**one.get_params(), "kernel": "precomputed"}).fit(rbf_kernel(blobs, gamma=0.5))
    np.testing.assert_array_equal(given.labels_, type(one)(**one.get_params()).fit(blobs).labels_)


@pytest.mark.parametrize("by", ["silhouette", "gap", "stability"])
def test_the_number_of_clusters_is_found(by):
    blobs, truth = make_blobs(150, centers=[[0, 0], [9, 0], [0, 9], [9, 9]], random_state=0)
    found = KMedoids("auto", kernel="linear", count_by=by).fit(blobs)
    assert found.n_clusters_ == 4
    assert adjusted_rand_score(found.labels_, truth) == 1


def test_the_library_gives_numbers_of_clusters_and_refuses_more_than_there_are_rows(tmp_path):
    model = mercer.Learner("kernel_k_means(clusters=3)", "rbf(length_scale=2)").fit(X)
    assert set(model.predict(X)) == {0, 1, 2}
    sizes, medoids = model.clusters
    np.testing.assert_array_equal(sizes, np.bincount(model.predict(X)))
    assert len(medoids) == 0
    model.save(tmp_path / "m.mercer")
    np.testing.assert_array_equal(mercer.load(tmp_path / "m.mercer").predict(X), model.predict(X))
    with pytest.raises(mercer.MercerError, match="lower n_clusters|lower clusters"):
        KMedoids(10).fit(np.repeat([[0.0], [1.0]], 10, axis=0))
