"""Other libraries on a workload, one process each: `peers.py LIBRARY KIND FOLDER PARAMETERS`.

The same manners as the crate `mercer-bench`: each line read starts a run and is answered with one line of JSON,
what was computed lies in FOLDER/LIBRARY_*.npy, and only the library's own work is inside the clock.
"""

import json
import os
import sys
import time
from importlib.metadata import version

import numpy as np

PEERS = {}


def peer(kind, library, package):
    def enter(make):
        PEERS[kind, library] = (make, package)
        return make

    return enter


def timed(work):
    clock = time.perf_counter()
    out = work()
    return time.perf_counter() - clock, out


def rbf(a, b, gamma):
    """exp(-gamma |a - b|^2) by one product and passes in place: what a careful numpy program does."""
    k = a @ b.T
    k *= 2
    k -= (a * a).sum(1)[:, None]
    k -= (b * b).sum(1)[None]
    np.minimum(k, 0, out=k)
    k *= gamma
    return np.exp(k, out=k)


@peer("gram", "numpy", "numpy")
def numpy_gram(a, p):
    def run():
        seconds, k = timed(lambda: rbf(a["x"], a["x"], p["gamma"]))
        return {"seconds": seconds}, {"predictions": k.sum(1)}

    return run


@peer("gram", "scikit-learn", "scikit-learn")
def sklearn_gram(a, p):
    from sklearn.metrics.pairwise import rbf_kernel

    def run():
        seconds, k = timed(lambda: rbf_kernel(a["x"], gamma=p["gamma"]))
        return {"seconds": seconds}, {"predictions": k.sum(1)}

    return run


@peer("ridge", "numpy+scipy", "scipy")
def scipy_ridge(a, p):
    from scipy.linalg import cho_factor, cho_solve

    def fit():
        k = rbf(a["x"], a["x"], p["gamma"])
        k.flat[:: len(k) + 1] += p["lambda"]
        # K is symmetric: its transpose is the same matrix in column order, which LAPACK factorises in place.
        factor = cho_factor(k.T, lower=True, overwrite_a=True, check_finite=False)
        return cho_solve(factor, a["y"], check_finite=False)

    def run():
        seconds, alpha = timed(fit)
        predict, f = timed(lambda: rbf(a["xt"], a["x"], p["gamma"]) @ alpha)
        return {"seconds": seconds, "predict_seconds": predict}, {"predictions": f}

    return run


