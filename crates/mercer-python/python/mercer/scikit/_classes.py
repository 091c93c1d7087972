"""Estimators of scikit-learn's form.

Made by `make gen` from the records of the library and crates/mercer-gen/src/spellings.rs; edit those.
"""

from typing import Any

from ._base import AskedProbabilities, KernelClassifier, KernelRegressor, Probabilities, Scores, SupportRows
from ._clusters import Clusters, Medoids, Spectral
from ._components import PrincipalComponents, Scaling
from ._density import ModelledClasses, ModelledDensity, SmoothedDensity
from ._docstrings import docstring
from ._gp import GaussianProcess, GaussianProcessClasses
from ._learners import MercerClassifier, MercerRegressor
from ._linear import LinearMachineClassifier, LinearMachineRegressor
from ._neighbours import NeighbourClassifier, NeighbourRegressor
from ._relevance import RelevanceRegressor, RelevanceVectors
from ._ridge import RidgeClassification, RidgeRegression
from ._search import GridSearchCV
from ._smoothing import LocalCurve, Lowess
from ._streams import StreamOfClasses, StreamOfNumbers
from ._svm import ClassesOfSets, OneClassMachine, SupportVectorClassifier, SupportVectorRegressor

__all__ = [
    "BaselineClassifier", "BaselineRegressor", "BayesClassifier", "GaussianProcessClassifier", "GaussianProcessRegressor",
    "GenerativeDensity", "KMedoids", "KNeighborsClassifier", "KNeighborsRegressor", "KernelDensity", "KernelDiscriminantAnalysis",
    "KernelKMeans", "KernelLMS", "KernelLogisticRegression", "KernelPCA", "KernelPerceptron", "KernelRidge", "KernelRidgeClassifier",
    "L1VectorClassifier", "L1VectorRegressor", "L2VectorClassifier", "L2VectorRegressor", "LinearSVC", "LinearSVR", "LocalRegression",
    "Lowess", "MDS", "MercerClassifier", "MercerRegressor", "MultipleInstanceSVC", "NadarayaWatson", "NadarayaWatsonClassifier",
    "NadarayaWatsonRegressor", "NearestMedoidClassifier", "NuSVC", "NuSVR", "OneClassSVM", "RBFNetworkClassifier", "RBFNetworkRegressor",
    "RelevanceVectorClassifier", "RelevanceVectorRegressor", "SVC", "SVR", "SpectralClustering", "GridSearchCV",
]


