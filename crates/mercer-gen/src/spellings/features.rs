//! Methods on features and coordinates of rows, in the names that their users know.

use super::*;

/// The model of rows, under a name that is not that of the fitted model of the library.
const DISTRIBUTION: Argument = Argument {
    name: "distribution",
    default: "\"gaussian\"",
    sets: Some("model"),
    doc: (
        "str or object",
        "A generative model: \"gaussian\", \"gaussian(covariance=full)\", \"gaussian_mixture(components=3)\", \"markov(order=2)\", \"hmm\", or an object with fit, log_density and score; numbers such as components may be ranges, \"gaussian_mixture(components=1..5)\", decided by held-out rows where there are classes, else by BIC",
    ),
};

pub(super) const ON_FEATURES: &[Spelling] = &[
    Spelling {
        estimator: "linear_svc",
        class: "LinearSVC",
        role: Role::Classifier,
        bases: "LinearMachineClassifier",
        constants: &[],
        positional: 2,
        arguments: &[
            own("penalty", "\"l2\"", "{\"l2\"}", "The penalty of the weights"),
            sets("loss", "loss", "\"squared_hinge\""),
            DUAL,
            sets("tolerance", "tol", "1e-4"),
            sets("c", "C", "1.0"),
            own("multi_class", "\"ovr\"", "{\"ovr\"}", "One problem for each class against the rest"),
            FIT_INTERCEPT,
            INTERCEPT_SCALING,
            own(
                "class_weight",
                "None",
                "dict, \"balanced\" or None",
                "Factor of C for rows of each class; of more than two classes it applies where the class stands against the rest",
            ),
            VERBOSE_LEVEL,
            SEED_OF_ORDER,
            sets("max_iterations", "max_iter", "1000"),
        ],
        attributes: &[
            ("coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)", "Weights of the columns"),
            ("intercept_ : ndarray of shape (1,) or (n_classes,)", "Intercepts"),
            ("n_iter_ : int", "The most iterations of a problem"),
            FOUND_C,
        ],
    },
    Spelling {
        estimator: "linear_svr",
        class: "LinearSVR",
        role: Role::Regressor,
        bases: "LinearMachineRegressor",
        constants: &[("standardise_target", "False")],
        positional: 0,
        arguments: &[
            sets("epsilon", "epsilon", "0.0"),
            sets("tolerance", "tol", "1e-4"),
            sets("c", "C", "1.0"),
            sets("loss", "loss", "\"epsilon_insensitive\""),
            FIT_INTERCEPT,
            INTERCEPT_SCALING,
            DUAL,
            VERBOSE_LEVEL,
            SEED_OF_ORDER,
            sets("max_iterations", "max_iter", "1000"),
        ],
        attributes: &[
            ("coef_ : ndarray of shape (n_features,)", "Weights of the columns"),
            ("intercept_ : ndarray of shape (1,)", "The intercept"),
            ("n_iter_ : int", "Iterations"),
            FOUND_C,
        ],
    },
    Spelling {
        estimator: "kde",
        class: "KernelDensity",
        role: Role::Density,
        bases: "SmoothedDensity",
        constants: &[],
        positional: 0,
        arguments: &[
            Argument {
                name: "bandwidth",
                default: "1.0",
                sets: Some("bandwidth"),
                doc: (
                    "float, array-like or str",
                    "A number, one for each column, a matrix H (the covariance of a Gaussian kernel), or a rule: \"normal_reference\", \"silverman\", \"scott\", \"sheather_jones\", \"isj\", \"cross_validation\", \"least_squares\", which are multiples of the scale of each column; \"auto\": \"isj\", or \"silverman\" for several columns and for values that repeat",
                ),
            },
            own(
                "algorithm",
                "\"auto\"",
                "{\"auto\", \"kd_tree\", \"ball_tree\"}",
                "Has no effect: sums do not depend on how they are arranged",
            ),
            Argument {
                name: "kernel",
                default: "\"gaussian\"",
                sets: Some("kernel"),
                doc: (
                    "str",
                    "\"gaussian\", \"epanechnikov\", \"tricube\", \"boxcar\" or \"tophat\", \"biweight\", \"triangular\" or \"linear\", \"cosine\", \"exponential\"",
                ),
            },
            own("metric", "\"euclidean\"", "{\"euclidean\", \"l2\", \"minkowski\"}", "The distance, which is the Euclidean one"),
            own("atol", "0.0", "float", "Has no effect: rtol bounds the error"),
            own("rtol", "0.0", "float", "The relative error that a density may have; below 1e-12 it is that of rounding"),
            own("breadth_first", "True", "bool", "Has no effect: there is no tree to walk"),
            own("leaf_size", "40", "int", "Has no effect: there is no tree"),
            own("metric_params", "None", "dict or None", "Keywords of the metric: {\"p\": 2} for \"minkowski\""),
            sets("shape", "shape", "\"radial\""),
            own(
                "covariance",
                "False",
                "bool",
                "Whether \"normal_reference\", \"silverman\" or \"scott\" takes the covariance of the columns and not their scales alone",
            ),
            own(
                "support",
                "None",
                "tuple, list of tuples or None",
                "Ends (low, high) of the values, the same for all columns or one for each; None for an end that there is not. Mass beyond them is folded back, and samples stay inside",
            ),
            sets("adaptive", "adaptive", "False"),
        ],
        attributes: &[
            ("bandwidth_ : float or ndarray of shape (n_features,)", "The bandwidth of each column; of one column a number"),
            ("density_ : Density", "The density: left_out(), cumulative(x) and quantile(p) too, and widths_of_rows where adaptive"),
        ],
    },
    Spelling {
        estimator: "density",
        class: "GenerativeDensity",
        role: Role::Density,
        bases: "ModelledDensity",
        constants: &[],
        positional: 1,
        arguments: &[DISTRIBUTION, RANDOM_STATE],
        attributes: &[],
    },
    Spelling {
        estimator: "bayes",
        class: "BayesClassifier",
        role: Role::Classifier,
        bases: "Scores, Probabilities, ModelledClasses",
        constants: &[],
        positional: 1,
        arguments: &[DISTRIBUTION, sets("priors", "priors", "\"frequencies\""), RANDOM_STATE],
        attributes: &[(
            "distributions_ : dict of mercer.Distribution",
            "The fitted model of each class that has rows, with its parameters, its hidden states and samples",
        )],
    },
    Spelling {
        estimator: "mi_svm",
        class: "MultipleInstanceSVC",
        role: Role::Classifier,
        bases: "Scores, AskedProbabilities, ClassesOfSets",
        constants: &[],
        positional: 0,
        arguments: &[
            sets("c", "C", "1.0"),
            kernel("\"set_mean(rbf)\"", "A kernel of sets made of a kernel of vectors: \"set_mean(rbf)\""),
            Argument {
                name: "positive",
                default: "()",
                sets: Some("positive"),
                doc: (
                    "label or list of labels",
                    "Of two classes the one that a set is of where one of its vectors is, such as [1]; (): the last",
                ),
            },
            CLASS_WEIGHT,
            sets("tolerance", "tol", "1e-3"),
            sets("rounds", "rounds", "50"),
            sets("probabilities", "probability", "False"),
            RANDOM_STATE,
        ],
        attributes: &[FOUND_C],
    },
    Spelling {
        estimator: "local_regression",
        class: "LocalRegression",
        role: Role::Regressor,
        bases: "LocalCurve",
        constants: &[],
        positional: 1,
        arguments: &[BANDWIDTH, sets("degree", "degree", "1"), SMOOTHING, SPAN_OF_LOESS, sets("rounds", "it", "0")],
        attributes: CURVE,
    },
    Spelling {
        estimator: "local_regression",
        class: "NadarayaWatson",
        role: Role::Regressor,
        bases: "LocalCurve",
        constants: &[("degree", "0"), ("rounds", "0")],
        positional: 1,
        arguments: &[BANDWIDTH, SMOOTHING, SPAN],
        attributes: CURVE,
    },
];

