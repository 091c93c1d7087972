"""Gaussian process regression as scikit-learn writes it: kernel objects, their search from the values they were given, samples.

scikit-learn searches from the kernel's own numbers, within a bound for each, and again from random ones; so does the library,
which is told of them. An expression with `auto` or ranges is searched by the library itself.
"""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.gaussian_process.kernels import Kernel as ScikitKernel
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._native import Kernel, Learner, Model, minimise
from ..errors import ExpressionError, MercerWarning, ResourceError
from ._arguments import is_flag, is_open, require
from ._base import KernelClassifier, KernelRegressor, Probabilities
from ._given import Given, diagonal, values
from ._gp_kernels import has_compound, translated
from ._kernels import numbers_only
from ._warn import warn

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self


#: Share of the time that a search of the kernel's numbers may take, and times `max_seconds` that the fit after it may: it is made in any case.
SEARCH_SHARE = 0.5
LAST_FIT = 2.0


class Function:
    """A kernel of scikit-learn as a function of two batches; a batch with itself is where noise is added."""

    def __init__(self, kernel):
        self.kernel = kernel

    def __call__(self, X, Y):
        return self.kernel(X) if X is Y else self.kernel(X, Y)

    def diag(self, X):
        """k(x, x) of every row."""
        return self.kernel.diag(X)


