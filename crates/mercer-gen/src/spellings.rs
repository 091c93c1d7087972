//! How scikit-learn writes estimators of the library: names of classes, arguments, defaults. One entry per class; an
//! estimator without one gets names made of its own.

mod features;
mod further;
mod machines;

pub(crate) use features::{EXAMPLES, NOTES};

/// An argument of a constructor.
pub(crate) struct Argument {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its default as Python writes it.
    pub(crate) default: &'static str,
    /// The parameter of the library that it sets; `None`: only scikit-learn has it.
    pub(crate) sets: Option<&'static str>,
    /// Its type and meaning, where no record of the library says them.
    pub(crate) doc: (&'static str, &'static str),
}

/// What scikit-learn calls an estimator by what it answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Classifier,
    Regressor,
    Transformer,
    Clusterer,
    Density,
    Outlier,
}

/// A class.
pub(crate) struct Spelling {
    pub(crate) estimator: &'static str,
    pub(crate) class: &'static str,
    pub(crate) role: Role,
    /// Hand-written classes that it stands on.
    pub(crate) bases: &'static str,
    /// Parameters of the library that have no argument, with their values as Python writes them.
    pub(crate) constants: &'static [(&'static str, &'static str)],
    /// Arguments that may be given without their names.
    pub(crate) positional: usize,
    pub(crate) arguments: &'static [Argument],
    /// Attributes of its own: name and type, meaning.
    pub(crate) attributes: &'static [(&'static str, &'static str)],
}

const fn sets(parameter: &'static str, name: &'static str, default: &'static str) -> Argument {
    Argument { name, default, sets: Some(parameter), doc: ("", "") }
}

const fn own(name: &'static str, default: &'static str, class: &'static str, doc: &'static str) -> Argument {
    Argument { name, default, sets: None, doc: (class, doc) }
}

const ARRAYS: &str = "A name that scikit-learn knows, an expression such as \"0.5*rbf + linear\", \"precomputed\", or a function of two arrays that returns their kernel matrix";
const ROWS: &str = "A name that scikit-learn knows, an expression such as \"0.5*rbf + linear\", \"precomputed\", or a function of two rows that returns a number, or of two arrays that returns their kernel matrix";
const fn kernel(default: &'static str, doc: &'static str) -> Argument {
    own("kernel", default, "str, mercer.Kernel or callable", doc)
}
const DEGREE: Argument = own("degree", "3", "int", "Degree of the polynomial kernel");
const fn gamma(default: &'static str, doc: &'static str) -> Argument {
    own("gamma", default, "{\"scale\", \"auto\"} or float", doc)
}
const GAMMA: &str = "Factor of the kernels rbf, poly and sigmoid: a number, \"scale\" for 1 / (columns * variance), \"auto\" for 1 / columns; an expression holds its own numbers, and a warning says so where this is given beside one";
const fn coef0(default: &'static str) -> Argument {
    own("coef0", default, "float", "Constant of the kernels poly and sigmoid")
}
const SHRINKING: Argument = own("shrinking", "True", "bool", "Has no effect: the solver decides itself");
const VERBOSE: Argument = own("verbose", "False", "bool", "Whether to print how the fit goes on and how it ended");
const RANDOM_STATE: Argument = own("random_state", "None", "int, RandomState instance or None", "Seed of anything random; None is 0");
pub(crate) const CLASS_WEIGHT: Argument = own(
    "class_weight",
    "None",
    "dict, \"balanced\" or None",
    "Factor of the weights of the rows of each class; balanced: every class counts alike",
);

const GAMMA_OF_RIDGE: &str =
    "Factor of the kernels rbf, laplacian, poly, chi2 and sigmoid; None is 1 / columns (1 for chi2); an expression holds its own numbers";
const GAMMA_OF_COMPONENTS: &str = "Factor of the kernels rbf, poly and sigmoid; None is 1 / columns; an expression holds its own numbers";
const PENALTY: &str =
    "Strength of the penalty, in the units of the kernel; 0: none, and of all functions that fit best the one of least norm";
