"""Fitted estimators of scikit-learn as models: their coefficients, rows and kernels are taken over."""

import math

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Kernel as KernelOfProcess
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from sklearn.utils.validation import check_is_fitted

from .._native import Kernel, solved_elsewhere
from ..errors import DataError, ExpressionError, MercerWarning
from ._gp_kernels import translated
from ._kernels import WRITTEN, named
from ._warn import warn

#: The program, for messages.
PROGRAM = "scikit-learn"


def taken_over(fitted, probabilities):
    """The model of a fitted estimator."""
    for kinds, make in MAKERS.items():
        if isinstance(fitted, kinds):
            break
    else:
        names = ", ".join(kind.__name__ for kinds in MAKERS for kind in kinds)
        raise DataError(
            f"from_sklearn: found {type(fitted).__name__}, expected a fitted {names} of scikit-learn; of a pipeline or a search give the "
            "last step or best_estimator_, and rows as that step gets them"
        )
    try:
        check_is_fitted(fitted)
    except NotFittedError as error:
        raise DataError(f"from_sklearn: this {type(fitted).__name__} is not fitted; fit it first") from error
    if probabilities and not getattr(fitted, "_probA", np.empty(0)).size:
        raise DataError(f"from_sklearn: this {type(fitted).__name__} has no probabilities to keep; leave probabilities=True out")
    return make(fitted, probabilities)


def _expression(name, **parameters):
    """The expression of an estimator, without the parameters that are no numbers here."""
    given = {key: value for key, value in parameters.items() if not isinstance(value, float) or math.isfinite(value)}
    written = (f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in given.items())
    return f"{name}({', '.join(written)})"


def _rows(fitted, X):
    """Rows as columns: by their names where the estimator knows some."""
    if sp.issparse(X):
        return sp.csr_matrix(X)
    X = np.asarray(X, dtype=np.float64)
    names = getattr(fitted, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])])
    return {str(name): np.ascontiguousarray(X[:, j]) for j, name in enumerate(names)}


def _refuse(fitted, kernel, why):
    raise ExpressionError(f"from_sklearn: the kernel {kernel!r} of this {type(fitted).__name__} {why}")


def _kernel(fitted, X, gamma):
    """The kernel of an estimator with the parameters `kernel`, `degree` and `coef0`."""
    kernel = fitted.kernel
    if isinstance(kernel, KernelOfProcess):
        return _kernel_of_process(fitted, kernel)
    if callable(kernel):
        _refuse(fitted, kernel, "is a function, of which a model knows nothing; fit with one of the named kernels")
    if kernel == "precomputed":
        _refuse(fitted, kernel, "is computed outside of it; mercer.Learner fits to such values")
    found = named(kernel, X, gamma, fitted.degree, fitted.coef0) if kernel in WRITTEN else None
    if not isinstance(found, Kernel):
        numbers = f"gamma={gamma}, degree={fitted.degree}, coef0={fitted.coef0}"
        _refuse(fitted, kernel, f"with {numbers} is none of the library's")
    return found


def _kernel_of_process(fitted, kernel):
    found = translated(kernel)
    if found is None:
        _refuse(fitted, kernel, "is none of the library's")
    return found[0]


