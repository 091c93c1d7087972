"""Fitted estimators of other libraries as models.

`mercer convert` does the same on the command line for the text of LIBSVM and LIBLINEAR.
"""

from typing import Any

from ._native import Model

__all__ = ["from_sklearn"]


def from_sklearn(fitted: Any, *, probabilities: bool = False) -> Model:
    """The model of a fitted estimator of scikit-learn.

    Decision values, labels, numbers and the standard deviations of a Gaussian process are those of scikit-learn to rounding:
    ``decision_function`` (of several classes one value for each pair, above 0 for the second), ``predict``, and
    ``predict(X, std="mean")``. The model predicts from the columns that the estimator was fitted to, as they are, and can be
    stored, explained and verified.

    Parameters
    ----------
    fitted : estimator
        A fitted SVC, NuSVC, SVR, NuSVR, OneClassSVM, KernelRidge or GaussianProcessRegressor of scikit-learn.
    probabilities : bool
        Keep the class probabilities of SVC(probability=True); the predicted class is then the one of the greatest.

    Returns
    -------
    Model
        As `load` gives it.

    Raises
    ------
    DataError
        An estimator that is not fitted or none of these.
    ExpressionError
        A kernel that is a function, precomputed, or outside the domain of the library.

    Examples
    --------
    >>> import mercer, sklearn.svm
    >>> data = [[0.0], [1.0], [2.0], [3.0]]
    >>> fitted = sklearn.svm.SVC(kernel="rbf", gamma=0.5).fit(data, ["a", "a", "b", "b"])
    >>> mercer.from_sklearn(fitted).predict([[0.5], [2.5]]).tolist()
    ['a', 'b']
    """
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise ImportError("mercer.from_sklearn needs scikit-learn: pip install scikit-learn") from error
    from .scikit._taken_over import taken_over

    return taken_over(fitted, probabilities)