class KernelSearch:
    """The numbers of a kernel of scikit-learn, moved to where the evidence is greatest. `_learnt` holds targets and weights."""

    def _default_kernel(self):
        return ConstantKernel() * RBF()

    def _check_arguments(self):
        super()._check_arguments()
        if has_compound(self.kernel):
            raise ValueError("kernel cannot be a CompoundKernel")
        require(self, "copy_X_train", is_flag, "True or False")
        require(self, "n_restarts_optimizer", lambda value: isinstance(value, Integral) and value >= 0, "a whole number from 0")

        if self._is_open() and self.optimizer != "fmin_l_bfgs_b":
            raise ValueError(
                f"{type(self).__name__}: optimizer={self.optimizer!r} beside a kernel expression with open numbers, which the library "
                "searches; give every number, leave optimizer as it is, or take a kernel of scikit-learn"
            )

    def _is_open(self):
        """Whether the kernel is an expression with numbers that are left to a search."""
        if not isinstance(self.kernel, (str, Kernel)) or self.kernel == "precomputed":
            return False
        return any(isinstance(value, (str, tuple)) for value in Kernel(self.kernel).parameters.values())

    def _model(self, X, y, weight, classes):
        model = super()._model(X, y, weight, classes)
        if self.n_restarts_optimizer > 0 and self._is_open() and isinstance(model, Model):
            return self._restarted(X, y, weight, classes, model)
        return model

    def _restarted(self, X, y, weight, classes, model):
        """The best of a model whose kernel was searched and of descents from random numbers of that kernel, drawn within the ends of
        the search; the numbers of the estimator stay as they were found."""
        tuning = (model.summary["tuning"] or {"parameters": []})["parameters"]
        found = {parameter["path"]: (parameter["low"], parameter["high"]) for parameter in tuning if parameter["low"] > 0}
        ends = [found.get(path) for path, value in model.kernel.parameters.items() for _ in np.atleast_1d(value)]
        moving = np.array([pair for pair in ends if pair is not None])
        if moving.size == 0:
            return model
        rng = check_random_state(self.random_state)
        starts = [np.exp(rng.uniform(*np.log(moving).T)).tolist() for _ in range(self.n_restarts_optimizer)]
        settings = {**self._settings(), **{path: value for path, value in model.parameters.items() if path in self._settings()}}
        words = {"classes": classes, "task": "regression" if classes is None else None, "tell": False, **self._limits()}
        rows, keep = self._columns(X), {"standardise": False, "seed": self._seed(), "keep_rows": True}
        learner = Learner(self._written(settings), model.kernel, **keep)
        limits = {"threads": self._threads()}
        _, value, _, kernel = learner.descend(rows, *self._learnt, ends=ends, starts=starts, max_seconds=self._search_seconds(), **limits)
        # What is not known to be better is not.
        if not value < learner.criterion(rows, *self._learnt, **limits)[0]:
            return model
        self._begin(LAST_FIT)
        words = {**words, **self._limits()}
        # What the estimator leaves open is searched again beside the better kernel.
        return Learner(self._expression(), kernel, **keep).fit(rows, y, weight, **words)

    def _keep_rows(self, X):
        self.X_train_ = np.copy(X) if self.copy_X_train and isinstance(X, np.ndarray) else X

    def _similarity(self, X):
        if self.kernel is not None and not isinstance(self.kernel, ScikitKernel):
            return super()._similarity(X)
        self.kernel_ = self._default_kernel() if self.kernel is None else clone(self.kernel)
        if self.kernel_.requires_vector_input:
            numbers_only(self, X, f"the kernel {self.kernel_}")
        if self.optimizer is not None and self.kernel_.n_dims > 0:
            self._search()
        found = translated(self.kernel_)
        return Given(Function(self.kernel_)) if found is None else found[0]

    def _search(self):
        """Moves the numbers of `kernel_` to where the evidence is greatest, from where they are and from random places."""
        bounds, starts = self.kernel_.bounds, [self.kernel_.theta]
        if self.n_restarts_optimizer > 0:
            if not np.isfinite(bounds).all():
                raise ValueError(
                    "Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are finite."
                )
            rng = check_random_state(self.random_state)
            starts += [rng.uniform(bounds[:, 0], bounds[:, 1]) for _ in range(self.n_restarts_optimizer)]
        found = translated(self.kernel_)
        if callable(self.optimizer):
            ends = [self.optimizer(self._loss, start, bounds=bounds) for start in starts]
            self.kernel_.theta = min(ends, key=lambda end: end[1])[0]
        elif self.optimizer != "fmin_l_bfgs_b":
            raise ValueError(f"Unknown optimizer {self.optimizer}.")
        elif found is None:
            ends = [minimise(self._loss, start, bounds.tolist()) for start in starts]
            self.kernel_.theta, _, converged = min(ends, key=lambda end: end[1])
            self._ended(converged)
        else:
            kernel, numbers = found
            learner = Learner(self._expression(), kernel, standardise=False)
            words = {"ends": numbers.ends(bounds), "starts": [numbers.at(start).tolist() for start in starts[1:]]}
            words |= {"threads": self._threads(), "max_seconds": self._search_seconds()}
            best, _, converged, _ = learner.descend({"x": self.X_train_}, *self._learnt, **words)
            self._begin(LAST_FIT)
            self.kernel_.theta = numbers.theta(best)
            self._ended(converged)
        self.kernel_._check_bounds_params()

    def _search_seconds(self):
        """Seconds that a search of the kernel's numbers may take; None without a limit."""
        left = self._seconds_left()
        return None if left is None else SEARCH_SHARE * left

    def _loss(self, theta, eval_gradient=True):
        """What a search makes least, and its slopes."""
        if not eval_gradient:
            return -self.log_marginal_likelihood(theta, clone_kernel=False)
        value, slope = self.log_marginal_likelihood(theta, eval_gradient=True, clone_kernel=False)
        return -value, -slope

    def _ended(self, converged):
        if not converged:
            warn("the search of the kernel's numbers ended before it met its tolerance", ConvergenceWarning)

    def _keep_kernel(self, model):
        if not isinstance(self.kernel, (ScikitKernel, type(None))):
            self.kernel_ = self.kernel if self._takes_values else model.kernel
        self.log_marginal_likelihood_value_ = np.float64(model.summary["evidence"])

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """Log marginal likelihood of the targets (normalised, or by Laplace's approximation where they are classes), at any theta of
        scikit-learn's kernels.

        Parameters
        ----------
        theta : array-like of shape (n_kernel_params,), default=None
            Logarithms of the kernel's numbers; None: those that were learnt.
        eval_gradient : bool, default=False
            Whether the gradient by theta is returned too.
        clone_kernel : bool, default=True
            Whether ``kernel_`` is left as it is.

        Returns
        -------
        log_likelihood : float
            The value.
        gradient : ndarray of shape (n_kernel_params,)
            Only where ``eval_gradient`` is true.
        """
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        if not isinstance(self.kernel_, ScikitKernel):
            raise ValueError("theta belongs to kernels of scikit-learn; this kernel is an expression")
        theta = np.asarray(theta, dtype=np.float64)
        kernel = self.kernel_.clone_with_theta(theta) if clone_kernel else self.kernel_
        kernel.theta = theta
        y, weight = self._learnt
        found, words = translated(kernel), {"threads": self._threads()}
        try:
            if found is None:
                gram, slopes = kernel(self.X_train_, eval_gradient=True)
                loss, by_value = Learner(self._expression(), "precomputed").criterion(gram, y, weight, **words)
                slope = np.einsum("ij,ijp->p", by_value, slopes)
            else:
                learner = Learner(self._expression(), found[0], standardise=False, keep_rows=True)
                loss, by_number = learner.criterion({"x": self.X_train_}, y, weight, **words)
                slope = found[1].gradient(by_number)
        except ResourceError:
            loss, slope = np.inf, np.zeros_like(theta)
        value = -np.float64(loss)
        return (value, -slope) if eval_gradient else value