def _machine(fitted, probabilities):
    """A support vector machine. Rows ascend as they did in training."""
    name, expression = EXPRESSIONS[next(kind for kind in EXPRESSIONS if isinstance(fitted, kind))]
    kernel = _kernel(fitted, fitted.support_vectors_, float(fitted._gamma))
    order = np.argsort(fitted.support_, kind="stable")
    dual, bias = fitted.dual_coef_, np.asarray(fitted.intercept_, dtype=np.float64)
    dual = (dual.toarray() if sp.issparse(dual) else np.asarray(dual)).T[order]
    shared = {"rows": int(fitted.shape_fit_[0]), "converged": bool(fitted.fit_status_ == 0)}
    arguments = dict(expression(fitted))
    if isinstance(fitted, (SVC, NuSVC)):
        classes = len(fitted.classes_)
        shared["classes"] = fitted.classes_
        if classes > 2:
            # scikit-learn's values of a pair are above 0 for its first class.
            dual, bias = -dual, -bias
            shared["class_of_rows"] = np.repeat(np.arange(classes), fitted.n_support_)[order].tolist()
        arguments["ties"] = "first"
        if probabilities:
            arguments["probabilities"] = True
            shared["sigmoids"] = list(zip((-fitted._probA).tolist(), fitted._probB.tolist()))
        elif fitted._probA.size:
            warn(
                "from_sklearn: predict_proba is left out; from_sklearn(fitted, probabilities=True) keeps it, and then predicts the class of the "
                "greatest probability",
                MercerWarning,
            )
        if fitted.break_ties and classes > 2:
            warn("from_sklearn: break_ties=True is left out: of classes with equal votes the first wins", MercerWarning)
    support = fitted.support_vectors_[order]
    text = _expression(name, **arguments)
    return solved_elsewhere(
        PROGRAM, text, kernel, _rows(fitted, support), dual, bias.tolist(), fitted.support_[order].tolist(), **shared
    )


def _ridge(fitted, probabilities):
    X, dual = fitted.X_fit_, np.asarray(fitted.dual_coef_, dtype=np.float64)
    dual = dual.reshape(len(dual), -1)
    kernel = _kernel(fitted, X, fitted.gamma)
    text = _expression("ridge", intercept=False, **_penalty("lambda", fitted.alpha))
    outputs = dual.shape[1]
    return solved_elsewhere(
        PROGRAM, text, kernel, _rows(fitted, X), dual, [0.0] * outputs, list(range(len(dual))), rows=len(dual), outputs=outputs
    )


def _penalty(name, alpha):
    """The argument of a penalty; none where it differs from target to target or from row to row, which no argument can say."""
    numbers = np.unique(np.asarray(alpha, dtype=np.float64))
    return {name: float(numbers[0])} if numbers.size == 1 else {}


def _process(fitted, probabilities):
    if not hasattr(fitted, "X_train_"):
        raise DataError("from_sklearn: this GaussianProcessRegressor is not fitted; fit it first")
    X, alpha = np.asarray(fitted.X_train_), np.asarray(fitted.alpha_, dtype=np.float64)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise DataError("from_sklearn: this GaussianProcessRegressor was fitted to objects; rows of numbers can be taken over")
    alpha = alpha.reshape(len(alpha), -1)
    outputs = alpha.shape[1]
    means, deviations = (np.broadcast_to(np.ravel(of), outputs) for of in (fitted._y_train_mean, fitted._y_train_std))
    noise = _penalty("noise", fitted.alpha)
    if not noise:
        warn("from_sklearn: alpha differs from row to row: the noise of a new target is taken as 0", MercerWarning)
    text = _expression("gp", variance=1.0, standardise_target=bool(fitted.normalize_y), **noise)
    scales = list(zip(means.tolist(), deviations.tolist()))
    return solved_elsewhere(
        PROGRAM,
        text,
        _kernel_of_process(fitted, fitted.kernel_),
        _rows(fitted, X),
        alpha * deviations,
        means.tolist(),
        list(range(len(alpha))),
        rows=len(alpha),
        outputs=outputs,
        process=(fitted.L_, noise.get("noise", 0.0), scales),
    )


#: Machines by their class: the estimator of the library and its parameters.
EXPRESSIONS = {
    SVC: ("svc", lambda fitted: {"c": float(fitted.C)}),
    NuSVC: ("nu_svc", lambda fitted: {"nu": float(fitted.nu)}),
    SVR: ("svr", lambda fitted: {"c": float(fitted.C), "epsilon": float(fitted.epsilon), "standardise_target": False}),
    NuSVR: ("nu_svr", lambda fitted: {"c": float(fitted.C), "nu": float(fitted.nu), "standardise_target": False}),
    OneClassSVM: ("one_class", lambda fitted: {"nu": float(fitted.nu)}),
}
#: How each estimator is taken over.
MAKERS = {tuple(EXPRESSIONS): _machine, (KernelRidge,): _ridge, (GaussianProcessRegressor,): _process}
