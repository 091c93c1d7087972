"""Estimators of scikit-learn's form.

Made by `make gen` from the records of the library and examples/gen/spellings.rs; edit those.
"""

from ._base import KernelClassifier, KernelRegressor, Probabilities, Scores
from ._svm import SupportVectorClassifier
from ._learners import MercerClassifier, MercerRegressor  # noqa: F401


class RidgeClassifier(Scores, KernelClassifier):
    """Kernel ridge regression; classes through one-against-rest indicators.

    The estimator ridge of Mercer. What is "auto" or a pair is tuned by leave-one-out error.

    Parameters
    ----------
    lambda_ : float, "auto" or a pair (low, high) to search, default="auto"
        Strength of the penalty, in the units of the kernel; c = 1/lambda.
    intercept : bool, default=True
        Whether to add a constant that is not penalised.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    n_jobs : int or None, default=None
        Threads: None for all cores, or as many as OMP_NUM_THREADS allows, which joblib sets in its workers.

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
    >>> from mercer import RidgeClassifier
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> RidgeClassifier().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "ridge"
    _spelt = {"lambda": "lambda_", "intercept": "intercept"}

    def __init__(
        self,
        *,
        lambda_="auto",
        intercept=True,
        kernel="rbf",
        random_state=None,
        n_jobs=None,
    ):
        self.lambda_ = lambda_
        self.intercept = intercept
        self.kernel = kernel
        self.random_state = random_state
        self.n_jobs = n_jobs


class RidgeRegressor(KernelRegressor):
    """Kernel ridge regression; classes through one-against-rest indicators.

    The estimator ridge of Mercer. What is "auto" or a pair is tuned by leave-one-out error.

    Parameters
    ----------
    lambda_ : float, "auto" or a pair (low, high) to search, default="auto"
        Strength of the penalty, in the units of the kernel; c = 1/lambda.
    intercept : bool, default=True
        Whether to add a constant that is not penalised.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    n_jobs : int or None, default=None
        Threads: None for all cores, or as many as OMP_NUM_THREADS allows, which joblib sets in its workers.

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
    >>> from mercer import RidgeRegressor
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> RidgeRegressor().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "ridge"
    _spelt = {"lambda": "lambda_", "intercept": "intercept"}

    def __init__(
        self,
        *,
        lambda_="auto",
        intercept=True,
        kernel="rbf",
        random_state=None,
        n_jobs=None,
    ):
        self.lambda_ = lambda_
        self.intercept = intercept
        self.kernel = kernel
        self.random_state = random_state
        self.n_jobs = n_jobs


class GpRegressor(KernelRegressor):
    """Gaussian process regression: means, variances and evidence.

    The estimator gp of Mercer. What is "auto" or a pair is tuned by negative log evidence.

    Parameters
    ----------
    noise : float, "auto" or a pair (low, high) to search, default="auto"
        Variance of the noise, in units of the target's variance if it is standardised.
    variance : float, "auto" or a pair (low, high) to search, default="auto"
        Variance of the function, in the same units: a factor on the kernel.
    standardise_target : bool, default=True
        Whether the target is brought to mean 0 and variance 1 first.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    n_jobs : int or None, default=None
        Threads: None for all cores, or as many as OMP_NUM_THREADS allows, which joblib sets in its workers.

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
    >>> from mercer import GpRegressor
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> GpRegressor().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "gp"
    _spelt = {"noise": "noise", "variance": "variance", "standardise_target": "standardise_target"}

    def __init__(
        self,
        *,
        noise="auto",
        variance="auto",
        standardise_target=True,
        kernel="rbf",
        random_state=None,
        n_jobs=None,
    ):
        self.noise = noise
        self.variance = variance
        self.standardise_target = standardise_target
        self.kernel = kernel
        self.random_state = random_state
        self.n_jobs = n_jobs


class SVC(SupportVectorClassifier):
    """Support vector classification: the widest margin between two classes, one against one for more.

    The estimator svc of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    C : float, "auto" or a pair (low, high) to search, default=1.0
        Penalty of a row inside the margin, per unit of its slack.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the kernels rbf, poly and sigmoid: a number, "scale" for 1 / (columns * variance), "auto" for 1 /
        columns.
    coef0 : float, default=0.0
        Constant of the kernels poly and sigmoid.
    shrinking : bool, default=True
        Taken for scikit-learn's sake: the solver decides itself.
    probability : bool, default="deprecated"
        Whether predict_proba is there, from a sigmoid fitted by cross-validation.
    tol : float, default=1e-3
        Greatest violation of the optimality conditions, in units of the decision value, and greatest relative
        duality gap.
    cache_size : float, default=200
        Megabytes of kernel rows to keep while fitting.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of the rows of each class; balanced: every class counts alike.
    verbose : bool, default=False
        Taken for scikit-learn's sake.
    max_iter : int, default=-1
        Most steps of the solver for each pair of classes.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Decision values of more than two classes: one for each class, or one for each pair.
    break_ties : bool, default=False
        Whether decision values decide between classes with equal votes, and not their order.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    n_jobs : int or None, default=None
        Threads: None for all cores, or as many as OMP_NUM_THREADS allows, which joblib sets in its workers.

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
    _spelt = {"c": "C", "tolerance": "tol", "cache_mb": "cache_size", "max_iterations": "max_iter"}

    def __init__(
        self,
        *,
        C=1.0,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        shrinking=True,
        probability="deprecated",
        tol=1e-3,
        cache_size=200,
        class_weight=None,
        verbose=False,
        max_iter=-1,
        decision_function_shape="ovr",
        break_ties=False,
        random_state=None,
        n_jobs=None,
    ):
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
        self.n_jobs = n_jobs


