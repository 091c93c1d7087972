"""Estimators of scikit-learn's form.

Made by `make gen` from the records of the library and crates/mercer-gen/src/spellings.rs; edit those.
"""

from typing import Any

from ._base import AskedProbabilities, KernelClassifier, KernelRegressor, Probabilities, Scores, SupportRows
from ._clusters import Clusters, Medoids, Spectral
from ._components import PrincipalComponents, Scaling
from ._density import KernelDensity
from ._gp import GaussianProcess, GaussianProcessClasses
from ._learners import MercerClassifier, MercerRegressor
from ._linear import LinearSVC, LinearSVR
from ._neighbours import NeighbourClassifier, NeighbourRegressor
from ._relevance import RelevanceRegressor, RelevanceVectors
from ._ridge import RidgeClassification, RidgeRegression
from ._search import GridSearchCV
from ._smoothing import LocalRegression, Lowess, NadarayaWatson
from ._streams import StreamOfClasses, StreamOfNumbers
from ._svm import SupportVectorClassifier, SupportVectorRegressor

__all__ = ["BaselineClassifier", "BaselineRegressor", "GaussianProcessClassifier", "GaussianProcessRegressor", "KMedoids", "KNeighborsClassifier", "KNeighborsRegressor", "KernelDensity", "KernelDiscriminantAnalysis", "KernelKMeans", "KernelLMS", "KernelLogisticRegression", "KernelPCA", "KernelPerceptron", "KernelRidge", "KernelRidgeClassifier", "L1VectorClassifier", "L1VectorRegressor", "L2VectorClassifier", "L2VectorRegressor", "LinearSVC", "LinearSVR", "LocalRegression", "Lowess", "MDS", "MercerClassifier", "MercerRegressor", "NadarayaWatson", "NadarayaWatsonClassifier", "NadarayaWatsonRegressor", "NearestMedoidClassifier", "RBFNetworkClassifier", "RBFNetworkRegressor", "RelevanceVectorClassifier", "RelevanceVectorRegressor", "SVC", "SVR", "SpectralClustering", "GridSearchCV"]