/// Paragraphs of docstrings behind their first, by class.
pub(crate) const NOTES: &[(&str, &str)] = &[
    (
        "LinearSVC",
        "It minimises |w|^2 / 2 + C sum_i loss(y_i (x_i'w + b)), the intercept penalised as the weight of a column that holds intercept_scaling; of more than two classes there is one such problem for each against the rest, solved side by side. Sparse rows stay sparse.",
    ),
    (
        "LinearSVR",
        "It minimises |w|^2 / 2 + C sum_i loss(y_i - x_i'w - b), the intercept penalised as the weight of a column that holds intercept_scaling. Sparse rows stay sparse.",
    ),
    (
        "KernelDensity",
        "Sums are exact but for rtol. Unlike in sklearn.neighbors.KernelDensity, rules for the bandwidth follow the scale of each column, \"scott\" and \"silverman\" too; distances are Euclidean; the cosine kernel of several columns is normalised.",
    ),
    (
        "LocalRegression",
        "Local lines have no bias at the ends and reproduce planes. The bandwidth is the one that predicts left-out rows best, in closed form, unless it is given.",
    ),
    (
        "NadarayaWatson",
        "The mean of the targets, weighted by how near the rows are: local regression of degree 0. The curve stays within the range of the targets; LocalRegression has less bias at the ends. NadarayaWatsonRegressor and NadarayaWatsonClassifier take kernels of the kernel language.",
    ),
];