const N_CLUSTERS: Argument = Argument {
    name: "n_clusters",
    default: "3",
    sets: Some("clusters"),
    doc: ("int or \"auto\"", "Number of clusters; \"auto\": up to 10, chosen by count_by"),
};
const LABELS: (&str, &str) =
    ("labels_ : ndarray of shape (n_samples,)", "The cluster of each row, counted from 0, the largest cluster first");
const KERNEL_PARAMS: Argument = own("kernel_params", "None", "dict or None", "Keywords of a kernel that is a function");
const RIDGE: &[(&str, &str)] = &[
    ("dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)", "Coefficients of the training rows"),
    ("X_fit_ : ndarray or sparse matrix", "The training rows, or their Gram matrix"),
    ("intercept_ : ndarray", "Constants, one for each output"),
    (
        "alpha_ : float or ndarray of shape (n_targets,)",
        "The penalty that was found, where it was left open; of a list one for each target",
    ),
    KERNEL,
];
const KERNEL: (&str, &str) =
    ("kernel_ : mercer.Kernel", "The kernel with the numbers that were found; none where it is a function or precomputed");
const METRIC: (&str, &str) = ("effective_metric_ : str or callable", "The metric, minkowski by the name that it has for its p");
const METRIC_PARAMS: (&str, &str) = ("effective_metric_params_ : dict", "What is left of its keywords");
const OPTIMIZER: Argument = own(
    "optimizer",
    "\"fmin_l_bfgs_b\"",
    "str, callable or None",
    "What moves the numbers of a kernel of scikit-learn; None leaves them as they are",
);
const RESTARTS: Argument =
    own("n_restarts_optimizer", "0", "int", "Further searches of the numbers of a kernel of scikit-learn, from random places");
const COPY: Argument = own("copy_X_train", "True", "bool", "Whether X_train_ is a copy");
const LEARNT_KERNEL: (&str, &str) = ("kernel_ : kernel instance or mercer.Kernel", "The kernel with the numbers that were learnt");
const TRAINED: (&str, &str) = ("X_train_ : ndarray or data frame", "The training rows");
const PENALTY_OF_WEIGHTS: Argument = Argument {
    name: "alpha",
    default: "\"auto\"",
    sets: Some("lambda"),
    doc: ("float, \"auto\" or a pair (low, high) to search", "Strength of the penalty on the squares of the weights of the similarities"),
};
const VECTORS: &[(&str, &str)] = &[("alpha_ : float", "The penalty that was found, where it was left open"), KERNEL];
const RELEVANCE: &[(&str, &str)] = &[
    ("relevance_ : ndarray of shape (n_relevant,)", "Training rows with a weight"),
    ("support_ : ndarray of shape (n_relevant,)", "The same rows"),
    ("log_marginal_likelihood_value_ : float", "Log of the marginal likelihood; of classes by Laplace's approximation"),
    KERNEL,
];
const RELEVANCE_OF_NUMBERS: &[(&str, &str)] = &[
    RELEVANCE[0],
    RELEVANCE[1],
    ("noise_ : float or ndarray of shape (n_targets,)", "Variance of the noise, by evidence"),
    RELEVANCE[2],
    KERNEL,
];
const SAMPLES: (&str, &str) = ("n_samples_fit_ : int", "Number of training rows");
const NEIGHBOURS: &[Argument] = &[
    sets("k", "n_neighbors", "5"),
    Argument {
        name: "weights",
        default: "\"uniform\"",
        sets: Some("weights"),
        doc: (
            "{\"uniform\", \"distance\"}, callable or None",
            "Uniform (or None): every neighbour counts alike; distance: by the inverse of its distance; a function gets distances (n_queries, n_neighbors) and returns weights of that shape",
        ),
    },
    own(
        "algorithm",
        "\"auto\"",
        "str",
        "How neighbours are searched, by scikit-learn's NearestNeighbors; predictions by the Euclidean metric have a search of the library",
    ),
    own("leaf_size", "30", "int", "Rows in a leaf of the trees of that search"),
    own("p", "2", "float", "Power of the metric minkowski"),
    own("metric", "\"minkowski\"", "str or callable", "A metric that scikit-learn knows, or \"precomputed\" for distances"),
    own("metric_params", "None", "dict or None", "Keywords of the metric"),
];