class SvrRegressor(KernelRegressor):
    """Support vector regression: the flattest function within a tube around most of the targets.

    The estimator svr of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    c : float, "auto" or a pair (low, high) to search, default="auto"
        Penalty of a row outside the tube, per unit of its distance from it.
    epsilon : float, "auto" or a pair (low, high) to search, default="auto"
        Half the height of the tube within which nothing is lost.
    standardise_target : bool, default=True
        True: the target is centred and scaled while fitting, and epsilon is in standard deviations; false: in
        target units.
    tolerance : float, default=0.001
        Greatest violation of the optimality conditions, in the units of epsilon, and greatest relative duality gap.
    max_iterations : int, default=10000000
        Most steps of the solver for each target column.
    cache_mb : float, default=1000
        Megabytes of kernel rows to keep while fitting.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    n_jobs : int or None, default=None
        Threads: None for all cores, or as many as OMP_NUM_THREADS allows, which joblib sets in its workers.

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
    >>> from mercer import SvrRegressor
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> SvrRegressor().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "svr"
    _spelt = {"c": "c", "epsilon": "epsilon", "standardise_target": "standardise_target", "tolerance": "tolerance", "max_iterations": "max_iterations", "cache_mb": "cache_mb"}

    def __init__(
        self,
        *,
        c="auto",
        epsilon="auto",
        standardise_target=True,
        tolerance=0.001,
        max_iterations=10000000,
        cache_mb=1000,
        kernel="rbf",
        random_state=None,
        n_jobs=None,
    ):
        self.c = c
        self.epsilon = epsilon
        self.standardise_target = standardise_target
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.cache_mb = cache_mb
        self.kernel = kernel
        self.random_state = random_state
        self.n_jobs = n_jobs


class KnnClassifier(Scores, Probabilities, KernelClassifier):
    """Nearest neighbours by kernel distance: votes for classes, means for numbers.

    The estimator knn of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    k : int, "auto" or a pair (low, high) to search, default="auto"
        Neighbours that are asked; a row of weight 2 counts as two.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    n_jobs : int or None, default=None
        Threads: None for all cores, or as many as OMP_NUM_THREADS allows, which joblib sets in its workers.

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
    >>> from mercer import KnnClassifier
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array(["a", "a", "a", "b", "b", "b"])
    >>> KnnClassifier().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "knn"
    _spelt = {"k": "k"}

    def __init__(
        self,
        *,
        k="auto",
        kernel="rbf",
        random_state=None,
        n_jobs=None,
    ):
        self.k = k
        self.kernel = kernel
        self.random_state = random_state
        self.n_jobs = n_jobs


class KnnRegressor(KernelRegressor):
    """Nearest neighbours by kernel distance: votes for classes, means for numbers.

    The estimator knn of Mercer. What is "auto" or a pair is tuned by cross-validation.

    Parameters
    ----------
    k : int, "auto" or a pair (low, high) to search, default="auto"
        Neighbours that are asked; a row of weight 2 counts as two.
    kernel : str, mercer.Kernel or callable, default="rbf"
        A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of
        two arrays that returns their kernel matrix.
    random_state : int, RandomState instance or None, default=None
        Seed of anything random; None is 0.
    n_jobs : int or None, default=None
        Threads: None for all cores, or as many as OMP_NUM_THREADS allows, which joblib sets in its workers.

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
    >>> from mercer import KnnRegressor
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
    >>> KnnRegressor().fit(X, y).predict(X).shape
    (6,)
    """

    _name = "knn"
    _spelt = {"k": "k"}

    def __init__(
        self,
        *,
        k="auto",
        kernel="rbf",
        random_state=None,
        n_jobs=None,
    ):
        self.k = k
        self.kernel = kernel
        self.random_state = random_state
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
        Threads: None for all cores, or as many as OMP_NUM_THREADS allows, which joblib sets in its workers.

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

    def __init__(
        self,
        *,
        kernel="rbf",
        random_state=None,
        n_jobs=None,
    ):
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
        Threads: None for all cores, or as many as OMP_NUM_THREADS allows, which joblib sets in its workers.

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

    def __init__(
        self,
        *,
        kernel="rbf",
        random_state=None,
        n_jobs=None,
    ):
        self.kernel = kernel
        self.random_state = random_state
        self.n_jobs = n_jobs