@peer("gram_lower", "floor", "numpy")
@peer("gram", "floor", "numpy")
def product_and_exp(a, p):
    """What a lower triangle cannot do without: half of the product, exp of half of the values, one pass of writing."""
    from scipy.linalg.blas import dsyrk

    x = np.asfortranarray(a["x"].T)
    out = np.zeros((x.shape[1], x.shape[1]), order="F")
    written = np.zeros(out.size // 2)

    def run():
        seconds, k = timed(lambda: dsyrk(-p["gamma"], x, beta=0.0, c=out, trans=1, lower=1, overwrite_c=1))
        half = k.ravel(order="F")[: k.size // 2]
        exps, _ = timed(lambda: np.exp(half, out=written))
        return {"seconds": seconds + exps}, {}

    return run


@peer("gram_f32", "scikit-learn", "scikit-learn")
def sklearn_single(a, p):
    from sklearn.metrics.pairwise import rbf_kernel

    x = a["x"].astype(np.float32)

    def run():
        seconds, k = timed(lambda: rbf_kernel(x, gamma=p["gamma"]))
        return {"seconds": seconds}, {"predictions": k.sum(1, dtype=np.float64)}

    return run


@peer("gram_rows", "scikit-learn", "scikit-learn")
def sklearn_rows(a, p):
    """2000 rows of the Gram matrix of sparse points, 200 at a time, as arrays."""
    from scipy.sparse import csr_array
    from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

    n = len(a["indptr"]) - 1
    x = csr_array((a["data"], a["indices"].astype(np.int32), a["indptr"].astype(np.int32)), shape=(n, n))
    some = np.array_split(np.arange(2000) * n // 2000, 10)

    def rows(of):
        if p["kernel"] == "linear":
            return linear_kernel(x[of], x, dense_output=True).sum(1)
        return rbf_kernel(x[of], x, gamma=p["gamma"]).sum(1)

    def run():
        seconds, sums = timed(lambda: np.concatenate([rows(of) for of in some]))
        return {"seconds": seconds}, {"predictions": sums}

    return run


@peer("path", "numpy+scipy", "scipy")
def scipy_path(a, p):
    """What a careful program does: LAPACK's eigenvectors once, then products for all lambdas together."""
    from scipy.linalg import eigh

    lambdas = np.logspace(-6, 3, 200)

    def path():
        k = rbf(a["x"], a["x"], p["gamma"])
        s, u = eigh(k, overwrite_a=True, check_finite=False)
        w = 1 / (s[:, None] + lambdas)
        y = a["y"].ravel() - a["y"].mean()
        solved, ones, diagonal = u @ (w * (u.T @ y)[:, None]), u @ (w * u.sum(0)[:, None]), (u * u) @ w
        alpha = solved - ones * (solved.sum(0) / ones.sum(0))
        return np.sqrt(((alpha / (diagonal - ones**2 / ones.sum(0))) ** 2).mean(0))

    def run():
        seconds, errors = timed(path)
        return {"seconds": seconds}, {"predictions": errors}

    return run


@peer("ridge", "floor", "scipy")
def cholesky_alone(a, p):
    """LAPACK's Cholesky factorisation of the finished matrix."""
    from scipy.linalg.lapack import dpotrf

    def run():
        k = rbf(a["x"], a["x"], p["gamma"])
        k.flat[:: len(k) + 1] += p["lambda"]
        seconds, _ = timed(lambda: dpotrf(k.T, lower=1, overwrite_a=1, clean=0))
        return {"seconds": seconds}, {}

    return run


@peer("gp_evidence", "floor", "scipy")
def cholesky_and_inverse(a, p):
    """LAPACK's Cholesky factorisation and inverse of the finished matrix."""
    from scipy.linalg.lapack import dpotrf, dpotri

    def run():
        k = p["variance"] * rbf(a["x"], a["x"], 0.5 / p["length_scale"] ** 2)
        k.flat[:: len(k) + 1] += p["noise"]

        def work():
            factor, _ = dpotrf(k.T, lower=1, overwrite_a=1, clean=0)
            return dpotri(factor, lower=1, overwrite_c=1)

        seconds, _ = timed(work)
        return {"seconds": seconds}, {}

    return run


@peer("ridge", "scikit-learn", "scikit-learn")
def sklearn_ridge(a, p):
    from sklearn.kernel_ridge import KernelRidge

    return fit_ridge(KernelRidge, a, p)


@peer("ridge", "mercer-python", "mercer")
def mercer_ridge(a, p):
    from mercer import KernelRidge

    return fit_ridge(KernelRidge, a, p)


def fit_ridge(KernelRidge, a, p):
    def run():
        seconds, model = timed(lambda: KernelRidge(alpha=p["lambda"], kernel="rbf", gamma=p["gamma"]).fit(a["x"], a["y"]))
        predict, f = timed(lambda: model.predict(a["xt"]))
        return {"seconds": seconds, "predict_seconds": predict}, {"predictions": f}

    return run


def process(Regressor, p, d, optimizer):
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    kernel = ConstantKernel(p["variance"], (1e-3, 1e3)) * RBF([p["length_scale"]] * d, (2e-2, 2e3)) + WhiteKernel(p["noise"], (1e-5, 1e1))
    return Regressor(kernel, optimizer=optimizer, alpha=1e-10)


@peer("gp_evidence", "scikit-learn", "scikit-learn")
def sklearn_evidence(a, p):
    from sklearn.gaussian_process import GaussianProcessRegressor

    model = process(GaussianProcessRegressor, p, a["x"].shape[1], None).fit(a["x"], a["y"])
    theta = model.kernel_.theta

    def run():
        seconds, (value, slopes) = timed(lambda: model.log_marginal_likelihood(theta, eval_gradient=True))
        # d / d theta with theta = (log variance, log length scales, log noise); ours is -d / d parameter, noise last but one.
        slopes = -slopes / np.exp(theta)
        return {"seconds": seconds, "log_evidence": value}, {"gradient": np.r_[slopes[1:-1], slopes[-1], slopes[0]]}

    return run


@peer("gp_evidence", "GPy", "gpy")
def gpy_evidence(a, p):
    import GPy

    d = a["x"].shape[1]
    kernel = GPy.kern.RBF(d, variance=p["variance"], lengthscale=[p["length_scale"]] * d, ARD=True)
    # GPy adds 1e-8 to the noise.
    model = GPy.models.GPRegression(a["x"], np.asarray(a["y"]).reshape(-1, 1), kernel, noise_var=p["noise"] - 1e-8)
    theta = model.optimizer_array.copy()
    shift = 0

    def run():
        # Parameters that have not changed are not computed anew.
        nonlocal shift
        shift = 1 - shift
        seconds, _ = timed(lambda: model._objective_grads(theta * (1 + 1e-13 * shift)))
        slopes = -model.gradient
        said = {"seconds": seconds, "log_evidence": float(model.log_likelihood())}
        return said, {"gradient": np.r_[slopes[1:-1], slopes[-1], slopes[0]]}

    return run


@peer("gp", "scikit-learn", "scikit-learn")
def sklearn_gp(a, p):
    from scipy.optimize import minimize
    from sklearn.gaussian_process import GaussianProcessRegressor

    evaluations = 0

    def optimise(objective, theta, bounds):
        def counted(t):
            nonlocal evaluations
            evaluations += 1
            return objective(t)

        found = minimize(counted, theta, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60})
        return found.x, found.fun

    def run():
        nonlocal evaluations
        evaluations = 0
        seconds, model = timed(lambda: process(GaussianProcessRegressor, p, a["x"].shape[1], optimise).fit(a["x"], a["y"]))
        predict, (mean, deviation) = timed(lambda: model.predict(a["xt"], return_std=True))
        said = {"seconds": seconds, "predict_seconds": predict, "log_evidence": model.log_marginal_likelihood_value_, "evaluations": evaluations}
        return said, {"predictions": mean, "variance": deviation**2}

    return run


@peer("gp", "mercer-python", "mercer")
def mercer_gp(a, p):
    from mercer import GaussianProcessRegressor

    def run():
        seconds, model = timed(lambda: process(GaussianProcessRegressor, p, a["x"].shape[1], "fmin_l_bfgs_b").fit(a["x"], a["y"]))
        predict, (mean, deviation) = timed(lambda: model.predict(a["xt"], return_std=True))
        said = {"seconds": seconds, "predict_seconds": predict, "log_evidence": model.log_marginal_likelihood_value_}
        return said, {"predictions": mean, "variance": deviation**2}

    return run


def fit_svc(a, fit, predict, coefficients):
    def run():
        seconds, model = timed(fit)
        predicting, labels = timed(lambda: predict(model))
        coef = np.zeros(len(a["x"]))
        support, values = coefficients(model)
        coef[support] = values
        return {"seconds": seconds, "predict_seconds": predicting}, {"predictions": labels, "coef": coef}

    return run


@peer("svc", "scikit-learn", "scikit-learn")
def sklearn_svc(a, p):
    from sklearn.svm import SVC

    return fit_class(SVC, a, p)


@peer("svc", "scikit-learn-intelex", "scikit-learn-intelex")
def intelex_svc(a, p):
    from sklearnex.svm import SVC

    return fit_class(SVC, a, p)


@peer("svc", "mercer-python", "mercer")
def mercer_svc(a, p):
    from mercer import SVC

    return fit_class(SVC, a, p)


def fit_class(SVC, a, p):
    return fit_svc(a, lambda: SVC(C=p["c"], gamma=p["gamma"], tol=1e-3, cache_size=1000).fit(a["x"], a["y"]),
                   lambda m: m.predict(a["xt"]), lambda m: (m.support_, m.dual_coef_[0]))


@peer("svc", "libsvm", "libsvm-official")
def libsvm_svc(a, p):
    from libsvm import svmutil

    # The conversion of arrays to lists of nodes is not timed.
    problem = svmutil.svm_problem(a["y"], a["x"])
    options = svmutil.svm_parameter(f"-s 0 -t 2 -c {p['c']} -g {p['gamma']!r} -e 0.001 -m 1000 -q")

    def coefficients(model):
        # libsvm's decision value is above 0 for the class of the first row.
        sign = 1.0 if model.get_labels()[0] == 1 else -1.0
        return np.array(model.get_sv_indices()) - 1, sign * np.array([c[0] for c in model.get_sv_coef()])

    return fit_svc(a, lambda: svmutil.svm_train(problem, options),
                   lambda m: np.array(svmutil.svm_predict(a["yt"], a["xt"], m, "-q")[0]), coefficients)


def main():
    library, kind, folder, parameters = sys.argv[1:]
    names = [n for n in ("x", "y", "xt", "yt", "ft", "indptr", "indices", "data") if os.path.exists(os.path.join(folder, n + ".npy"))]
    arrays = {n: np.load(os.path.join(folder, n + ".npy")) for n in names}
    make, package = PEERS[kind, library]
    run = make(arrays, json.loads(parameters))
    for _ in sys.stdin:
        said, results = run()
        for name, values in results.items():
            np.save(os.path.join(folder, f"{library}_{name}.npy"), values)
        print(json.dumps({**said, "version": f"{package} {version(package)}"}), flush=True)


if __name__ == "__main__":
    main()