class GaussianProcess(KernelSearch, KernelRegressor):
    """Gaussian process regression. Targets are shifted and scaled here where normalize_y says so, as the noise of single rows
    is in units of what is left."""

    _settled = {"noise": "noise_"}
    _expensive_attributes = ("L_",)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to rows and their targets.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Numbers.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return super().fit(X, y)

    def _check_arguments(self):
        super()._check_arguments()
        require(self, "normalize_y", is_flag, "True or False")
        if is_open(self.alpha) and (self.kernel is None or isinstance(self.kernel, ScikitKernel)):
            raise ExpressionError(
                f"{type(self).__name__}: alpha={self.alpha!r} is searched together with a kernel that is an expression, such as "
                'kernel="auto*rbf(length_scale=auto)"; to a kernel of scikit-learn add a WhiteKernel, whose level is searched'
            )

    def _settings(self):
        noise, _ = self._noise()
        return {**super()._settings(), "noise": noise, "inducing": np.inf if self.inducing is None else self.inducing}

    def _noise(self):
        """The noise of a row of weight 1, and the weights of rows that have noise of their own."""
        if isinstance(self.alpha, (str, tuple)) or np.ndim(np.asarray(self.alpha, dtype=object)) == 0:
            return self.alpha, None
        try:
            alpha = np.asarray(self.alpha, dtype=np.float64)
        except (TypeError, ValueError):
            raise self._refused_setting("noise") from None
        if not (alpha >= 0).all():
            raise ExpressionError("GaussianProcessRegressor: alpha: the noise of every row must be 0 or above")
        if alpha.size == 1:
            return float(alpha[0]), None
        # A row without noise weighs as much as a number can without being infinite in sums.
        mean = float(alpha.mean())
        return mean, mean / np.maximum(alpha, 1e-300 * mean) if mean > 0 else np.ones(len(alpha))

    def _fit(self, X, y, weight, classes):
        _, weight = self._noise()
        if weight is not None and len(weight) != len(y):
            raise ValueError(f"alpha must be a scalar or an array with same number of entries as y. ({len(weight)} != {len(y)})")
        outputs = y.shape[1] if y.ndim > 1 else 1
        if self.n_targets is not None and outputs != self.n_targets:
            raise ValueError(f"The number of targets seen in `y` is different from the parameter `n_targets`. Got {outputs} != {self.n_targets}.")
        self._y_train_mean, self._y_train_std = np.zeros(y.shape[1:]), np.ones(y.shape[1:])
        if self.normalize_y:
            self._y_train_mean, self._y_train_std = y.mean(axis=0), y.std(axis=0)
            self._y_train_std = np.where(self._y_train_std > 10 * np.finfo(float).eps, self._y_train_std, 1.0)
        y = (y - self._y_train_mean) / self._y_train_std
        self._keep_rows(X)
        self.y_train_ = y
        self._learnt = (y, weight)
        return super()._fit(X, y, weight, classes)

    def _may_be(self, ours):
        return super()._may_be(ours) + (", or an array of numbers, one a row" if ours == "noise" else "")

    def _unconverged(self):
        return f"{super()._unconverged()} A larger alpha helps."

    def _keep_settled(self, model):
        super()._keep_settled(model)
        tuning = model.summary.get("tuning") or {"parameters": []}
        for parameter in tuning["parameters"]:
            if parameter["at_bound"] is not None and not (parameter["path"] == "noise" and parameter["at_bound"] == "lower"):
                warn(self._at_bound(parameter), ConvergenceWarning)

    def _at_bound(self, parameter):
        name = "alpha" if parameter["path"] == "noise" else parameter["name"]
        upper = parameter["at_bound"] == "upper"
        end = "upper" if upper else "lower"
        low, high = parameter["low"] / (1 if upper else 100), parameter["high"] * (100 if upper else 1)
        more = ", or take normalize_y=True" if name.startswith(("scale", "value")) and not self.normalize_y else ""
        return (
            f"{type(self).__name__}: {name} was found at the {end} end of the search, {parameter['high' if upper else 'low']:.3g}; write a "
            f"wider range in its place, such as {low:.3g}..{high:.3g}{more}"
        )

    def _keep(self, X, y, weight, model):
        self._keep_kernel(model)
        self.alpha_ = model.expansion[0].reshape(-1, *y.shape[1:])

    def leave_one_out(self) -> NDArray[Any]:
        """Predict each training row by the process without it, in closed form.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            One prediction for each row.
        """
        return super().leave_one_out() * self._y_train_std + self._y_train_mean

    @property
    def L_(self) -> NDArray[Any]:
        """Lower Cholesky factor of the covariance of the (normalised) training targets: a copy of n_samples^2 numbers."""
        check_is_fitted(self)
        return self.model_.factor()

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """Predict the target of each row; before fit, from the prior.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows.
        return_std : bool, default=False
            Whether standard deviations of the function are returned too.
        return_cov : bool, default=False
            Whether covariances of the function are returned too.

        Returns
        -------
        y_mean : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Means.
        y_std : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Only where ``return_std`` is true.
        y_cov : ndarray of shape (n_samples, n_samples) or (n_samples, n_samples, n_targets)
            Only where ``return_cov`` is true.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if not hasattr(self, "model_"):
            return self._prior(X, return_std, return_cov)
        rows, threads = self._rows_for_model(X), self._threads()
        outputs = self.y_train_.shape[1:]
        shape = () if outputs == (1,) else outputs
        mean = self.model_.predict(rows, threads=threads).reshape(-1, *outputs) * self._y_train_std + self._y_train_mean
        mean = mean.reshape(-1, *shape)
        if return_std:
            variance = self.model_.variance(rows, threads=threads).reshape(-1, *outputs) * self._y_train_std**2
            return mean, np.sqrt(variance).reshape(-1, *shape)
        if return_cov:
            common = self.model_.covariance(rows, threads=threads)
            covariance = common[..., np.newaxis] * np.atleast_1d(self._y_train_std**2)
            return mean, covariance if shape else covariance[..., 0]
        return mean

    def _prior(self, X, return_std, return_cov):
        X = self._checked_without_fit(X)
        kernel = ConstantKernel() * RBF() if self.kernel is None else self.kernel
        kernel = Kernel(kernel) if isinstance(kernel, str) else kernel
        outputs = () if self.n_targets in (None, 1) else (self.n_targets,)
        mean = np.zeros((len(X), *outputs))
        if not (return_std or return_cov):
            return mean
        own = isinstance(kernel, (ScikitKernel, Kernel))
        if return_cov:
            among = kernel(X) if own else values(kernel, X, X)
        else:
            among = np.sqrt(kernel.diag(X) if own else diagonal(kernel, X))
        return mean, np.repeat(among[..., np.newaxis], outputs[0], axis=-1) if outputs else among

    def _checked_without_fit(self, X):
        return clone(self)._checked(X, np.zeros(len(X)), fitting=True)[0]

    def predict_gradient(self, X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Derivatives of mean and variance of the function in the features of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        mean : ndarray of shape (n_rows, n_features) or (n_rows, n_targets, n_features)
            Derivatives of the means that ``predict`` returns.
        variance : ndarray of shape (n_rows, n_features) or (n_rows, n_targets, n_features)
            Derivatives of the squares of the deviations that ``predict(X, return_std=True)`` returns.
        """
        check_is_fitted(self)
        rows = self._rows_for_model(X)
        if not hasattr(self.model_, "predict_gradient"):
            raise TypeError("a kernel that is a function has no derivative in its inputs; name a kernel, as in kernel='rbf'")
        mean, variance = self.model_.predict_gradient(rows, threads=self._threads())
        scale = np.reshape(self._y_train_std, (-1, 1)) if mean.ndim == 3 else np.reshape(self._y_train_std, (-1,))
        return mean * scale, variance * scale**2

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> NDArray[Any]:
        """Draw functions from the posterior (before fit: the prior) and evaluate them.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Rows.
        n_samples : int, default=1
            Functions to draw.
        random_state : int, RandomState instance or None, default=0
            Seed.

        Returns
        -------
        y_samples : ndarray of shape (n_rows, n_samples) or (n_rows, n_targets, n_samples)
            Values of the functions.
        """
        rng = check_random_state(random_state)
        mean, covariance = self.predict(X, return_cov=True)
        if mean.ndim == 1:
            return rng.multivariate_normal(mean, covariance, n_samples).T
        each = [rng.multivariate_normal(mean[:, o], covariance[..., o], n_samples).T for o in range(mean.shape[1])]
        return np.stack(each, axis=1)