class KernelRidgeClassifier(RidgeClassification):
    _name = "ridge"
    _parameter_names = {"lambda": "alpha", "intercept": "fit_intercept", "probabilities": "probability"}

    def __init__(
        self, alpha: float | str | tuple[float, float] = 1, *, kernel: Any = "rbf", gamma: Any = None, degree: int = 3, coef0: float = 1,
        kernel_params: dict[str, Any] | None = None, fit_intercept: bool = True, class_weight: Any = None, probability: bool = False,
        max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.alpha, self.kernel, self.gamma = alpha, kernel, gamma
        self.degree, self.coef0, self.kernel_params = degree, coef0, kernel_params
        self.fit_intercept, self.class_weight, self.probability = fit_intercept, class_weight, probability
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class KernelRidge(RidgeRegression):
    _name = "ridge"
    _parameter_names = {"lambda": "alpha", "intercept": "fit_intercept"}

    def __init__(
        self, alpha: Any = 1, *, kernel: Any = "linear", gamma: Any = None, degree: int = 3, coef0: float = 1,
        kernel_params: dict[str, Any] | None = None, fit_intercept: bool = False, max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha, self.kernel, self.gamma = alpha, kernel, gamma
        self.degree, self.coef0, self.kernel_params = degree, coef0, kernel_params
        self.fit_intercept, self.max_seconds, self.n_jobs = fit_intercept, max_seconds, n_jobs


class GaussianProcessClassifier(GaussianProcessClasses):
    _name = "gp"
    _parameter_names = {"inference": "inference", "tempered": "tempered"}
    _constants = {"noise": 0.0, "variance": 1.0}

    def __init__(
        self, kernel: Any = None, *, optimizer: Any = "fmin_l_bfgs_b", n_restarts_optimizer: int = 0, max_iter_predict: int = 100,
        warm_start: bool = False, copy_X_train: bool = True, multi_class: str = "one_vs_rest", inference: str = "laplace",
        tempered: bool = True, random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.kernel, self.optimizer, self.n_restarts_optimizer = kernel, optimizer, n_restarts_optimizer
        self.max_iter_predict, self.warm_start, self.copy_X_train = max_iter_predict, warm_start, copy_X_train
        self.multi_class, self.inference, self.tempered = multi_class, inference, tempered
        self.random_state, self.max_seconds, self.n_jobs = random_state, max_seconds, n_jobs


class GaussianProcessRegressor(GaussianProcess):
    _name = "gp"
    _parameter_names = {"noise": "alpha", "inducing": "inducing"}
    _constants = {"variance": 1.0, "standardise_target": False}

    def __init__(
        self, kernel: Any = None, *, alpha: Any = 1e-10, inducing: int | None = None, optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0, normalize_y: bool = False, copy_X_train: bool = True, n_targets: int | None = None,
        random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.kernel, self.alpha, self.inducing = kernel, alpha, inducing
        self.optimizer, self.n_restarts_optimizer, self.normalize_y = optimizer, n_restarts_optimizer, normalize_y
        self.copy_X_train, self.n_targets, self.random_state = copy_X_train, n_targets, random_state
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class SVC(SupportVectorClassifier):
    _name = "svc"
    _parameter_names = {"c": "C", "probabilities": "probability", "tolerance": "tol", "cache_mb": "cache_size", "max_iterations": "max_iter", "multiclass": "multiclass", "code": "code", "decoding": "decoding"}
    _constants = {"ties": "first"}

    def __init__(
        self, *, C: float | str | tuple[float, float] = 1.0, kernel: Any = "rbf", degree: int = 3, gamma: Any = "scale", coef0: float = 0.0,
        shrinking: bool = True, probability: bool = "deprecated", tol: float = 1e-3, cache_size: float = 8000, class_weight: Any = None,
        verbose: bool = False, max_iter: int = -1, decision_function_shape: str = "ovr", break_ties: bool = False, random_state: Any = None,
        multiclass: str = "pairs", code: str = "auto", decoding: str = "loss", max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.C, self.kernel, self.degree = C, kernel, degree
        self.gamma, self.coef0, self.shrinking = gamma, coef0, shrinking
        self.probability, self.tol, self.cache_size = probability, tol, cache_size
        self.class_weight, self.verbose, self.max_iter = class_weight, verbose, max_iter
        self.decision_function_shape, self.break_ties, self.random_state = decision_function_shape, break_ties, random_state
        self.multiclass, self.code, self.decoding = multiclass, code, decoding
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class SVR(SupportVectorRegressor):
    _name = "svr"
    _parameter_names = {"tolerance": "tol", "c": "C", "epsilon": "epsilon", "cache_mb": "cache_size", "max_iterations": "max_iter"}
    _constants = {"standardise_target": False}

    def __init__(
        self, *, kernel: Any = "rbf", degree: int = 3, gamma: Any = "scale", coef0: float = 0.0, tol: float = 1e-3,
        C: float | str | tuple[float, float] = 1.0, epsilon: float | str | tuple[float, float] = 0.1, shrinking: bool = True,
        cache_size: float = 8000, verbose: bool = False, max_iter: int = -1, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.kernel, self.degree, self.gamma = kernel, degree, gamma
        self.coef0, self.tol, self.C = coef0, tol, C
        self.epsilon, self.shrinking, self.cache_size = epsilon, shrinking, cache_size
        self.verbose, self.max_iter, self.max_seconds = verbose, max_iter, max_seconds
        self.n_jobs = n_jobs


class KNeighborsClassifier(NeighbourClassifier):
    _name = "knn"
    _parameter_names = {"k": "n_neighbors", "weights": "weights"}
    _constants = {"ties": "first", "calibrated": False}

    def __init__(
        self, n_neighbors: int | str | tuple[int, int] = 5, *, weights: Any = "uniform", algorithm: str = "auto", leaf_size: int = 30,
        p: float = 2, metric: Any = "minkowski", metric_params: dict[str, Any] | None = None, n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors, self.weights, self.algorithm = n_neighbors, weights, algorithm
        self.leaf_size, self.p, self.metric = leaf_size, p, metric
        self.metric_params, self.n_jobs = metric_params, n_jobs


class KNeighborsRegressor(NeighbourRegressor):
    _name = "knn"
    _parameter_names = {"k": "n_neighbors", "weights": "weights"}

    def __init__(
        self, n_neighbors: int | str | tuple[int, int] = 5, *, weights: Any = "uniform", algorithm: str = "auto", leaf_size: int = 30,
        p: float = 2, metric: Any = "minkowski", metric_params: dict[str, Any] | None = None, n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors, self.weights, self.algorithm = n_neighbors, weights, algorithm
        self.leaf_size, self.p, self.metric = leaf_size, p, metric
        self.metric_params, self.n_jobs = metric_params, n_jobs


class BaselineClassifier(Probabilities, KernelClassifier):
    _name = "baseline"
    _parameter_names = {}
    _ignores_inputs = True

    def __init__(
        self, *, kernel: Any = "rbf", random_state: Any = None, n_jobs: int | None = None,
    ) -> None:
        self.kernel, self.random_state, self.n_jobs = kernel, random_state, n_jobs


class BaselineRegressor(KernelRegressor):
    _name = "baseline"
    _parameter_names = {}
    _ignores_inputs = True

    def __init__(
        self, *, kernel: Any = "rbf", random_state: Any = None, n_jobs: int | None = None,
    ) -> None:
        self.kernel, self.random_state, self.n_jobs = kernel, random_state, n_jobs


class KernelPCA(PrincipalComponents):
    _name = "kernel_pca"
    _parameter_names = {"components": "n_components", "values": "values", "novelty": "novelty", "sparsity": "sparsity"}

    def __init__(
        self, n_components: Any = None, *, kernel: Any = "linear", gamma: Any = None, degree: int = 3, coef0: float = 1,
        kernel_params: dict[str, Any] | None = None, alpha: float = 1.0, fit_inverse_transform: bool = False, eigen_solver: str = "auto",
        tol: float = 0, max_iter: int | None = None, iterated_power: Any = "auto", remove_zero_eig: bool = False, random_state: Any = None,
        copy_X: bool = True, values: str = "similarities", novelty: bool = False, sparsity: float = 0.0, max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components, self.kernel, self.gamma = n_components, kernel, gamma
        self.degree, self.coef0, self.kernel_params = degree, coef0, kernel_params
        self.alpha, self.fit_inverse_transform, self.eigen_solver = alpha, fit_inverse_transform, eigen_solver
        self.tol, self.max_iter, self.iterated_power = tol, max_iter, iterated_power
        self.remove_zero_eig, self.random_state, self.copy_X = remove_zero_eig, random_state, copy_X
        self.values, self.novelty, self.sparsity = values, novelty, sparsity
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class MDS(Scaling):
    _name = "mds"
    _parameter_names = {"components": "n_components", "values": "values", "loss": "loss", "tolerance": "tol"}

    def __init__(
        self, n_components: int = 2, *, kernel: Any = "linear", gamma: Any = None, degree: int = 3, coef0: float = 1,
        kernel_params: dict[str, Any] | None = None, values: str = "similarities", metric: Any = None, dissimilarity: Any = None,
        loss: str = "stress", tol: float = 1e-6, n_init: int | None = None, init: str | None = None, max_iter: int | None = None,
        eps: float | None = None, normalized_stress: bool | str = "auto", random_state: Any = None, max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components, self.kernel, self.gamma = n_components, kernel, gamma
        self.degree, self.coef0, self.kernel_params = degree, coef0, kernel_params
        self.values, self.metric, self.dissimilarity = values, metric, dissimilarity
        self.loss, self.tol, self.n_init = loss, tol, n_init
        self.init, self.max_iter, self.eps = init, max_iter, eps
        self.normalized_stress, self.random_state, self.max_seconds = normalized_stress, random_state, max_seconds
        self.n_jobs = n_jobs


class KMedoids(Medoids):
    _name = "k_medoids"
    _parameter_names = {"clusters": "n_clusters", "values": "values", "power": "power", "starts": "n_init", "count_by": "count_by"}

    def __init__(
        self, n_clusters: Any = 3, *, kernel: Any = "rbf", gamma: Any = None, degree: int = 3, coef0: float = 1,
        kernel_params: dict[str, Any] | None = None, metric: Any = None, values: str = "similarities", power: int = 1, n_init: int = 1,
        count_by: str = "silhouette", random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.n_clusters, self.kernel, self.gamma = n_clusters, kernel, gamma
        self.degree, self.coef0, self.kernel_params = degree, coef0, kernel_params
        self.metric, self.values, self.power = metric, values, power
        self.n_init, self.count_by, self.random_state = n_init, count_by, random_state
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class KernelKMeans(Clusters):
    _name = "kernel_k_means"
    _parameter_names = {"clusters": "n_clusters", "starts": "n_init", "count_by": "count_by"}

    def __init__(
        self, n_clusters: Any = 3, *, kernel: Any = "rbf", gamma: Any = None, degree: int = 3, coef0: float = 1,
        kernel_params: dict[str, Any] | None = None, n_init: int = 5, count_by: str = "silhouette", random_state: Any = None,
        max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.n_clusters, self.kernel, self.gamma = n_clusters, kernel, gamma
        self.degree, self.coef0, self.kernel_params = degree, coef0, kernel_params
        self.n_init, self.count_by, self.random_state = n_init, count_by, random_state
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class SpectralClustering(Spectral):
    _name = "spectral_clustering"
    _parameter_names = {"clusters": "n_clusters", "starts": "n_init", "count_by": "count_by"}

    def __init__(
        self, n_clusters: Any = 3, *, affinity: Any = None, kernel: Any = "rbf", gamma: Any = 1.0, degree: int = 3, coef0: float = 1,
        kernel_params: dict[str, Any] | None = None, n_neighbors: int = 10, n_components: int | None = None, assign_labels: str = "kmeans",
        eigen_solver: str | None = None, eigen_tol: Any = "auto", n_init: int = 10, count_by: str = "eigengap", verbose: bool = False,
        random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.n_clusters, self.affinity, self.kernel = n_clusters, affinity, kernel
        self.gamma, self.degree, self.coef0 = gamma, degree, coef0
        self.kernel_params, self.n_neighbors, self.n_components = kernel_params, n_neighbors, n_components
        self.assign_labels, self.eigen_solver, self.eigen_tol = assign_labels, eigen_solver, eigen_tol
        self.n_init, self.count_by, self.verbose = n_init, count_by, verbose
        self.random_state, self.max_seconds, self.n_jobs = random_state, max_seconds, n_jobs


class NearestMedoidClassifier(Scores, KernelClassifier):
    _name = "nearest_medoid"
    _parameter_names = {}

    def __init__(
        self, *, kernel: Any = "rbf", random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.kernel, self.random_state, self.max_seconds = kernel, random_state, max_seconds
        self.n_jobs = n_jobs


class KernelLogisticRegression(Scores, Probabilities, KernelClassifier):
    _name = "logistic"
    _parameter_names = {"lambda": "alpha", "intercept": "fit_intercept"}

    def __init__(
        self, *, alpha: float | str | tuple[float, float] = "auto", kernel: Any = "rbf", fit_intercept: bool = True,
        class_weight: Any = None, random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.alpha, self.kernel, self.fit_intercept = alpha, kernel, fit_intercept
        self.class_weight, self.random_state, self.max_seconds = class_weight, random_state, max_seconds
        self.n_jobs = n_jobs


class RelevanceVectorClassifier(Scores, Probabilities, RelevanceVectors, KernelClassifier):
    _name = "rvm"
    _parameter_names = {"intercept": "fit_intercept", "max_relevant": "max_relevant", "starts": "n_init"}
    _constants = {"class_weight": "none"}

    def __init__(
        self, *, kernel: Any = "rbf", fit_intercept: bool = True, max_relevant: Any = "auto", n_init: Any = "auto",
        class_weight: Any = None, random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.kernel, self.fit_intercept, self.max_relevant = kernel, fit_intercept, max_relevant
        self.n_init, self.class_weight, self.random_state = n_init, class_weight, random_state
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class RelevanceVectorRegressor(RelevanceRegressor):
    _name = "rvm"
    _parameter_names = {"intercept": "fit_intercept", "max_relevant": "max_relevant", "starts": "n_init"}
    _constants = {"class_weight": "none"}

    def __init__(
        self, *, kernel: Any = "rbf", fit_intercept: bool = True, max_relevant: Any = "auto", n_init: Any = "auto",
        random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.kernel, self.fit_intercept, self.max_relevant = kernel, fit_intercept, max_relevant
        self.n_init, self.random_state, self.max_seconds = n_init, random_state, max_seconds
        self.n_jobs = n_jobs


class L2VectorClassifier(Scores, Probabilities, KernelClassifier):
    _name = "l2vm"
    _parameter_names = {"lambda": "alpha", "intercept": "fit_intercept"}

    def __init__(
        self, *, alpha: float | str | tuple[float, float] = "auto", kernel: Any = "rbf", fit_intercept: bool = True,
        class_weight: Any = None, random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.alpha, self.kernel, self.fit_intercept = alpha, kernel, fit_intercept
        self.class_weight, self.random_state, self.max_seconds = class_weight, random_state, max_seconds
        self.n_jobs = n_jobs


class L2VectorRegressor(KernelRegressor):
    _name = "l2vm"
    _parameter_names = {"lambda": "alpha", "intercept": "fit_intercept"}

    def __init__(
        self, *, alpha: float | str | tuple[float, float] = "auto", kernel: Any = "rbf", fit_intercept: bool = True,
        random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.alpha, self.kernel, self.fit_intercept = alpha, kernel, fit_intercept
        self.random_state, self.max_seconds, self.n_jobs = random_state, max_seconds, n_jobs


class L1VectorClassifier(SupportRows, Scores, Probabilities, KernelClassifier):
    _name = "l1vm"
    _parameter_names = {"lambda": "lambda_", "tolerance": "tol", "max_iterations": "max_iter"}

    def __init__(
        self, *, lambda_: float | str | tuple[float, float] = "auto", kernel: Any = "rbf", class_weight: Any = None, tol: float = 1e-6,
        max_iter: int = 1000, random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.lambda_, self.kernel, self.class_weight = lambda_, kernel, class_weight
        self.tol, self.max_iter, self.random_state = tol, max_iter, random_state
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class L1VectorRegressor(SupportRows, KernelRegressor):
    _name = "l1vm"
    _parameter_names = {"lambda": "lambda_", "tolerance": "tol", "max_iterations": "max_iter"}
    _constants = {"class_weight": "none"}

    def __init__(
        self, *, lambda_: float | str | tuple[float, float] = "auto", kernel: Any = "rbf", tol: float = 1e-6, max_iter: int = 1000,
        random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.lambda_, self.kernel, self.tol = lambda_, kernel, tol
        self.max_iter, self.random_state, self.max_seconds = max_iter, random_state, max_seconds
        self.n_jobs = n_jobs


class RBFNetworkClassifier(SupportRows, Scores, Probabilities, KernelClassifier):
    _name = "rbf_network"
    _parameter_names = {"lambda": "alpha", "count": "n_centroids", "centroids": "centroids", "intercept": "fit_intercept"}

    def __init__(
        self, *, alpha: float | str | tuple[float, float] = "auto", n_centroids: Any = "auto", centroids: str = "k_medoids",
        kernel: Any = "rbf", fit_intercept: bool = True, class_weight: Any = None, random_state: Any = None,
        max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.alpha, self.n_centroids, self.centroids = alpha, n_centroids, centroids
        self.kernel, self.fit_intercept, self.class_weight = kernel, fit_intercept, class_weight
        self.random_state, self.max_seconds, self.n_jobs = random_state, max_seconds, n_jobs


class RBFNetworkRegressor(SupportRows, KernelRegressor):
    _name = "rbf_network"
    _parameter_names = {"lambda": "alpha", "count": "n_centroids", "centroids": "centroids", "intercept": "fit_intercept"}

    def __init__(
        self, *, alpha: float | str | tuple[float, float] = "auto", n_centroids: Any = "auto", centroids: str = "k_medoids",
        kernel: Any = "rbf", fit_intercept: bool = True, random_state: Any = None, max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha, self.n_centroids, self.centroids = alpha, n_centroids, centroids
        self.kernel, self.fit_intercept, self.random_state = kernel, fit_intercept, random_state
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class KernelPerceptron(StreamOfClasses, Scores, AskedProbabilities, KernelClassifier):
    _name = "perceptron"
    _parameter_names = {"vector": "vector", "passes": "max_iter", "budget": "budget", "intercept": "fit_intercept", "order": "order", "probabilities": "probability"}
    _constants = {"rate": "auto"}

    def __init__(
        self, *, kernel: Any = "rbf", vector: str = "averaged", max_iter: int = 10, budget: int = 0, fit_intercept: bool = True,
        order: str = "drawn", class_weight: Any = None, probability: bool = False, random_state: Any = None,
        max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.kernel, self.vector, self.max_iter = kernel, vector, max_iter
        self.budget, self.fit_intercept, self.order = budget, fit_intercept, order
        self.class_weight, self.probability, self.random_state = class_weight, probability, random_state
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class KernelLMS(StreamOfNumbers, KernelRegressor):
    _name = "perceptron"
    _parameter_names = {"rate": "learning_rate", "passes": "max_iter", "budget": "budget", "intercept": "fit_intercept", "order": "order"}
    _constants = {"vector": "last", "probabilities": False}

    def __init__(
        self, *, kernel: Any = "rbf", learning_rate: Any = "auto", max_iter: int = 10, budget: int = 0, fit_intercept: bool = True,
        order: str = "drawn", random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.kernel, self.learning_rate, self.max_iter = kernel, learning_rate, max_iter
        self.budget, self.fit_intercept, self.order = budget, fit_intercept, order
        self.random_state, self.max_seconds, self.n_jobs = random_state, max_seconds, n_jobs


class KernelDiscriminantAnalysis(Scores, Probabilities, KernelClassifier):
    _name = "discriminant"
    _parameter_names = {"lambda": "lambda_", "priors": "priors"}

    def __init__(
        self, *, lambda_: float | str | tuple[float, float] = "auto", kernel: Any = "rbf", priors: str = "frequencies",
        class_weight: Any = None, random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.lambda_, self.kernel, self.priors = lambda_, kernel, priors
        self.class_weight, self.random_state, self.max_seconds = class_weight, random_state, max_seconds
        self.n_jobs = n_jobs


class NadarayaWatsonClassifier(Probabilities, KernelClassifier):
    _name = "nadaraya_watson"
    _parameter_names = {"calibrated": "calibrated"}

    def __init__(
        self, *, calibrated: bool = True, class_weight: Any = None, kernel: Any = "rbf", random_state: Any = None,
        max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.calibrated, self.class_weight, self.kernel = calibrated, class_weight, kernel
        self.random_state, self.max_seconds, self.n_jobs = random_state, max_seconds, n_jobs


class NadarayaWatsonRegressor(KernelRegressor):
    _name = "nadaraya_watson"
    _parameter_names = {}

    def __init__(
        self, *, kernel: Any = "rbf", random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.kernel, self.random_state, self.max_seconds = kernel, random_state, max_seconds
        self.n_jobs = n_jobs


class LinearSVC(LinearMachineClassifier):
    _name = "linear_svc"
    _parameter_names = {"loss": "loss", "solver": "dual", "tolerance": "tol", "c": "C", "intercept_scale": "intercept_scaling", "max_iterations": "max_iter"}

    def __init__(
        self, penalty: str = "l2", loss: str = "squared_hinge", *, dual: bool | str = "auto", tol: float = 1e-4,
        C: float | str | tuple[float, float] = 1.0, multi_class: str = "ovr", fit_intercept: bool = True, intercept_scaling: float = 1.0,
        class_weight: Any = None, verbose: int = 0, random_state: Any = None, max_iter: int = 1000, max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty, self.loss, self.dual = penalty, loss, dual
        self.tol, self.C, self.multi_class = tol, C, multi_class
        self.fit_intercept, self.intercept_scaling, self.class_weight = fit_intercept, intercept_scaling, class_weight
        self.verbose, self.random_state, self.max_iter = verbose, random_state, max_iter
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class LinearSVR(LinearMachineRegressor):
    _name = "linear_svr"
    _parameter_names = {"epsilon": "epsilon", "tolerance": "tol", "c": "C", "loss": "loss", "intercept_scale": "intercept_scaling", "solver": "dual", "max_iterations": "max_iter"}
    _constants = {"standardise_target": False}

    def __init__(
        self, *, epsilon: float | str | tuple[float, float] = 0.0, tol: float = 1e-4, C: float | str | tuple[float, float] = 1.0,
        loss: str = "epsilon_insensitive", fit_intercept: bool = True, intercept_scaling: float = 1.0, dual: bool | str = "auto",
        verbose: int = 0, random_state: Any = None, max_iter: int = 1000, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.epsilon, self.tol, self.C = epsilon, tol, C
        self.loss, self.fit_intercept, self.intercept_scaling = loss, fit_intercept, intercept_scaling
        self.dual, self.verbose, self.random_state = dual, verbose, random_state
        self.max_iter, self.max_seconds, self.n_jobs = max_iter, max_seconds, n_jobs


class KernelDensity(SmoothedDensity):
    _name = "kde"
    _parameter_names = {"bandwidth": "bandwidth", "kernel": "kernel", "shape": "shape", "adaptive": "adaptive"}

    def __init__(
        self, *, bandwidth: Any = 1.0, algorithm: str = "auto", kernel: str = "gaussian", metric: str = "euclidean", atol: float = 0.0,
        rtol: float = 0.0, breadth_first: bool = True, leaf_size: int = 40, metric_params: dict[str, Any] | None = None,
        shape: str = "radial", covariance: bool = False, support: Any = None, adaptive: bool = False, n_jobs: int | None = None,
    ) -> None:
        self.bandwidth, self.algorithm, self.kernel = bandwidth, algorithm, kernel
        self.metric, self.atol, self.rtol = metric, atol, rtol
        self.breadth_first, self.leaf_size, self.metric_params = breadth_first, leaf_size, metric_params
        self.shape, self.covariance, self.support = shape, covariance, support
        self.adaptive, self.n_jobs = adaptive, n_jobs


class LocalRegression(LocalCurve):
    _name = "local_regression"
    _parameter_names = {"bandwidth": "bandwidth", "degree": "degree", "kernel": "kernel", "span": "span", "rounds": "it"}

    def __init__(
        self, bandwidth: Any = "left_out", *, degree: int = 1, kernel: str | None = None, span: float | None = None, it: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth, self.degree, self.kernel = bandwidth, degree, kernel
        self.span, self.it, self.n_jobs = span, it, n_jobs


class NadarayaWatson(LocalCurve):
    _name = "local_regression"
    _parameter_names = {"bandwidth": "bandwidth", "kernel": "kernel", "span": "span"}
    _constants = {"degree": 0, "rounds": 0}

    def __init__(
        self, bandwidth: Any = "left_out", *, kernel: str | None = None, span: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.bandwidth, self.kernel, self.span = bandwidth, kernel, span
        self.n_jobs = n_jobs


class GenerativeDensity(ModelledDensity):
    _name = "density"
    _parameter_names = {"model": "distribution"}

    def __init__(
        self, distribution: Any = "gaussian", *, random_state: Any = None, max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.distribution, self.random_state, self.max_seconds = distribution, random_state, max_seconds
        self.n_jobs = n_jobs


class BayesClassifier(Scores, Probabilities, ModelledClasses):
    _name = "bayes"
    _parameter_names = {"model": "distribution", "priors": "priors"}

    def __init__(
        self, distribution: Any = "gaussian", *, priors: str = "frequencies", random_state: Any = None, max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.distribution, self.priors, self.random_state = distribution, priors, random_state
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class MultipleInstanceSVC(Scores, AskedProbabilities, ClassesOfSets):
    _name = "mi_svm"
    _parameter_names = {"c": "C", "positive": "positive", "tolerance": "tol", "rounds": "rounds", "probabilities": "probability"}

    def __init__(
        self, *, C: float | str | tuple[float, float] = 1.0, kernel: Any = "set_mean(rbf)", positive: Any = (), class_weight: Any = None,
        tol: float = 1e-3, rounds: int = 50, probability: bool = False, random_state: Any = None, max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C, self.kernel, self.positive = C, kernel, positive
        self.class_weight, self.tol, self.rounds = class_weight, tol, rounds
        self.probability, self.random_state, self.max_seconds = probability, random_state, max_seconds
        self.n_jobs = n_jobs


class OneClassSVM(OneClassMachine):
    _name = "one_class"
    _parameter_names = {"tolerance": "tol", "nu": "nu", "cache_mb": "cache_size", "max_iterations": "max_iter"}

    def __init__(
        self, *, kernel: Any = "rbf", degree: int = 3, gamma: Any = "scale", coef0: float = 0.0, tol: float = 1e-3, nu: float = 0.5,
        shrinking: bool = True, cache_size: float = 8000, verbose: bool = False, max_iter: int = -1, max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel, self.degree, self.gamma = kernel, degree, gamma
        self.coef0, self.tol, self.nu = coef0, tol, nu
        self.shrinking, self.cache_size, self.verbose = shrinking, cache_size, verbose
        self.max_iter, self.max_seconds, self.n_jobs = max_iter, max_seconds, n_jobs


class NuSVC(SupportVectorClassifier):
    _name = "nu_svc"
    _parameter_names = {"nu": "nu", "probabilities": "probability", "tolerance": "tol", "cache_mb": "cache_size", "max_iterations": "max_iter"}
    _constants = {"ties": "first"}

    def __init__(
        self, *, nu: float = 0.5, kernel: Any = "rbf", degree: int = 3, gamma: Any = "scale", coef0: float = 0.0, shrinking: bool = True,
        probability: bool = "deprecated", tol: float = 1e-3, cache_size: float = 8000, class_weight: Any = None, verbose: bool = False,
        max_iter: int = -1, decision_function_shape: str = "ovr", break_ties: bool = False, random_state: Any = None,
        max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.nu, self.kernel, self.degree = nu, kernel, degree
        self.gamma, self.coef0, self.shrinking = gamma, coef0, shrinking
        self.probability, self.tol, self.cache_size = probability, tol, cache_size
        self.class_weight, self.verbose, self.max_iter = class_weight, verbose, max_iter
        self.decision_function_shape, self.break_ties, self.random_state = decision_function_shape, break_ties, random_state
        self.max_seconds, self.n_jobs = max_seconds, n_jobs


class NuSVR(SupportVectorRegressor):
    _name = "nu_svr"
    _parameter_names = {"nu": "nu", "c": "C", "tolerance": "tol", "cache_mb": "cache_size", "max_iterations": "max_iter"}
    _constants = {"standardise_target": False}

    def __init__(
        self, *, nu: float = 0.5, C: float | str | tuple[float, float] = 1.0, kernel: Any = "rbf", degree: int = 3, gamma: Any = "scale",
        coef0: float = 0.0, shrinking: bool = True, tol: float = 1e-3, cache_size: float = 8000, verbose: bool = False, max_iter: int = -1,
        max_seconds: float | None = None, n_jobs: int | None = None,
    ) -> None:
        self.nu, self.C, self.kernel = nu, C, kernel
        self.degree, self.gamma, self.coef0 = degree, gamma, coef0
        self.shrinking, self.tol, self.cache_size = shrinking, tol, cache_size
        self.verbose, self.max_iter, self.max_seconds = verbose, max_iter, max_seconds
        self.n_jobs = n_jobs


for _class in (
    KernelRidgeClassifier, KernelRidge, GaussianProcessClassifier, GaussianProcessRegressor, SVC, SVR, KNeighborsClassifier,
    KNeighborsRegressor, BaselineClassifier, BaselineRegressor, KernelPCA, MDS, KMedoids, KernelKMeans, SpectralClustering,
    NearestMedoidClassifier, KernelLogisticRegression, RelevanceVectorClassifier, RelevanceVectorRegressor, L2VectorClassifier,
    L2VectorRegressor, L1VectorClassifier, L1VectorRegressor, RBFNetworkClassifier, RBFNetworkRegressor, KernelPerceptron, KernelLMS,
    KernelDiscriminantAnalysis, NadarayaWatsonClassifier, NadarayaWatsonRegressor, LinearSVC, LinearSVR, KernelDensity, LocalRegression,
    NadarayaWatson, GenerativeDensity, BayesClassifier, MultipleInstanceSVC, OneClassSVM, NuSVC, NuSVR,
):
    _class.__doc__ = docstring(_class)
del _class