/// Examples of classes for which the one of their role says too little.
pub(crate) const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "GenerativeDensity",
        &[
            ">>> from mercer import GenerativeDensity",
            ">>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]",
            ">>> GenerativeDensity(\"gaussian\").fit(X).score_samples([[2.5]]).round(4)",
            "array([-1.4542])",
        ],
    ),
    (
        "BayesClassifier",
        &[
            ">>> from mercer import BayesClassifier",
            ">>> strings = {\"s\": [\"ACAC\", \"ACACAC\", \"GTGT\", \"TGTGTG\"]}",
            ">>> chains = BayesClassifier(\"markov(order=1)\").fit(strings, [0, 0, 1, 1])",
            ">>> chains.predict({\"s\": [\"CACA\", \"GTG\"]})",
            "array([0, 1])",
        ],
    ),
    (
        "MultipleInstanceSVC",
        &[
            ">>> from mercer import MultipleInstanceSVC",
            ">>> bags = [[[0.0], [1.0]], [[0.5], [7.0]], [[1.5]], [[6.5], [1.0], [0.0]]]",
            ">>> machine = MultipleInstanceSVC(C=10).fit(bags, [0, 1, 0, 1])",
            ">>> machine.predict([[[0.2], [6.8]], [[0.7]]])",
            "array([1, 0])",
        ],
    ),
    (
        "KernelDensity",
        &[
            ">>> from mercer import KernelDensity",
            ">>> X = [[1.2], [1.9], [2.0], [2.4], [3.7]]",
            ">>> density = KernelDensity(bandwidth=0.5).fit(X)",
            ">>> density.score_samples([[2.0]]).round(4)",
            "array([-0.7408])",
            ">>> density.sample(3, random_state=0).shape",
            "(3, 1)",
        ],
    ),
    (
        "LocalRegression",
        &[
            ">>> from mercer import LocalRegression",
            ">>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]",
            ">>> line = LocalRegression(bandwidth=1.0).fit(X, [2.0, 5.0, 8.0, 11.0, 14.0])",
            ">>> line.predict([[2.5]]).round(6)",
            "array([9.5])",
            ">>> line.slopes([[2.5]]).round(6)",
            "array([[3.]])",
        ],
    ),
    (
        "NadarayaWatson",
        &[
            ">>> from mercer import NadarayaWatson",
            ">>> mean = NadarayaWatson(bandwidth=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 5.0])",
            ">>> mean.predict([[1.0]]).round(4)",
            "array([1.8222])",
        ],
    ),
];

const DUAL: Argument = Argument {
    name: "dual",
    default: "\"auto\"",
    sets: Some("solver"),
    doc: (
        "bool or \"auto\"",
        "True: the dual problem by coordinates. False: the primal problem by Newton's method, for the squared loss, on all cores. \"auto\": the primal where the loss allows it and there are no fewer rows than columns",
    ),
};
const FIT_INTERCEPT: Argument = own("fit_intercept", "True", "bool", "Whether to add an intercept");
const INTERCEPT_SCALING: Argument = Argument {
    name: "intercept_scaling",
    default: "1.0",
    sets: Some("intercept_scale"),
    doc: ("float", "Value of the column whose weight is the intercept; the larger, the less the intercept is penalised"),
};
const VERBOSE_LEVEL: Argument = own("verbose", "0", "int", "Whether to print how the fit goes on");
const SEED_OF_ORDER: Argument =
    own("random_state", "None", "int, RandomState instance or None", "Seed of the order in which rows are taken; None is 0");
const FOUND_C: (&str, &str) = ("C_ : float", "The penalty that was found, where it was left open");
const BANDWIDTH: Argument = Argument {
    name: "bandwidth",
    default: "\"left_out\"",
    sets: Some("bandwidth"),
    doc: (
        "float, array-like of shape (n_features,) or \"left_out\"",
        "One bandwidth, one for each column, or one in units of the standard deviations of the columns by rows left out",
    ),
};
const SMOOTHING: Argument = Argument {
    name: "kernel",
    default: "None",
    sets: Some("kernel"),
    doc: (
        "str or None",
        "\"gaussian\", \"epanechnikov\", \"tricube\", \"boxcar\" or \"tophat\", \"biweight\", \"triangular\" or \"linear\", \"cosine\", \"exponential\"; None is \"gaussian\", and \"tricube\" with span",
    ),
};
const SPAN: Argument = Argument {
    name: "span",
    default: "None",
    sets: Some("span"),
    doc: ("float or None", "The share of all rows that each place looks at, instead of a bandwidth"),
};
const SPAN_OF_LOESS: Argument = Argument {
    name: "span",
    default: "None",
    sets: Some("span"),
    doc: (
        "float or None",
        "The share of all rows that each place looks at, instead of a bandwidth: R's loess is span=0.75, degree=2, with family=\"symmetric\" it=3, where surface=\"direct\" keeps it from interpolating",
    ),
};
const CURVE: &[(&str, &str)] = &[
    (
        "bandwidth_ : float, ndarray of shape (n_features,) or None",
        "The bandwidth of each column; of one column a number, and None where each place has its own (span)",
    ),
    ("left_out_ : ndarray of shape (n_rows,)", "Predictions of the rows of weight above 0, each by the others"),
    ("degrees_of_freedom_ : float", "The trace of the matrix that makes fitted values of targets"),
    ("noise_ : float", "Standard deviation of the noise"),
    ("local_ : LocalRegression", "The fit itself"),
];