/// The last argument of every class.
pub(crate) const N_JOBS: Argument = own(
    "n_jobs",
    "None",
    "int or None",
    "Threads: None for all cores that the process may use, or as many as joblib.parallel_config or OMP_NUM_THREADS allows; -1 for all",
);
/// The last but one of every class whose fit may take long.
pub(crate) const MAX_SECONDS: Argument =
    own("max_seconds", "None", "float or None", "Seconds after which searches and solvers stop with their best so far; None: no limit");
/// Arguments of a class without an entry, besides the parameters of its estimator.
pub(crate) const USUAL: &[Argument] = &[kernel("\"rbf\"", ARRAYS), RANDOM_STATE];

/// Every class that scikit-learn has too.
const FIRST: &[Spelling] = &[
    Spelling {
        estimator: "ridge",
        class: "KernelRidge",
        role: Role::Regressor,
        bases: "RidgeRegression",
        constants: &[],
        positional: 1,
        arguments: &[
            Argument {
                name: "alpha",
                default: "1",
                sets: Some("lambda"),
                doc: ("float, \"auto\", a pair (low, high) to search or a list of such for each target", PENALTY),
            },
            kernel("\"linear\"", ROWS),
            gamma("None", GAMMA_OF_RIDGE),
            DEGREE,
            coef0("1"),
            KERNEL_PARAMS,
            sets("intercept", "fit_intercept", "False"),
        ],
        attributes: RIDGE,
    },
    Spelling {
        estimator: "ridge",
        class: "KernelRidgeClassifier",
        role: Role::Classifier,
        bases: "RidgeClassification",
        constants: &[],
        positional: 1,
        arguments: &[
            sets("lambda", "alpha", "1"),
            kernel("\"rbf\"", ROWS),
            gamma("None", GAMMA_OF_RIDGE),
            DEGREE,
            coef0("1"),
            KERNEL_PARAMS,
            sets("intercept", "fit_intercept", "True"),
            CLASS_WEIGHT,
            sets("probabilities", "probability", "False"),
        ],
        attributes: RIDGE,
    },
    Spelling {
        estimator: "gp",
        class: "GaussianProcessRegressor",
        role: Role::Regressor,
        bases: "GaussianProcess",
        constants: &[("variance", "1.0"), ("standardise_target", "False")],
        positional: 1,
        arguments: &[
            own(
                "kernel",
                "None",
                "kernel instance, str, mercer.Kernel or callable",
                "A kernel of sklearn.gaussian_process.kernels, an expression such as \"auto*rbf + auto*white\", or a function of two arrays; None is ConstantKernel() * RBF(). What is auto in an expression is searched, factors around the variance of the target; white without a factor is a variance of 1",
            ),
            Argument {
                name: "alpha",
                default: "1e-10",
                sets: Some("noise"),
                doc: (
                    "float, \"auto\", a pair (low, high) to search or array-like of shape (n_samples,)",
                    "Variance of the noise, for all rows or for each, in the units of the (normalised) target",
                ),
            },
            Argument {
                name: "inducing",
                default: "None",
                sets: Some("inducing"),
                doc: ("int or None", "How many rows all others are seen through, where these are many; None: exact, every row"),
            },
            OPTIMIZER,
            RESTARTS,
            own("normalize_y", "False", "bool", "Whether the target is brought to mean 0 and variance 1 first"),
            COPY,
            own("n_targets", "None", "int or None", "Number of targets that samples from the prior have"),
            RANDOM_STATE,
        ],
        attributes: &[
            LEARNT_KERNEL,
            ("log_marginal_likelihood_value_ : float", "Log marginal likelihood of the (normalised) targets"),
            ("alpha_ : ndarray", "Coefficients of the training rows, or of the inducing ones"),
            ("L_ : ndarray of shape (n_samples, n_samples)", "Lower Cholesky factor of the covariance of the targets"),
            ("noise_ : float", "The noise that was found, where alpha was left open"),
            TRAINED,
            ("y_train_ : ndarray", "The (normalised) targets"),
        ],
    },
    Spelling {
        estimator: "knn",
        class: "KNeighborsClassifier",
        role: Role::Classifier,
        bases: "NeighbourClassifier",
        constants: &[("ties", "\"first\""), ("calibrated", "False")],
        positional: 1,
        arguments: NEIGHBOURS,
        attributes: &[
            (
                "outputs_2d_ : bool",
                "Whether there are several targets: classes_ is a list then, and model_.models are the models, one for each",
            ),
            SAMPLES,
            METRIC,
            METRIC_PARAMS,
        ],
    },
    Spelling {
        estimator: "knn",
        class: "KNeighborsRegressor",
        role: Role::Regressor,
        bases: "NeighbourRegressor",
        constants: &[],
        positional: 1,
        arguments: NEIGHBOURS,
        attributes: &[SAMPLES, METRIC, METRIC_PARAMS],
    },
    Spelling {
        estimator: "gp",
        class: "GaussianProcessClassifier",
        role: Role::Classifier,
        bases: "GaussianProcessClasses",
        constants: &[("noise", "0.0"), ("variance", "1.0")],
        positional: 1,
        arguments: &[
            own(
                "kernel",
                "None",
                "kernel instance, str, mercer.Kernel or callable",
                "A kernel of sklearn.gaussian_process.kernels, an expression such as \"auto*rbf\", or a function of two arrays; None is 1.0 * RBF(1.0), which stays as it is. What is auto in an expression is searched",
            ),
            OPTIMIZER,
            RESTARTS,
            own("max_iter_predict", "100", "int", "Has no effect: the mode is found to the last digits"),
            own("warm_start", "False", "bool", "Has no effect: modes are found anew"),
            COPY,
            own(
                "multi_class",
                "\"one_vs_rest\"",
                "str",
                "Has no effect, and a warning says so for \"one_vs_one\": several classes are one softmax over one function each, with one kernel",
            ),
            sets("inference", "inference", "\"laplace\""),
            sets("tempered", "tempered", "True"),
            RANDOM_STATE,
        ],
        attributes: &[
            LEARNT_KERNEL,
            ("log_marginal_likelihood_value_ : float", "Log marginal likelihood of the classes by Laplace's approximation"),
            ("n_classes_ : int", "Number of classes"),
            TRAINED,
        ],
    },
    Spelling {
        estimator: "logistic",
        class: "KernelLogisticRegression",
        role: Role::Classifier,
        bases: "Scores, Probabilities, KernelClassifier",
        constants: &[],
        positional: 0,
        arguments: &[
            Argument {
                name: "alpha",
                default: "\"auto\"",
                sets: Some("lambda"),
                doc: (
                    "float, \"auto\" or a pair (low, high) to search",
                    "Strength of the penalty, in the units of the kernel: 1 / C of LogisticRegression",
                ),
            },
            kernel("\"rbf\"", ARRAYS),
            sets("intercept", "fit_intercept", "True"),
            CLASS_WEIGHT,
            RANDOM_STATE,
        ],
        attributes: VECTORS,
    },
    Spelling {
        estimator: "l2vm",
        class: "L2VectorClassifier",
        role: Role::Classifier,
        bases: "Scores, Probabilities, KernelClassifier",
        constants: &[],
        positional: 0,
        arguments: &[PENALTY_OF_WEIGHTS, kernel("\"rbf\"", ARRAYS), sets("intercept", "fit_intercept", "True"), CLASS_WEIGHT, RANDOM_STATE],
        attributes: VECTORS,
    },
    Spelling {
        estimator: "l2vm",
        class: "L2VectorRegressor",
        role: Role::Regressor,
        bases: "KernelRegressor",
        constants: &[],
        positional: 0,
        arguments: &[PENALTY_OF_WEIGHTS, kernel("\"rbf\"", ARRAYS), sets("intercept", "fit_intercept", "True"), RANDOM_STATE],
        attributes: VECTORS,
    },
];

/// Every class that has a name of scikit-learn's, or one like them.
pub(crate) fn spellings() -> impl Iterator<Item = &'static Spelling> {
    machines::MACHINES.iter().chain(FIRST).chain(further::FURTHER).chain(features::ON_FEATURES)
}