class GaussianProcessClasses(KernelSearch, Probabilities, KernelClassifier):
    """Gaussian process classification by Laplace's approximation."""

    def _default_kernel(self):
        return ConstantKernel(1.0, constant_value_bounds="fixed") * RBF(1.0, length_scale_bounds="fixed")

    def _check_arguments(self):
        super()._check_arguments()
        if self.multi_class not in ("one_vs_rest", "one_vs_one"):
            raise ValueError(f"Unknown multi-class mode {self.multi_class}: it must be 'one_vs_rest' or 'one_vs_one'")
        if self.multi_class == "one_vs_one" and len(self.classes_) > 2:
            warn(
                "GaussianProcessClassifier: multi_class='one_vs_one' has no effect: several classes are one softmax over one function each",
                MercerWarning,
            )
        require(self, "max_iter_predict", lambda value: isinstance(value, Integral) and value >= 1, "a whole number from 1")
        require(self, "warm_start", is_flag, "True or False")

    def _fit(self, X, y, weight, classes):
        self.n_classes_ = len(self.classes_)
        self._keep_rows(X)
        # Names of classes, as whole numbers could be targets of a regression.
        self._learnt = (np.char.mod("%06d", y), weight)
        return super()._fit(X, y, weight, classes)

    def _keep(self, X, y, weight, model):
        self._keep_kernel(model)

    def latent_mean_and_variance(self, X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Mean and variance of the latent function of two classes, whose sigmoid is the probability of the second class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        latent_mean : ndarray of shape (n_samples,)
            Means.
        latent_var : ndarray of shape (n_samples,)
            Variances; with ``tempered=True`` the tempered ones that probabilities are computed from.
        """
        check_is_fitted(self)
        if self.n_classes_ > 2:
            raise ValueError(
                "Returning the mean and variance of the latent function f is only supported for binary classification, received "
                f"{self.n_classes_} classes."
            )
        rows, threads = self._rows_for_model(X), self._threads()
        return self.model_.decision_function(rows, threads=threads), self.model_.variance(rows, threads=threads)
