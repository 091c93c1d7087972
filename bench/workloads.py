"""What is timed: arrays, the same task for every library, and what must agree before two times may be compared."""

from dataclasses import dataclass, field
from typing import Callable

import data

GP_START = {"length_scale": 2.0, "variance": 1.0, "noise": 0.1}


@dataclass
class Workload:
    """One task. `kind` names how it is run (see peers.py and src/main.rs)."""

    kind: str
    arrays: Callable[[], dict]
    kernel: str
    estimator: str = ""
    parameters: dict = field(default_factory=dict)
    #: quality figure -> how far apart it may lie: ("share", of its size) or ("by", in its units)
    agree: dict = field(default_factory=dict)
    runs: int = 3


def gram(d):
    gamma = 1.0 / d
    return Workload("gram", lambda: data.normal(10_000, d), f"rbf(gamma={gamma!r})", parameters={"gamma": gamma},
                    agree={"mean": ("share", 1e-9)}, runs=5)


def gram_part(kind, d, agree):
    gamma = 1.0 / d
    return Workload(kind, lambda: data.normal(10_000, d), f"rbf(gamma={gamma!r})", parameters={"gamma": gamma},
                    agree={"mean": ("share", agree)}, runs=5)


def sparse_rows(kernel, parameters):
    return Workload("gram_rows", data.sparse, kernel, parameters=parameters, agree={"mean": ("share", 1e-9)})


def path(n, d, gamma):
    return Workload("path", lambda: data.friedman(n, d, seed=12), f"rbf(gamma={gamma!r})", "ridge(lambda=1)", {"gamma": gamma},
                    {"mean": ("share", 1e-6)})


def ridge(n):
    return Workload("ridge", lambda: data.friedman(n, 20, seed=12), "rbf(gamma=0.05)", "ridge(lambda=0.01, intercept=false)",
                    {"gamma": 0.05, "lambda": 0.01}, {"rmse": ("share", 1e-5)})


def evidence(n):
    start = GP_START
    lengths = ", ".join([repr(start["length_scale"])] * 8)
    return Workload("gp_evidence", lambda: data.friedman(n, 8, new=1000, noise=0.2, seed=3), f"rbf(length_scale=[{lengths}])",
                    f"gp(noise={start['noise']}, variance={start['variance']}, standardise_target=false)", start,
                    {"log_evidence": ("share", 1e-9), "gradient_norm": ("share", 1e-6)}, runs=5)


def gp(n):
    return Workload("gp", lambda: data.friedman(n, 8, new=1000, noise=0.2, seed=3), "rbf(length_scale=0.02..2000, ard=true)",
                    "gp(noise=0.00001..10, variance=0.001..1000, standardise_target=false)", GP_START,
                    {"log_evidence": ("by", 1.0), "rmse": ("share", 0.02), "nlpd": ("by", 0.02)})


def svc(n, c):
    return Workload("svc", lambda: data.two_classes(n), f"rbf(gamma={1 / 30!r})", f"svc(c={c})", {"c": c, "gamma": 1 / 30},
                    {"dual": ("share", 1e-4), "accuracy": ("by", 0.002), "n_sv": ("share", 0.01)})


WORKLOADS = {
    "gram_rbf_n10000_d20": gram(20),
    "gram_rbf_n10000_d784": gram(784),
    "gram_lower_rbf_n10000_d20": gram_part("gram_lower", 20, 1e-9),
    "gram_lower_rbf_n10000_d784": gram_part("gram_lower", 784, 1e-9),
    "gram_f32_rbf_n10000_d20": gram_part("gram_f32", 20, 1e-4),
    "gram_f32_rbf_n10000_d784": gram_part("gram_f32", 784, 1e-4),
    "sparse_linear_rows": sparse_rows("linear", {"kernel": "linear"}),
    "sparse_rbf_rows": sparse_rows("rbf(gamma=0.1)", {"kernel": "rbf", "gamma": 0.1}),
    "ridge_path_n2000_d5": path(2000, 5, 0.5),
    "ridge_path_n2000_smooth": path(2000, 5, 0.002),
    "ridge_rbf_n10000": ridge(10_000),
    "gp_evidence_n1000": evidence(1000),
    "gp_evidence_n3000": evidence(3000),
    "gp_fit_n1000": gp(1000),
    "svc_rbf_n5000_c1": svc(5000, 1),
    "svc_rbf_n5000_c100": svc(5000, 100),
    "svc_rbf_n20000_c1": svc(20_000, 1),
    "svc_rbf_n20000_c100": svc(20_000, 100),
}