class KernelRidgeClassifier(RidgeClassification):
    """Kernel ridge regression; classes through one-against-rest indicators.

    The estimator ridge of Mercer. What is "auto" or a pair is tuned by leave-one-out error.

    Parameters
    ----------
    alpha : float, "auto" or a pair (low, high) to search, default=1
        Strength of the penalty, in the units of the kernel; c = 1/lambda; 0: none, and of all functions that fit
        best the one of least norm.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two rows that returns a number.
    gamma : {"scale", "auto"} or float, default=None
        Factor of the kernels rbf, laplacian, poly, chi2 and sigmoid; None is 1 / columns (1 for chi2); an
        expression holds its own numbers.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the kernels poly and sigmoid.
    kernel_params : dict or None, default=None
        Keywords of a kernel that is a function of two rows.
    fit_intercept : bool, default=True
        Whether to add an unpenalised intercept.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    probability : bool, default=False
        Whether to give class probabilities, calibrated on scores of rows that were left out one by one or held out
        in folds; the predicted class is then the one of the greatest probability.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Coefficients of the training rows.
    X_fit_ : ndarray or sparse matrix
        The training rows, or their Gram matrix.
    intercept_ : ndarray
        Constants, one for each output.
    alpha_ : float or ndarray of shape (n_targets,)
        The penalty that was found, where it was left open; of a list one for each target.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRidgeClassifier
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> KernelRidgeClassifier().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "ridge"
    _spelt = {"lambda": "alpha", "intercept": "fit_intercept", "probabilities": "probability"}

    def __init__(
        self,
        alpha: float | str | tuple[float, float] = 1,
        *,
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        probability: bool = False,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.probability = probability
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class KernelRidge(RidgeRegression):
    """Kernel ridge regression; classes through one-against-rest indicators.

    The estimator ridge of Mercer. What is "auto" or a pair is tuned by leave-one-out error.

    Parameters
    ----------
    alpha : float, "auto", a pair (low, high) to search or a list of such for each target, default=1
        Strength of the penalty, in the units of the kernel; 0: none, and of all functions that fit best the one of
        least norm.
    kernel : str, mercer.Kernel or callable, default="linear"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two rows that returns a number.
    gamma : {"scale", "auto"} or float, default=None
        Factor of the kernels rbf, laplacian, poly, chi2 and sigmoid; None is 1 / columns (1 for chi2); an
        expression holds its own numbers.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the kernels poly and sigmoid.
    kernel_params : dict or None, default=None
        Keywords of a kernel that is a function of two rows.
    fit_intercept : bool, default=False
        Whether to add an unpenalised intercept.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Coefficients of the training rows.
    X_fit_ : ndarray or sparse matrix
        The training rows, or their Gram matrix.
    intercept_ : ndarray
        Constants, one for each output.
    alpha_ : float or ndarray of shape (n_targets,)
        The penalty that was found, where it was left open; of a list one for each target.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRidge
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> KernelRidge().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "ridge"
    _spelt = {"lambda": "alpha", "intercept": "fit_intercept"}

    def __init__(
        self,
        alpha: Any = 1,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        fit_intercept: bool = False,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class GaussianProcessClassifier(GaussianProcessClasses):
    """Gaussian processes: means and variances of numbers, probabilities of classes, evidence.

    The estimator gp of Mercer. What is "auto" or a pair is tuned by negative log evidence.

    Parameters
    ----------
    kernel : kernel instance, str, mercer.Kernel or callable, default=None
        A kernel of sklearn.gaussian_process.kernels, an expression such as "auto*rbf", or a function of two arrays;
        None is 1.0 * RBF(1.0), which stays as it is. What is auto in an expression is searched.
    optimizer : str, callable or None, default="fmin_l_bfgs_b"
        What moves the numbers of a kernel of scikit-learn; None leaves them as they are.
    n_restarts_optimizer : int, default=0
        Further searches of the numbers of a kernel of scikit-learn, from random places.
    max_iter_predict : int, default=100
        Has no effect: the mode is found to the last digits.
    warm_start : bool, default=False
        Has no effect: modes are found anew.
    copy_X_train : bool, default=True
        Whether X_train_ is a copy.
    multi_class : str, default="one_vs_rest"
        Has no effect, and a warning says so for "one_vs_one": several classes are one softmax over one function
        each, with one kernel.
    inference : {"laplace", "ep"}, default="laplace"
        Posterior approximation (classification only). laplace: at the mode; ep: expectation propagation, for two
        classes: slower, more accurate.
    tempered : bool, default=True
        Scale the Laplace covariance by a temperature of at most 1, chosen by leave-one-out log loss (classification
        only); without it probabilities are underconfident where the variance is large.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    kernel_ : kernel instance or mercer.Kernel
        The kernel with the numbers that were learnt.
    log_marginal_likelihood_value_ : float
        Log marginal likelihood of the classes by Laplace's approximation.
    n_classes_ : int
        Number of classes.
    X_train_ : ndarray or data frame
        The training rows.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import GaussianProcessClassifier
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> GaussianProcessClassifier().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "gp"
    _spelt = {"inference": "inference", "tempered": "tempered"}
    _fixed = {"noise": 0.0, "variance": 1.0}

    def __init__(
        self,
        kernel: Any = None,
        *,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        multi_class: Any = "one_vs_rest",
        inference: str = "laplace",
        tempered: bool = True,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.multi_class = multi_class
        self.inference = inference
        self.tempered = tempered
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class GaussianProcessRegressor(GaussianProcess):
    """Gaussian processes: means and variances of numbers, probabilities of classes, evidence.

    The estimator gp of Mercer. What is "auto" or a pair is tuned by negative log evidence.

    Parameters
    ----------
    kernel : kernel instance, str, mercer.Kernel or callable, default=None
        A kernel of sklearn.gaussian_process.kernels, an expression such as "auto*rbf + auto*white", or a function
        of two arrays; None is ConstantKernel() * RBF(). What is auto in an expression is searched, factors around
        the variance of the target; white without a factor is a variance of 1.
    alpha : float, "auto", a pair (low, high) to search or array-like of shape (n_samples,), default=1e-10
        Variance of the noise, for all rows or for each, in the units of the (normalised) target.
    optimizer : str, callable or None, default="fmin_l_bfgs_b"
        What moves the numbers of a kernel of scikit-learn; None leaves them as they are.
    n_restarts_optimizer : int, default=0
        Further searches of the numbers of a kernel of scikit-learn, from random places.
    normalize_y : bool, default=False
        Whether the target is brought to mean 0 and variance 1 first.
    copy_X_train : bool, default=True
        Whether X_train_ is a copy.
    n_targets : int or None, default=None
        Number of targets that samples from the prior have.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    kernel_ : kernel instance or mercer.Kernel
        The kernel with the numbers that were learnt.
    log_marginal_likelihood_value_ : float
        Log marginal likelihood of the (normalised) targets.
    alpha_ : ndarray
        Coefficients of the training rows.
    L_ : ndarray of shape (n_samples, n_samples)
        Lower Cholesky factor of the covariance of the targets.
    noise_ : float
        The noise that was found, where alpha was left open.
    X_train_ : ndarray or data frame
        The training rows.
    y_train_ : ndarray
        The (normalised) targets.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import GaussianProcessRegressor
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> GaussianProcessRegressor().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "gp"
    _spelt = {"noise": "alpha"}
    _fixed = {"variance": 1.0, "standardise_target": False}

    def __init__(
        self,
        kernel: Any = None,
        *,
        alpha: Any = 1e-10,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class SVC(SupportVectorClassifier):
    """Support vector classification: the widest margin between two classes, one against one for more.

    The estimator svc of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    C : float, "auto" or a pair (low, high) to search, default=1.0
        Penalty C on margin violations.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels rbf, poly and sigmoid: a number, "scale" for 1 / (columns * variance), "auto" for 1 /
        columns; an expression holds its own numbers, and a warning says so where this is given beside one.
    coef0 : float, default=0.0
        Constant of the kernels poly and sigmoid.
    shrinking : bool, default=True
        Has no effect: the solver decides itself.
    probability : bool, default="deprecated"
        Whether predict_proba is there: Platt's sigmoid for each pair of classes, fitted to decision values that
        were held out in folds, coupled and, for more than two classes, scaled by a softmax. predict then gives the
        class of greatest probability, where scikit-learn goes by votes in spite of the probabilities; weights of
        rows and classes count in the probabilities too.
    tol : float, default=1e-3
        Greatest violation of the optimality conditions, in units of the decision value, and greatest relative
        duality gap.
    cache_size : float, default=8000
        Kernel cache in MB; affects speed only.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    verbose : bool, default=False
        Whether to print how the fit goes on and how it ended.
    max_iter : int, default=-1
        Most steps of the solver for each pair of classes.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Decision values of more than two classes: one for each class, or one for each pair.
    break_ties : bool, default=False
        Whether decision values decide between classes with equal votes, and not their order.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    support_ : ndarray of shape (n_support,)
        Rows of the support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The support vectors.
    n_support_ : ndarray
        Number of support vectors, for each class.
    dual_coef_ : ndarray or sparse array
        Coefficients of the support vectors.
    intercept_ : ndarray
        Constants of the decision functions.
    coef_ : ndarray or sparse array
        Coefficients of the columns, where the kernel is "linear".
    n_iter_ : ndarray or int
        Steps of the solver.
    probA_, probB_ : ndarray of shape (n_pairs,)
        A and B of Platt's sigmoids: the first class of a pair has the probability 1 / (1 + exp(A d + B)) for a
        decision value d above 0 for it; empty without probability=True.
    C_ : float
        The penalty that was found, where it was left open; so for every argument.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVC
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> SVC().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "svc"
    _spelt = {"c": "C", "probabilities": "probability", "tolerance": "tol", "cache_mb": "cache_size", "max_iterations": "max_iter"}
    _fixed = {"ties": "first"}

    def __init__(
        self,
        *,
        C: float | str | tuple[float, float] = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 8000,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class SVR(SupportVectorRegressor):
    """Support vector regression: the flattest function within a tube around most of the targets.

    The estimator svr of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels rbf, poly and sigmoid: a number, "scale" for 1 / (columns * variance), "auto" for 1 /
        columns; an expression holds its own numbers, and a warning says so where this is given beside one.
    coef0 : float, default=0.0
        Constant of the kernels poly and sigmoid.
    tol : float, default=1e-3
        Greatest violation of the optimality conditions, in the units of epsilon, and greatest relative duality gap.
    C : float, "auto" or a pair (low, high) to search, default=1.0
        Penalty C on residuals beyond epsilon.
    epsilon : float, "auto" or a pair (low, high) to search, default=0.1
        Half-width of the tube within which residuals cost nothing.
    shrinking : bool, default=True
        Has no effect: the solver decides itself.
    cache_size : float, default=8000
        Kernel cache in MB; affects speed only.
    verbose : bool, default=False
        Whether to print how the fit goes on and how it ended.
    max_iter : int, default=-1
        Most steps of the solver for each target column.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Rows of the support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        The support vectors.
    n_support_ : ndarray
        Number of support vectors, for each class.
    dual_coef_ : ndarray or sparse array
        Coefficients of the support vectors.
    intercept_ : ndarray
        Constants of the decision functions.
    coef_ : ndarray or sparse array
        Coefficients of the columns, where the kernel is "linear".
    n_iter_ : ndarray or int
        Steps of the solver.
    C_ : float
        The penalty that was found, where it was left open; so for every argument.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVR
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> SVR().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "svr"
    _spelt = {"tolerance": "tol", "c": "C", "epsilon": "epsilon", "cache_mb": "cache_size", "max_iterations": "max_iter"}
    _fixed = {"standardise_target": False}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float | str | tuple[float, float] = 1.0,
        epsilon: float | str | tuple[float, float] = 0.1,
        shrinking: bool = True,
        cache_size: float = 8000,
        verbose: bool = False,
        max_iter: int = -1,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class KNeighborsClassifier(NeighbourClassifier):
    """Nearest neighbours by kernel distance: votes for classes, means for numbers.

    The estimator knn of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    n_neighbors : int, "auto" or a pair (low, high) to search, default=5
        Number of neighbours; a row of weight 2 counts as two; without calibration a class has the probability
        (votes + its frequency) / (k + 1).
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        Uniform (or None): every neighbour counts alike; distance: by the inverse of its distance; a function gets
        distances (n_queries, n_neighbors) and returns weights of that shape.
    algorithm : str, default="auto"
        How neighbours are searched, by scikit-learn's NearestNeighbors; predictions by the Euclidean metric have a
        search of the library.
    leaf_size : int, default=30
        Rows in a leaf of the trees of that search.
    p : float, default=2
        Power of the metric minkowski.
    metric : str or callable, default="minkowski"
        A metric that scikit-learn knows, or "precomputed" for distances.
    metric_params : dict or None, default=None
        Keywords of the metric.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    outputs_2d_ : bool
        Whether there are several targets: classes_ is a list then, and model_.models are the models, one for each.
    n_samples_fit_ : int
        Number of training rows.
    effective_metric_ : str or callable
        The metric, minkowski by the name that it has for its p.
    effective_metric_params_ : dict
        What is left of its keywords.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KNeighborsClassifier
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> KNeighborsClassifier().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "knn"
    _spelt = {"k": "n_neighbors", "weights": "weights"}
    _fixed = {"ties": "first", "calibrated": False}

    def __init__(
        self,
        n_neighbors: int | str | tuple[int, int] = 5,
        *,
        weights: Any = "uniform",
        algorithm: Any = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs


class KNeighborsRegressor(NeighbourRegressor):
    """Nearest neighbours by kernel distance: votes for classes, means for numbers.

    The estimator knn of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    n_neighbors : int, "auto" or a pair (low, high) to search, default=5
        Number of neighbours; a row of weight 2 counts as two; without calibration a class has the probability
        (votes + its frequency) / (k + 1).
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        Uniform (or None): every neighbour counts alike; distance: by the inverse of its distance; a function gets
        distances (n_queries, n_neighbors) and returns weights of that shape.
    algorithm : str, default="auto"
        How neighbours are searched, by scikit-learn's NearestNeighbors; predictions by the Euclidean metric have a
        search of the library.
    leaf_size : int, default=30
        Rows in a leaf of the trees of that search.
    p : float, default=2
        Power of the metric minkowski.
    metric : str or callable, default="minkowski"
        A metric that scikit-learn knows, or "precomputed" for distances.
    metric_params : dict or None, default=None
        Keywords of the metric.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of training rows.
    effective_metric_ : str or callable
        The metric, minkowski by the name that it has for its p.
    effective_metric_params_ : dict
        What is left of its keywords.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KNeighborsRegressor
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> KNeighborsRegressor().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "knn"
    _spelt = {"k": "n_neighbors", "weights": "weights"}

    def __init__(
        self,
        n_neighbors: int | str | tuple[int, int] = 5,
        *,
        weights: Any = "uniform",
        algorithm: Any = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs


class BaselineClassifier(Probabilities, KernelClassifier):
    """The most frequent class, or the mean of the targets: looks at no input.

    The estimator baseline of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import BaselineClassifier
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> BaselineClassifier().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "baseline"
    _spelt = {}
    _poor = True

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.random_state = random_state
        self.n_jobs = n_jobs


class BaselineRegressor(KernelRegressor):
    """The most frequent class, or the mean of the targets: looks at no input.

    The estimator baseline of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import BaselineRegressor
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> BaselineRegressor().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "baseline"
    _spelt = {}
    _poor = True

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.random_state = random_state
        self.n_jobs = n_jobs


class KernelPCA(PrincipalComponents):
    """Kernel principal component analysis: directions of greatest variance in feature space; classical scaling of
    distances.

    The estimator kernel_pca of Mercer.

    Parameters
    ----------
    n_components : int, float, "auto" or None, default=None
        How many components, or below 1 the share of the variance that they hold together; "auto": by parallel
        analysis; None: all along which rows differ.
    kernel : str, mercer.Kernel or callable, default="linear"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    gamma : {"scale", "auto"} or float, default=None
        Factor of the kernels rbf, poly and sigmoid; None is 1 / columns; an expression holds its own numbers.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the kernels poly and sigmoid.
    kernel_params : dict or None, default=None
        Keywords of a kernel that is a function of two rows.
    alpha : float, default=1.0
        The penalty of the ridge regression that inverse_transform is.
    fit_inverse_transform : bool, default=False
        Whether to learn inverse_transform: by ridge regression of the rows on their coordinates, under the same
        kernel.
    eigen_solver : str, default="auto"
        Has no effect: the solver decides itself.
    tol : float, default=0
        Has no effect: the residual of the eigenvectors is certificate_.
    max_iter : int or None, default=None
        Has no effect: the solver decides itself.
    iterated_power : int or "auto", default="auto"
        Has no effect: the solver decides itself.
    remove_zero_eig : bool, default=False
        Whether components without variance are left out; else, where n_components is a number of them, they are
        columns of 0.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    copy_X : bool, default=True
        Whether X_fit_ is a copy.
    values : {"similarities", "distances"}, default="similarities"
        Similarities: what kernels give; distances: the kernel's values are distances d, and -d^2/2 takes their
        place (classical scaling).
    novelty : bool, default=False
        Add a last column with the squared reconstruction error in feature space, which is large for rows unlike the
        training rows.
    sparsity : float, default=0.0
        0: every training row has loadings; above 0 and below 1: few have, by a penalty on those of each row, as a
        share of the least penalty that leaves none: predictions need these rows alone, and coordinates shrink.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred kernel matrix, greatest first.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Its eigenvectors; along each, the training row that lies farthest from 0 lies above it. With sparsity, what
        stands for them: 0 in rows without loadings.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The share of the variance along each component.
    X_fit_ : ndarray or sparse matrix
        The training rows, or their Gram matrix.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        Their coordinates, with fit_inverse_transform.
    gamma_ : float
        Factor of the kernels rbf, poly and sigmoid that was used.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelPCA
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> KernelPCA(1).fit_transform(X).shape
    (6, 1)
    """

    _name = "kernel_pca"
    _spelt = {"components": "n_components", "values": "values", "novelty": "novelty", "sparsity": "sparsity"}

    def __init__(
        self,
        n_components: Any = None,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: Any = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: Any = "auto",
        remove_zero_eig: bool = False,
        random_state: Any = None,
        copy_X: bool = True,
        values: str = "similarities",
        novelty: bool = False,
        sparsity: float = 0.0,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.values = values
        self.novelty = novelty
        self.sparsity = sparsity
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class MDS(Scaling):
    """Metric multidimensional scaling: coordinates in few dimensions that preserve the distances of the rows.

    The estimator mds of Mercer.

    Parameters
    ----------
    n_components : int, default=2
        Number of dimensions.
    kernel : str, mercer.Kernel or callable, default="linear"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    gamma : {"scale", "auto"} or float, default=None
        Factor of the kernels rbf, poly and sigmoid; None is 1 / columns; an expression holds its own numbers.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the kernels poly and sigmoid.
    kernel_params : dict or None, default=None
        Keywords of a kernel that is a function of two rows.
    values : {"similarities", "distances"}, default="similarities"
        Similarities: what kernels give; distances: the kernel's values are distances.
    metric : {"euclidean", "precomputed"} or None, default=None
        "precomputed": rows are distances, as kernel="precomputed" with values="distances" says too; "euclidean":
        those of the columns; None: those of the kernel's feature space.
    dissimilarity : {"euclidean", "precomputed"} or None, default=None
        The same as metric, by its name in scikit-learn below 1.8.
    loss : {"stress", "sammon"}, default="stress"
        Stress: differences of distances count alike; sammon: each by 1 / distance, so that near rows stay near.
    tol : float, default=1e-6
        Gradient norm at which the optimisation stops.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The places of the training rows.
    stress_ : float
        Sum of the squared differences of distances, by that of the squared distances: the square of stress-1.
    n_iter_ : int
        Steps.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import MDS
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> MDS(1).fit_transform(X).shape
    (6, 1)
    """

    _name = "mds"
    _spelt = {"components": "n_components", "values": "values", "loss": "loss", "tolerance": "tol"}

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        values: str = "similarities",
        metric: Any = None,
        dissimilarity: Any = None,
        loss: str = "stress",
        tol: float = 1e-6,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.values = values
        self.metric = metric
        self.dissimilarity = dissimilarity
        self.loss = loss
        self.tol = tol
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class KMedoids(Medoids):
    """K-medoids: clusters around central training rows (medoids).

    The estimator k_medoids of Mercer.

    Parameters
    ----------
    n_clusters : int or "auto", default=3
        Number of clusters; "auto": up to 10, chosen by count_by.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    gamma : {"scale", "auto"} or float, default=None
        Factor of the kernels rbf, poly and sigmoid; None is 1 / columns; an expression holds its own numbers.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the kernels poly and sigmoid.
    kernel_params : dict or None, default=None
        Keywords of a kernel that is a function of two rows.
    metric : {"euclidean", "precomputed"} or None, default=None
        "precomputed": rows are distances, as kernel="precomputed" with values="distances" says too; "euclidean":
        those of the columns; None: those of the kernel's feature space.
    values : {"similarities", "distances"}, default="similarities"
        Similarities: what kernels give; distances: the kernel's values are distances.
    power : int, default=1
        1: distances in feature space are added up; 2: their squares.
    n_init : int, default=1
        Number of starts, of which the best is kept: the first greedy, the others random.
    count_by : {"silhouette", "gap", "stability"}, default="silhouette"
        How the number of clusters is found, where it is auto. silhouette: from 2, the greatest mean silhouette;
        gap: from 1, by how much less the rows scatter within clusters than rows spread evenly do, which suits
        linear kernels and distances (curved ones lie less evenly than any such rows, and it rises on and on);
        stability: the greatest number whose clusters of two samples of the rows agree as well as those of the best.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row, counted from 0, the largest cluster first.
    medoid_indices_ : ndarray of shape (n_clusters,)
        The rows that are the medoids.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The medoids; none where rows are no numbers.
    inertia_ : float
        Sum of the distances of all rows to their medoids, to the power.
    n_iter_ : int
        Swaps that were made.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KMedoids
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> KMedoids(2).fit_predict(X).shape
    (6,)
    """

    _name = "k_medoids"
    _spelt = {"clusters": "n_clusters", "values": "values", "power": "power", "starts": "n_init", "count_by": "count_by"}

    def __init__(
        self,
        n_clusters: Any = 3,
        *,
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        metric: Any = None,
        values: str = "similarities",
        power: int = 1,
        n_init: int = 1,
        count_by: str = "silhouette",
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.metric = metric
        self.values = values
        self.power = power
        self.n_init = n_init
        self.count_by = count_by
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class KernelKMeans(Clusters):
    """K-means in feature space: clusters around means, of any shape that the kernel gives them.

    The estimator kernel_k_means of Mercer.

    Parameters
    ----------
    n_clusters : int or "auto", default=3
        Number of clusters; "auto": up to 10, chosen by count_by.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    gamma : {"scale", "auto"} or float, default=None
        Factor of the kernels rbf, poly and sigmoid; None is 1 / columns; an expression holds its own numbers.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the kernels poly and sigmoid.
    kernel_params : dict or None, default=None
        Keywords of a kernel that is a function of two rows.
    n_init : int, default=5
        Number of random starts, of which the best is kept.
    count_by : {"silhouette", "gap", "stability"}, default="silhouette"
        How the number of clusters is found, where it is auto. silhouette: from 2, the greatest mean silhouette;
        gap: from 1, by how much less the rows scatter within clusters than rows spread evenly do, which suits
        linear kernels and distances (curved ones lie less evenly than any such rows, and it rises on and on);
        stability: the greatest number whose clusters of two samples of the rows agree as well as those of the best.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row, counted from 0, the largest cluster first.
    inertia_ : float
        Sum of the squared distances of all rows to the centres of their clusters in feature space.
    n_iter_ : int
        Sweeps and single moves, of all starts.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelKMeans
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> KernelKMeans(2).fit_predict(X).shape
    (6,)
    """

    _name = "kernel_k_means"
    _spelt = {"clusters": "n_clusters", "starts": "n_init", "count_by": "count_by"}

    def __init__(
        self,
        n_clusters: Any = 3,
        *,
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        n_init: int = 5,
        count_by: str = "silhouette",
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_init = n_init
        self.count_by = count_by
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class SpectralClustering(Spectral):
    """Spectral clustering: clusters of any shape with few similarities between them.

    The estimator spectral_clustering of Mercer.

    Parameters
    ----------
    n_clusters : int or "auto", default=3
        Number of clusters; "auto": up to 10, chosen by count_by.
    affinity : str or callable, default=None
        In the place of kernel, as scikit-learn calls it; also "nearest_neighbors" and
        "precomputed_nearest_neighbors": which rows are among the n_neighbors nearest of each other.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    gamma : {"scale", "auto"} or float, default=1.0
        Factor of the kernels rbf, poly and sigmoid; None is 1 / columns; an expression holds its own numbers.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the kernels poly and sigmoid.
    kernel_params : dict or None, default=None
        Keywords of a kernel that is a function of two rows.
    n_neighbors : int, default=10
        Neighbours of the graphs of affinity.
    n_components : int or None, default=None
        Has no effect, and a warning says so: as many eigenvectors as clusters are taken.
    assign_labels : str, default="kmeans"
        Clusters among the eigenvectors are found by k-means: "kmeans".
    eigen_solver : str or None, default=None
        Has no effect: the solver decides itself.
    eigen_tol : float or "auto", default="auto"
        Has no effect: the residual of the eigenvectors is certificate_.
    n_init : int, default=10
        Number of k-means starts on the eigenvectors, of which the best is kept.
    count_by : {"eigengap", "stability"}, default="eigengap"
        How the number of clusters is found, where it is auto. eigengap: from 2, where the eigenvalues fall most;
        stability: the greatest number whose clusters of two samples of the rows agree as well as those of the best.
    verbose : bool, default=False
        Whether to print how the fit goes on and how it ended.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row, counted from 0, the largest cluster first.
    inertia_ : float
        Sum of the squared distances to the centres among the leading eigenvectors.
    n_iter_ : int
        Products of the matrix that the eigenvectors took.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SpectralClustering
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> SpectralClustering(2).fit_predict(X).shape
    (6,)
    """

    _name = "spectral_clustering"
    _spelt = {"clusters": "n_clusters", "starts": "n_init", "count_by": "count_by"}

    def __init__(
        self,
        n_clusters: Any = 3,
        *,
        affinity: Any = None,
        kernel: Any = "rbf",
        gamma: Any = 1.0,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        n_neighbors: int = 10,
        n_components: int | None = None,
        assign_labels: Any = "kmeans",
        eigen_solver: Any = None,
        eigen_tol: Any = "auto",
        n_init: int = 10,
        count_by: str = "eigengap",
        verbose: bool = False,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.assign_labels = assign_labels
        self.eigen_solver = eigen_solver
        self.eigen_tol = eigen_tol
        self.n_init = n_init
        self.count_by = count_by
        self.verbose = verbose
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class NearestMedoidClassifier(Scores, KernelClassifier):
    """Nearest medoid: the class whose most central training row is nearest; keeps one row for each class.

    The estimator nearest_medoid of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import NearestMedoidClassifier
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> NearestMedoidClassifier().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "nearest_medoid"
    _spelt = {}

    def __init__(
        self,
        *,
        class_weight: Any = None,
        kernel: Any = "rbf",
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.class_weight = class_weight
        self.kernel = kernel
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class KernelLogisticRegression(Scores, Probabilities, KernelClassifier):
    """Kernel logistic regression: probabilities of two classes, or of several by a softmax.

    The estimator logistic of Mercer. What is "auto" or a pair is tuned by negative log evidence by Laplace's
    approximation.

    Parameters
    ----------
    alpha : float, "auto" or a pair (low, high) to search, default="auto"
        Strength of the penalty, in the units of the kernel: 1 / C of LogisticRegression.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    fit_intercept : bool, default=True
        Whether to add an unpenalised intercept per output.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    alpha_ : float
        The penalty that was found, where it was left open.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelLogisticRegression
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> KernelLogisticRegression().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "logistic"
    _spelt = {"lambda": "alpha", "intercept": "fit_intercept"}

    def __init__(
        self,
        *,
        alpha: float | str | tuple[float, float] = "auto",
        kernel: Any = "rbf",
        fit_intercept: bool = True,
        class_weight: Any = None,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class RelevanceVectorClassifier(Scores, Probabilities, RelevanceVectors, KernelClassifier):
    """Relevance vector machine: few training rows, noise and weights by evidence, probabilities of classes.

    The estimator rvm of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    fit_intercept : bool, default=True
        Whether the intercept is one of the basis functions.
    max_relevant : int or "auto", default="auto"
        Most relevant rows; "auto": an eighth of the rows, at least 500.
    n_init : int or "auto", default="auto"
        Number of starts of the evidence maximisation, of which the best is kept; "auto": 4 for regression, 2 for
        classification.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    relevance_ : ndarray of shape (n_relevant,)
        Training rows with a weight.
    support_ : ndarray of shape (n_relevant,)
        The same rows.
    log_marginal_likelihood_value_ : float
        Log of the marginal likelihood; of classes by Laplace's approximation.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RelevanceVectorClassifier
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> RelevanceVectorClassifier().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "rvm"
    _spelt = {"intercept": "fit_intercept", "max_relevant": "max_relevant", "starts": "n_init"}
    _fixed = {"class_weight": "none"}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        fit_intercept: bool = True,
        max_relevant: Any = "auto",
        n_init: Any = "auto",
        class_weight: Any = None,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.fit_intercept = fit_intercept
        self.max_relevant = max_relevant
        self.n_init = n_init
        self.class_weight = class_weight
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class RelevanceVectorRegressor(RelevanceRegressor):
    """Relevance vector machine: few training rows, noise and weights by evidence, probabilities of classes.

    The estimator rvm of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    fit_intercept : bool, default=True
        Whether the intercept is one of the basis functions.
    max_relevant : int or "auto", default="auto"
        Most relevant rows; "auto": an eighth of the rows, at least 500.
    n_init : int or "auto", default="auto"
        Number of starts of the evidence maximisation, of which the best is kept; "auto": 4 for regression, 2 for
        classification.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    relevance_ : ndarray of shape (n_relevant,)
        Training rows with a weight.
    support_ : ndarray of shape (n_relevant,)
        The same rows.
    noise_ : float or ndarray of shape (n_targets,)
        Variance of the noise, by evidence.
    log_marginal_likelihood_value_ : float
        Log of the marginal likelihood; of classes by Laplace's approximation.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RelevanceVectorRegressor
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> RelevanceVectorRegressor().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "rvm"
    _spelt = {"intercept": "fit_intercept", "max_relevant": "max_relevant", "starts": "n_init"}
    _fixed = {"class_weight": "none"}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        fit_intercept: bool = True,
        max_relevant: Any = "auto",
        n_init: Any = "auto",
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.fit_intercept = fit_intercept
        self.max_relevant = max_relevant
        self.n_init = n_init
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class L2VectorClassifier(Scores, Probabilities, KernelClassifier):
    """L2 vector machine: a linear model on the similarities with all training rows, for numbers and classes.

    The estimator l2vm of Mercer. What is "auto" or a pair is tuned by negative log evidence.

    Parameters
    ----------
    alpha : float, "auto" or a pair (low, high) to search, default="auto"
        Strength of the penalty on the squares of the weights of the similarities.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    fit_intercept : bool, default=True
        Whether to add an unpenalised intercept per output.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    alpha_ : float
        The penalty that was found, where it was left open.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import L2VectorClassifier
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> L2VectorClassifier().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "l2vm"
    _spelt = {"lambda": "alpha", "intercept": "fit_intercept"}

    def __init__(
        self,
        *,
        alpha: float | str | tuple[float, float] = "auto",
        kernel: Any = "rbf",
        fit_intercept: bool = True,
        class_weight: Any = None,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class L2VectorRegressor(KernelRegressor):
    """L2 vector machine: a linear model on the similarities with all training rows, for numbers and classes.

    The estimator l2vm of Mercer. What is "auto" or a pair is tuned by negative log evidence.

    Parameters
    ----------
    alpha : float, "auto" or a pair (low, high) to search, default="auto"
        Strength of the penalty on the squares of the weights of the similarities.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    fit_intercept : bool, default=True
        Whether to add an unpenalised intercept per output.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    alpha_ : float
        The penalty that was found, where it was left open.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import L2VectorRegressor
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> L2VectorRegressor().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "l2vm"
    _spelt = {"lambda": "alpha", "intercept": "fit_intercept"}

    def __init__(
        self,
        *,
        alpha: float | str | tuple[float, float] = "auto",
        kernel: Any = "rbf",
        fit_intercept: bool = True,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class L1VectorClassifier(SupportRows, Scores, Probabilities, KernelClassifier):
    """L1 vector machine: a sparse linear or logistic model on kernel values with training rows.

    The estimator l1vm of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    lambda_ : float, "auto" or a pair (low, high) to search, default="auto"
        Strength of the penalty, lambda sum_j |B_j| beside the sum of the losses; the larger, the fewer rows are
        kept.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    tol : float, default=1e-6
        Greatest violation of the optimality conditions, as a share of lambda.
    max_iter : int, default=1000
        Most Newton steps.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    support_ : ndarray
        The training rows with a coefficient.
    n_iter_ : int
        Newton steps.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import L1VectorClassifier
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> L1VectorClassifier().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "l1vm"
    _spelt = {"lambda": "lambda_", "tolerance": "tol", "max_iterations": "max_iter"}

    def __init__(
        self,
        *,
        lambda_: float | str | tuple[float, float] = "auto",
        kernel: Any = "rbf",
        class_weight: Any = None,
        tol: float = 1e-6,
        max_iter: int = 1000,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.lambda_ = lambda_
        self.kernel = kernel
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class L1VectorRegressor(SupportRows, KernelRegressor):
    """L1 vector machine: a sparse linear or logistic model on kernel values with training rows.

    The estimator l1vm of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    lambda_ : float, "auto" or a pair (low, high) to search, default="auto"
        Strength of the penalty, lambda sum_j |B_j| beside the sum of the losses; the larger, the fewer rows are
        kept.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    tol : float, default=1e-6
        Greatest violation of the optimality conditions, as a share of lambda.
    max_iter : int, default=1000
        Most Newton steps.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    support_ : ndarray
        The training rows with a coefficient.
    n_iter_ : int
        Newton steps.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import L1VectorRegressor
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> L1VectorRegressor().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "l1vm"
    _spelt = {"lambda": "lambda_", "tolerance": "tol", "max_iterations": "max_iter"}
    _fixed = {"class_weight": "none"}

    def __init__(
        self,
        *,
        lambda_: float | str | tuple[float, float] = "auto",
        kernel: Any = "rbf",
        tol: float = 1e-6,
        max_iter: int = 1000,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.lambda_ = lambda_
        self.kernel = kernel
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class RBFNetworkClassifier(SupportRows, Scores, Probabilities, KernelClassifier):
    """Network of radial basis functions: a linear model on the similarities with few centroids, for numbers and
    classes.

    The estimator rbf_network of Mercer. What is "auto" or a pair is tuned by log leave-one-out error, of classes
    negative log evidence.

    Parameters
    ----------
    alpha : float, "auto" or a pair (low, high) to search, default="auto"
        Strength of the penalty on the squares of the weights of the similarities.
    n_centroids : int or "auto", default="auto"
        How many centroids; "auto": twice the root of the number of rows that differ.
    centroids : {"all", "grid", "k_means", "k_medoids", "optimised"}, default="k_medoids"
        Rows that are centroids. k_medoids: those from which the others are least far; k_means: of each cluster of
        k-means in feature space the row nearest to its centre (both among 8 rows for each centroid, 1000 at least,
        where there are more); grid: spread evenly over the range of the rows, each as far as can be from those
        before; optimised: those by which least squares fit the target best, where no exchange of a row for another
        is better, the best of four starts (among 4 rows for each centroid, 500 at least; lambda and the kernel are
        chosen with k_medoids); all: every row.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    fit_intercept : bool, default=True
        Whether to add an unpenalised intercept per output.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    support_ : ndarray
        The training rows that are centroids.
    alpha_ : float
        The penalty that was found, where it was left open.
    n_centroids_ : float
        The number of centroids, where it was left open.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBFNetworkClassifier
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> RBFNetworkClassifier().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "rbf_network"
    _spelt = {"lambda": "alpha", "count": "n_centroids", "centroids": "centroids", "intercept": "fit_intercept"}

    def __init__(
        self,
        *,
        alpha: float | str | tuple[float, float] = "auto",
        n_centroids: Any = "auto",
        centroids: str = "k_medoids",
        kernel: Any = "rbf",
        fit_intercept: bool = True,
        class_weight: Any = None,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.n_centroids = n_centroids
        self.centroids = centroids
        self.kernel = kernel
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class RBFNetworkRegressor(SupportRows, KernelRegressor):
    """Network of radial basis functions: a linear model on the similarities with few centroids, for numbers and
    classes.

    The estimator rbf_network of Mercer. What is "auto" or a pair is tuned by log leave-one-out error, of classes
    negative log evidence.

    Parameters
    ----------
    alpha : float, "auto" or a pair (low, high) to search, default="auto"
        Strength of the penalty on the squares of the weights of the similarities.
    n_centroids : int or "auto", default="auto"
        How many centroids; "auto": twice the root of the number of rows that differ.
    centroids : {"all", "grid", "k_means", "k_medoids", "optimised"}, default="k_medoids"
        Rows that are centroids. k_medoids: those from which the others are least far; k_means: of each cluster of
        k-means in feature space the row nearest to its centre (both among 8 rows for each centroid, 1000 at least,
        where there are more); grid: spread evenly over the range of the rows, each as far as can be from those
        before; optimised: those by which least squares fit the target best, where no exchange of a row for another
        is better, the best of four starts (among 4 rows for each centroid, 500 at least; lambda and the kernel are
        chosen with k_medoids); all: every row.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    fit_intercept : bool, default=True
        Whether to add an unpenalised intercept per output.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    support_ : ndarray
        The training rows that are centroids.
    alpha_ : float
        The penalty that was found, where it was left open.
    n_centroids_ : float
        The number of centroids, where it was left open.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBFNetworkRegressor
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> RBFNetworkRegressor().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "rbf_network"
    _spelt = {"lambda": "alpha", "count": "n_centroids", "centroids": "centroids", "intercept": "fit_intercept"}

    def __init__(
        self,
        *,
        alpha: float | str | tuple[float, float] = "auto",
        n_centroids: Any = "auto",
        centroids: str = "k_medoids",
        kernel: Any = "rbf",
        fit_intercept: bool = True,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.n_centroids = n_centroids
        self.centroids = centroids
        self.kernel = kernel
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class KernelPerceptron(StreamOfClasses, Scores, AskedProbabilities, KernelClassifier):
    """Online learning, row by row: the perceptron for classes, the least mean squares rule for numbers.

    The estimator perceptron of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    vector : {"averaged", "voted", "last"}, default="averaged"
        Vector that predicts (classification only). averaged: the mean of all vectors; voted: each votes once for
        every row it survived; last: the last alone.
    max_iter : int, default=10
        Most passes over the rows; stops after a pass without a mistake.
    budget : int, default=0
        Most support rows; the last vector then predicts; 0: no limit.
    fit_intercept : bool, default=True
        Whether to add an intercept.
    order : {"drawn", "given"}, default="drawn"
        Drawn: by the seed, whatever the order of the table; given: rows in their order, as a stream has them.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    probability : bool, default=False
        Whether to give class probabilities, calibrated on scores of rows that were left out one by one or held out
        in folds; the predicted class is then the one of the greatest probability.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    support_vectors_ : ndarray, sparse matrix or data frame
        The rows that are kept.
    n_iter_ : int
        Passes over the rows.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelPerceptron
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> KernelPerceptron().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "perceptron"
    _spelt = {"vector": "vector", "passes": "max_iter", "budget": "budget", "intercept": "fit_intercept", "order": "order", "probabilities": "probability"}
    _fixed = {"rate": "auto"}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        vector: str = "averaged",
        max_iter: int = 10,
        budget: int = 0,
        fit_intercept: bool = True,
        order: str = "drawn",
        class_weight: Any = None,
        probability: bool = False,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.vector = vector
        self.max_iter = max_iter
        self.budget = budget
        self.fit_intercept = fit_intercept
        self.order = order
        self.class_weight = class_weight
        self.probability = probability
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class KernelLMS(StreamOfNumbers, KernelRegressor):
    """Online learning, row by row: the perceptron for classes, the least mean squares rule for numbers.

    The estimator perceptron of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    learning_rate : float or "auto", default="auto"
        Step of the least mean squares rule; "auto": half of what keeps one step from going too far.
    max_iter : int, default=10
        Most passes over the rows; stops after a pass without a mistake.
    budget : int, default=0
        Most support rows; the last vector then predicts; 0: no limit.
    fit_intercept : bool, default=True
        Whether to add an intercept.
    order : {"drawn", "given"}, default="drawn"
        Drawn: by the seed, whatever the order of the table; given: rows in their order, as a stream has them.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    support_vectors_ : ndarray, sparse matrix or data frame
        The rows that are kept.
    n_iter_ : int
        Passes over the rows.
    kernel_ : mercer.Kernel
        The kernel with the numbers that were found; none where it is a function or precomputed.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelLMS
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> KernelLMS().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "perceptron"
    _spelt = {"rate": "learning_rate", "passes": "max_iter", "budget": "budget", "intercept": "fit_intercept", "order": "order"}
    _fixed = {"vector": "last", "probabilities": False}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        learning_rate: Any = "auto",
        max_iter: int = 10,
        budget: int = 0,
        fit_intercept: bool = True,
        order: str = "drawn",
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.budget = budget
        self.fit_intercept = fit_intercept
        self.order = order
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class KernelDiscriminantAnalysis(Scores, Probabilities, KernelClassifier):
    """Kernel Fisher discriminant analysis: discriminant directions, and Gaussian classes along them.

    The estimator discriminant of Mercer. What is "auto" or a pair is tuned by leave-one-out error of the
    indicators.

    Parameters
    ----------
    lambda_ : float, "auto" or a pair (low, high) to search, default="auto"
        Regularisation added to the within-class scatter, in the units of the kernel.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    priors : {"frequencies", "equal"}, default="frequencies"
        Frequencies: class priors from the training rows; equal: uniform priors.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelDiscriminantAnalysis
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> KernelDiscriminantAnalysis().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "discriminant"
    _spelt = {"lambda": "lambda_", "priors": "priors"}

    def __init__(
        self,
        *,
        lambda_: float | str | tuple[float, float] = "auto",
        kernel: Any = "rbf",
        priors: str = "frequencies",
        class_weight: Any = None,
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.lambda_ = lambda_
        self.kernel = kernel
        self.priors = priors
        self.class_weight = class_weight
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class NadarayaWatsonClassifier(Probabilities, KernelClassifier):
    """Kernel regression of Nadaraya and Watson: means weighed by kernel values, for classes their shares.

    The estimator nadaraya_watson of Mercer. What is "auto" or a pair is tuned by leave-one-out error.

    Parameters
    ----------
    calibrated : bool, default=True
        Whether to give class probabilities, calibrated on scores of rows that were left out one by one or held out
        in folds; the predicted class is then the one of the greatest probability.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import NadarayaWatsonClassifier
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> NadarayaWatsonClassifier().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "nadaraya_watson"
    _spelt = {"calibrated": "calibrated"}

    def __init__(
        self,
        *,
        calibrated: bool = True,
        class_weight: Any = None,
        kernel: Any = "rbf",
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.calibrated = calibrated
        self.class_weight = class_weight
        self.kernel = kernel
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs


class NadarayaWatsonRegressor(KernelRegressor):
    """Kernel regression of Nadaraya and Watson: means weighed by kernel values, for classes their shares.

    The estimator nadaraya_watson of Mercer. What is "auto" or a pair is tuned by leave-one-out error.

    Parameters
    ----------
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    max_seconds : float or None, default=None
        Seconds after which searches and solvers stop with their best so far; None: no limit.
    n_jobs : int or None, default=None
        Threads: None for all cores that the process may use, or as many as joblib.parallel_config or
        OMP_NUM_THREADS allows; -1 for all.

    Attributes
    ----------
    model_ : mercer.Model or its like
        The fitted model of the library.
    certificate_ : dict
        Name, value and tolerance of the number that proves how good the fit is.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the training rows had names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import NadarayaWatsonRegressor
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> NadarayaWatsonRegressor().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "nadaraya_watson"
    _spelt = {}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        random_state: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
