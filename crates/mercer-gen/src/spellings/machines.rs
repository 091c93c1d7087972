//! Support vector machines of kernel values.

use super::*;

const SUPPORT: [(&str, &str); 9] = [
    ("support_ : ndarray of shape (n_support,)", "Rows of the support vectors"),
    ("support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)", "The support vectors"),
    ("n_support_ : ndarray", "Number of support vectors, for each class"),
    ("dual_coef_ : ndarray or sparse array", "Coefficients of the support vectors"),
    ("intercept_ : ndarray", "Constants of the decision functions"),
    ("coef_ : ndarray or sparse array", "Coefficients of the columns, where the kernel is \"linear\""),
    ("n_iter_ : ndarray or int", "Steps of the solver"),
    ("C_ : float", "The penalty that was found, where it was left open; so for every argument"),
    KERNEL,
];
const SIGMOIDS: (&str, &str) = (
    "probA_, probB_ : ndarray of shape (n_pairs,)",
    "A and B of Platt's sigmoids: the first class of a pair has the probability 1 / (1 + exp(A d + B)) for a decision value d above 0 for it; empty without probability=True",
);
const SUPPORT_OF_CLASSES: &[(&str, &str)] = &{
    let [rows, vectors, numbers, coefficients, constants, of_columns, steps, found, kernel] = SUPPORT;
    [rows, vectors, numbers, coefficients, constants, of_columns, steps, SIGMOIDS, found, kernel]
};
const SUPPORT_OF_NU: &[(&str, &str)] = &{
    let [rows, vectors, numbers, coefficients, constants, of_columns, steps, _, kernel] = SUPPORT;
    [rows, vectors, numbers, coefficients, constants, of_columns, steps, SIGMOIDS, kernel]
};
const SUPPORT_OF_ONE_CLASS: &[(&str, &str)] = &{
    let [rows, vectors, numbers, coefficients, constants, of_columns, steps, _, kernel] = SUPPORT;
    let offset = ("offset_ : float", "What is taken from scores to give decision values");
    [rows, vectors, numbers, coefficients, constants, offset, of_columns, steps, kernel]
};
const PROBABILITY: Argument = Argument {
    name: "probability",
    default: "\"deprecated\"",
    sets: Some("probabilities"),
    doc: (
        "bool",
        "Whether predict_proba is there: Platt's sigmoid for each pair of classes, fitted to decision values that were held out in folds, coupled and, for more than two classes, scaled by a softmax. predict then gives the class of greatest probability, where scikit-learn goes by votes in spite of the probabilities; weights of rows and classes count in the probabilities too",
    ),
};
const SHAPE_OF_SCORES: Argument = own(
    "decision_function_shape",
    "\"ovr\"",
    "{\"ovr\", \"ovo\"}",
    "Decision values of more than two classes: one for each class, or one for each pair",
);
const BREAK_TIES: Argument =
    own("break_ties", "False", "bool", "Whether decision values decide between classes with equal votes, and not their order");

/// Support vector machines of kernel values.
pub(super) const MACHINES: &[Spelling] = &[
    Spelling {
        estimator: "svc",
        class: "SVC",
        role: Role::Classifier,
        bases: "SupportVectorClassifier",
        constants: &[("ties", "\"first\"")],
        positional: 0,
        arguments: &[
            sets("c", "C", "1.0"),
            kernel("\"rbf\"", ARRAYS),
            DEGREE,
            gamma("\"scale\"", GAMMA),
            coef0("0.0"),
            SHRINKING,
            PROBABILITY,
            sets("tolerance", "tol", "1e-3"),
            sets("cache_mb", "cache_size", "8000"),
            CLASS_WEIGHT,
            VERBOSE,
            sets("max_iterations", "max_iter", "-1"),
            SHAPE_OF_SCORES,
            BREAK_TIES,
            RANDOM_STATE,
            sets("multiclass", "multiclass", "\"pairs\""),
            sets("code", "code", "\"auto\""),
            sets("decoding", "decoding", "\"loss\""),
        ],
        attributes: SUPPORT_OF_CLASSES,
    },
    Spelling {
        estimator: "svr",
        class: "SVR",
        role: Role::Regressor,
        bases: "SupportVectorRegressor",
        constants: &[("standardise_target", "False")],
        positional: 0,
        arguments: &[
            kernel("\"rbf\"", ARRAYS),
            DEGREE,
            gamma("\"scale\"", GAMMA),
            coef0("0.0"),
            sets("tolerance", "tol", "1e-3"),
            sets("c", "C", "1.0"),
            sets("epsilon", "epsilon", "0.1"),
            SHRINKING,
            sets("cache_mb", "cache_size", "8000"),
            VERBOSE,
            sets("max_iterations", "max_iter", "-1"),
        ],
        attributes: &SUPPORT,
    },
    Spelling {
        estimator: "nu_svc",
        class: "NuSVC",
        role: Role::Classifier,
        bases: "SupportVectorClassifier",
        constants: &[("ties", "\"first\"")],
        positional: 0,
        arguments: &[
            sets("nu", "nu", "0.5"),
            kernel("\"rbf\"", ARRAYS),
            DEGREE,
            gamma("\"scale\"", GAMMA),
            coef0("0.0"),
            SHRINKING,
            PROBABILITY,
            sets("tolerance", "tol", "1e-3"),
            sets("cache_mb", "cache_size", "8000"),
            CLASS_WEIGHT,
            VERBOSE,
            sets("max_iterations", "max_iter", "-1"),
            SHAPE_OF_SCORES,
            BREAK_TIES,
            RANDOM_STATE,
        ],
        attributes: SUPPORT_OF_NU,
    },
    Spelling {
        estimator: "nu_svr",
        class: "NuSVR",
        role: Role::Regressor,
        bases: "SupportVectorRegressor",
        constants: &[("standardise_target", "False")],
        positional: 0,
        arguments: &[
            sets("nu", "nu", "0.5"),
            sets("c", "C", "1.0"),
            kernel("\"rbf\"", ARRAYS),
            DEGREE,
            gamma("\"scale\"", GAMMA),
            coef0("0.0"),
            SHRINKING,
            sets("tolerance", "tol", "1e-3"),
            sets("cache_mb", "cache_size", "8000"),
            VERBOSE,
            sets("max_iterations", "max_iter", "-1"),
        ],
        attributes: &SUPPORT,
    },
    Spelling {
        estimator: "one_class",
        class: "OneClassSVM",
        role: Role::Outlier,
        bases: "OneClassMachine",
        constants: &[],
        positional: 0,
        arguments: &[
            kernel("\"rbf\"", ARRAYS),
            DEGREE,
            gamma("\"scale\"", GAMMA),
            coef0("0.0"),
            sets("tolerance", "tol", "1e-3"),
            sets("nu", "nu", "0.5"),
            SHRINKING,
            sets("cache_mb", "cache_size", "8000"),
            VERBOSE,
            sets("max_iterations", "max_iter", "-1"),
        ],
        attributes: SUPPORT_OF_ONE_CLASS,
    },
];
