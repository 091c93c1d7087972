"""Texts of docstrings that no record of the library has.

Made by `make gen` from the records of the library and crates/mercer-gen/src/spellings.rs; edit those.
"""

# Arguments and attributes: type and meaning. A key with a class is the text of that class and of others that name it.
ARGUMENTS = {
    "kernel": (
        "str, mercer.Kernel or callable",
        'A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of two rows that returns a number, or of two arrays that returns their kernel matrix',
    ),
    "gamma": (
        '{"scale", "auto"} or float',
        "Factor of the kernels rbf, laplacian, poly, chi2 and sigmoid; None is 1 / columns (1 for chi2); an expression holds its own numbers",
    ),
    "degree": ("int", "Degree of the polynomial kernel"),
    "coef0": ("float", "Constant of the kernels poly and sigmoid"),
    "kernel_params": ("dict or None", "Keywords of a kernel that is a function"),
    "class_weight": ('dict, "balanced" or None', "Factor of the weights of the rows of each class; balanced: every class counts alike"),
    "max_seconds": ("float or None", "Seconds after which searches and solvers stop with their best so far; None: no limit"),
    "n_jobs": (
        "int or None",
        "Threads: None for all cores that the process may use, or as many as joblib.parallel_config or OMP_NUM_THREADS allows; -1 for all",
    ),
    "alpha": (
        'float, "auto", a pair (low, high) to search or a list of such for each target',
        "Strength of the penalty, in the units of the kernel; 0: none, and of all functions that fit best the one of least norm",
    ),
    "GaussianProcessClassifier.kernel": (
        "kernel instance, str, mercer.Kernel or callable",
        'A kernel of sklearn.gaussian_process.kernels, an expression such as "auto*rbf", or a function of two arrays; None is 1.0 * RBF(1.0), which stays as it is. What is auto in an expression is searched',
    ),
    "optimizer": ("str, callable or None", "What moves the numbers of a kernel of scikit-learn; None leaves them as they are"),
    "n_restarts_optimizer": ("int", "Further searches of the numbers of a kernel of scikit-learn, from random places"),
    "max_iter_predict": ("int", "Has no effect: the mode is found to the last digits"),
    "warm_start": ("bool", "Has no effect: modes are found anew"),
    "copy_X_train": ("bool", "Whether X_train_ is a copy"),
    "multi_class": (
        "str",
        'Has no effect, and a warning says so for "one_vs_one": several classes are one softmax over one function each, with one kernel',
    ),
    "random_state": ("int, RandomState instance or None", "Seed of anything random; None is 0"),
    "GaussianProcessRegressor.kernel": (
        "kernel instance, str, mercer.Kernel or callable",
        'A kernel of sklearn.gaussian_process.kernels, an expression such as "auto*rbf + auto*white", or a function of two arrays; None is ConstantKernel() * RBF(). What is auto in an expression is searched, factors around the variance of the target; white without a factor is a variance of 1',
    ),
    "GaussianProcessRegressor.alpha": (
        'float, "auto", a pair (low, high) to search or array-like of shape (n_samples,)',
        "Variance of the noise, for all rows or for each, in the units of the (normalised) target",
    ),
    "inducing": ("int or None", "How many rows all others are seen through, where these are many; None: exact, every row"),
    "normalize_y": ("bool", "Whether the target is brought to mean 0 and variance 1 first"),
    "n_targets": ("int or None", "Number of targets that samples from the prior have"),
    "SVC.kernel": (
        "str, mercer.Kernel or callable",
        'A name that scikit-learn knows, an expression such as "0.5*rbf + linear", "precomputed", or a function of two arrays that returns their kernel matrix',
    ),
    "SVC.gamma": (
        '{"scale", "auto"} or float',
        'Factor of the kernels rbf, poly and sigmoid: a number, "scale" for 1 / (columns * variance), "auto" for 1 / columns; an expression holds its own numbers, and a warning says so where this is given beside one',
    ),
    "shrinking": ("bool", "Has no effect: the solver decides itself"),
    "probability": (
        "bool",
        "Whether predict_proba is there: Platt's sigmoid for each pair of classes, fitted to decision values that were held out in folds, coupled and, for more than two classes, scaled by a softmax. predict then gives the class of greatest probability, where scikit-learn goes by votes in spite of the probabilities; weights of rows and classes count in the probabilities too",
    ),
    "verbose": ("bool", "Whether to print how the fit goes on and how it ended"),
    "decision_function_shape": ('{"ovr", "ovo"}', "Decision values of more than two classes: one for each class, or one for each pair"),
    "break_ties": ("bool", "Whether decision values decide between classes with equal votes, and not their order"),
    "weights": (
        '{"uniform", "distance"}, callable or None',
        "Uniform (or None): every neighbour counts alike; distance: by the inverse of its distance; a function gets distances (n_queries, n_neighbors) and returns weights of that shape",
    ),
    "algorithm": (
        "str",
        "How neighbours are searched, by scikit-learn's NearestNeighbors; predictions by the Euclidean metric have a search of the library",
    ),
    "leaf_size": ("int", "Rows in a leaf of the trees of that search"),
    "p": ("float", "Power of the metric minkowski"),
    "metric": ("str or callable", 'A metric that scikit-learn knows, or "precomputed" for distances'),
    "metric_params": ("dict or None", "Keywords of the metric"),
    "n_components": (
        'int, float, "auto" or None',
        'How many components, or below 1 the share of the variance that they hold together; "auto": by parallel analysis; None: all along which rows differ',
    ),
    "KernelPCA.gamma": (
        '{"scale", "auto"} or float',
        "Factor of the kernels rbf, poly and sigmoid; None is 1 / columns; an expression holds its own numbers",
    ),
    "KernelPCA.alpha": ("float", "The penalty of the ridge regression that inverse_transform is"),
    "fit_inverse_transform": (
        "bool", "Whether to learn inverse_transform: by ridge regression of the rows on their coordinates, under the same kernel",
    ),
    "eigen_solver": ("str", "Has no effect: the solver decides itself"),
    "tol": ("float", "Has no effect: the residual of the eigenvectors is certificate_"),
    "max_iter": ("int or None", "Has no effect: the solver decides itself"),
    "iterated_power": ('int or "auto"', "Has no effect: the solver decides itself"),
    "remove_zero_eig": (
        "bool", "Whether components without variance are left out; else, where n_components is a number of them, they are columns of 0",
    ),
    "copy_X": ("bool", "Whether X_fit_ is a copy"),
    "MDS.metric": (
        '{"euclidean", "precomputed"} or None',
        "\"precomputed\": rows are distances, as kernel=\"precomputed\" with values=\"distances\" says too; \"euclidean\": those of the columns; None: those of the kernel's feature space",
    ),
    "dissimilarity": ('{"euclidean", "precomputed"} or None', "The same as metric, by its name in scikit-learn below 1.8"),
    "n_init": ("int or None", "Has no effect, and a warning says so: the one start is the classical solution"),
    "init": ("str or None", "Has no effect, and a warning says so: the start is the classical solution"),
    "MDS.max_iter": ("int or None", "Has no effect, and a warning says so: tol and max_seconds end a fit"),
    "eps": ("float or None", "Has no effect, and a warning says so: tol is the tolerance"),
    "normalized_stress": ('bool or "auto"', "Has no effect, and a warning says so: stress_ is relative"),
    "n_clusters": ('int or "auto"', 'Number of clusters; "auto": up to 10, chosen by count_by'),
    "power": ("int", "1: distances in feature space are added up; 2: their squares"),
    "affinity": (
        "str or callable",
        'In the place of kernel, as scikit-learn calls it; also "nearest_neighbors" and "precomputed_nearest_neighbors": which rows are among the n_neighbors nearest of each other',
    ),
    "n_neighbors": ("int", "Neighbours of the graphs of affinity"),
    "SpectralClustering.n_components": ("int or None", "Has no effect, and a warning says so: as many eigenvectors as clusters are taken"),
    "assign_labels": ("str", 'Clusters among the eigenvectors are found by k-means: "kmeans"'),
    "SpectralClustering.eigen_solver": ("str or None", "Has no effect: the solver decides itself"),
    "eigen_tol": ('float or "auto"', "Has no effect: the residual of the eigenvectors is certificate_"),
    "KernelLogisticRegression.alpha": (
        'float, "auto" or a pair (low, high) to search', "Strength of the penalty, in the units of the kernel: 1 / C of LogisticRegression",
    ),
    "max_relevant": ('int or "auto"', 'Most relevant rows; "auto": an eighth of the rows, at least 500'),
    "RelevanceVectorClassifier.n_init": (
        'int or "auto"',
        'Number of starts of the evidence maximisation, of which the best is kept; "auto": 4 for regression, 2 for classification',
    ),
    "L2VectorClassifier.alpha": (
        'float, "auto" or a pair (low, high) to search', "Strength of the penalty on the squares of the weights of the similarities",
    ),
    "n_centroids": ('int or "auto"', 'How many centroids; "auto": twice the root of the number of rows that differ'),
    "learning_rate": ('float or "auto"', 'Step of the least mean squares rule; "auto": half of what keeps one step from going too far'),
    "penalty": ('{"l2"}', "The penalty of the weights"),
    "dual": (
        'bool or "auto"',
        "True: the dual problem by coordinates. False: the primal problem by Newton's method, for the squared loss, on all cores. \"auto\": the primal where the loss allows it and there are no fewer rows than columns",
    ),
    "LinearSVC.multi_class": ('{"ovr"}', "One problem for each class against the rest"),
    "fit_intercept": ("bool", "Whether to add an intercept"),
    "intercept_scaling": ("float", "Value of the column whose weight is the intercept; the larger, the less the intercept is penalised"),
    "LinearSVC.class_weight": (
        'dict, "balanced" or None',
        "Factor of C for rows of each class; of more than two classes it applies where the class stands against the rest",
    ),
    "LinearSVC.verbose": ("int", "Whether to print how the fit goes on"),
    "LinearSVC.random_state": ("int, RandomState instance or None", "Seed of the order in which rows are taken; None is 0"),
    "bandwidth": (
        "float, array-like or str",
        'A number, one for each column, a matrix H (the covariance of a Gaussian kernel), or a rule: "normal_reference", "silverman", "scott", "sheather_jones", "isj", "cross_validation", "least_squares", which are multiples of the scale of each column; "auto": "isj", or "silverman" for several columns and for values that repeat',
    ),
    "KernelDensity.algorithm": ('{"auto", "kd_tree", "ball_tree"}', "Has no effect: sums do not depend on how they are arranged"),
    "KernelDensity.kernel": (
        "str", '"gaussian", "epanechnikov", "tricube", "boxcar" or "tophat", "biweight", "triangular" or "linear", "cosine", "exponential"',
    ),
    "KernelDensity.metric": ('{"euclidean", "l2", "minkowski"}', "The distance, which is the Euclidean one"),
    "atol": ("float", "Has no effect: rtol bounds the error"),
    "rtol": ("float", "The relative error that a density may have; below 1e-12 it is that of rounding"),
    "breadth_first": ("bool", "Has no effect: there is no tree to walk"),
    "KernelDensity.leaf_size": ("int", "Has no effect: there is no tree"),
    "KernelDensity.metric_params": ("dict or None", 'Keywords of the metric: {"p": 2} for "minkowski"'),
    "covariance": (
        "bool", 'Whether "normal_reference", "silverman" or "scott" takes the covariance of the columns and not their scales alone',
    ),
    "support": (
        "tuple, list of tuples or None",
        "Ends (low, high) of the values, the same for all columns or one for each; None for an end that there is not. Mass beyond them is folded back, and samples stay inside",
    ),
    "LocalRegression.bandwidth": (
        'float, array-like of shape (n_features,) or "left_out"',
        "One bandwidth, one for each column, or one in units of the standard deviations of the columns by rows left out",
    ),
    "LocalRegression.kernel": (
        "str or None",
        '"gaussian", "epanechnikov", "tricube", "boxcar" or "tophat", "biweight", "triangular" or "linear", "cosine", "exponential"; None is "gaussian", and "tricube" with span',
    ),
    "span": (
        "float or None",
        "The share of all rows that each place looks at, instead of a bandwidth: R's loess is span=0.75, degree=2, with family=\"symmetric\" it=3, where surface=\"direct\" keeps it from interpolating",
    ),
    "NadarayaWatson.span": ("float or None", "The share of all rows that each place looks at, instead of a bandwidth"),
    "distribution": (
        "str or object",
        'A generative model: "gaussian", "gaussian(covariance=full)", "gaussian_mixture(components=3)", "markov(order=2)", "hmm", or an object with fit, log_density and score; numbers such as components may be ranges, "gaussian_mixture(components=1..5)", decided by held-out rows where there are classes, else by BIC',
    ),
    "MultipleInstanceSVC.kernel": ("str, mercer.Kernel or callable", 'A kernel of sets made of a kernel of vectors: "set_mean(rbf)"'),
    "positive": (
        "label or list of labels", "Of two classes the one that a set is of where one of its vectors is, such as [1]; (): the last",
    ),
}
ATTRIBUTES = {
    "classes_": ("ndarray of shape (n_classes,)", "The classes"),
    "dual_coef_": ("ndarray of shape (n_samples,) or (n_samples, n_outputs)", "Coefficients of the training rows"),
    "X_fit_": ("ndarray or sparse matrix", "The training rows, or their Gram matrix"),
    "intercept_": ("ndarray", "Constants, one for each output"),
    "alpha_": (
        "float or ndarray of shape (n_targets,)", "The penalty that was found, where it was left open; of a list one for each target",
    ),
    "kernel_": ("mercer.Kernel", "The kernel with the numbers that were found; none where it is a function or precomputed"),
    "model_": ("mercer.Model or its like", "The fitted model of the library"),
    "certificate_": ("dict", "Name, value and tolerance of the number that proves how good the fit is"),
    "n_features_in_": ("int", "Number of columns"),
    "feature_names_in_": ("ndarray of shape (n_features_in_,)", "Their names, where the training rows had names"),
    "GaussianProcessClassifier.kernel_": ("kernel instance or mercer.Kernel", "The kernel with the numbers that were learnt"),
    "log_marginal_likelihood_value_": ("float", "Log marginal likelihood of the classes by Laplace's approximation"),
    "n_classes_": ("int", "Number of classes"),
    "X_train_": ("ndarray or data frame", "The training rows"),
    "GaussianProcessRegressor.log_marginal_likelihood_value_": ("float", "Log marginal likelihood of the (normalised) targets"),
    "GaussianProcessRegressor.alpha_": ("ndarray", "Coefficients of the training rows, or of the inducing ones"),
    "L_": ("ndarray of shape (n_samples, n_samples)", "Lower Cholesky factor of the covariance of the targets"),
    "noise_": ("float", "The noise that was found, where alpha was left open"),
    "y_train_": ("ndarray", "The (normalised) targets"),
    "support_": ("ndarray of shape (n_support,)", "Rows of the support vectors"),
    "support_vectors_": ("ndarray or sparse matrix of shape (n_support, n_features)", "The support vectors"),
    "n_support_": ("ndarray", "Number of support vectors, for each class"),
    "SVC.dual_coef_": ("ndarray or sparse array", "Coefficients of the support vectors"),
    "SVC.intercept_": ("ndarray", "Constants of the decision functions"),
    "coef_": ("ndarray or sparse array", 'Coefficients of the columns, where the kernel is "linear"'),
    "n_iter_": ("ndarray or int", "Steps of the solver"),
    "probA_, probB_": (
        "ndarray of shape (n_pairs,)",
        "A and B of Platt's sigmoids: the first class of a pair has the probability 1 / (1 + exp(A d + B)) for a decision value d above 0 for it; empty without probability=True",
    ),
    "C_": ("float", "The penalty that was found, where it was left open; so for every argument"),
    "outputs_2d_": ("bool", "Whether there are several targets: classes_ is a list then, and model_.models are the models, one for each"),
    "n_samples_fit_": ("int", "Number of training rows"),
    "effective_metric_": ("str or callable", "The metric, minkowski by the name that it has for its p"),
    "effective_metric_params_": ("dict", "What is left of its keywords"),
    "eigenvalues_": ("ndarray of shape (n_components,)", "Eigenvalues of the centred kernel matrix, greatest first"),
    "eigenvectors_": (
        "ndarray of shape (n_samples, n_components)",
        "Its eigenvectors; along each, the training row that lies farthest from 0 lies above it. With sparsity, what stands for them: 0 in rows without loadings",
    ),
    "explained_variance_ratio_": ("ndarray of shape (n_components,)", "The share of the variance along each component"),
    "X_transformed_fit_": ("ndarray of shape (n_samples, n_components)", "Their coordinates, with fit_inverse_transform"),
    "gamma_": ("float", "Factor of the kernels rbf, poly and sigmoid that was used"),
    "embedding_": ("ndarray of shape (n_samples, n_components)", "The places of the training rows"),
    "dissimilarity_matrix_": (
        "ndarray of shape (n_samples, n_samples)", "The distances between the training rows; computed when it is asked for",
    ),
    "stress_": ("float", "Sum of the squared differences of distances, by that of the squared distances: the square of stress-1"),
    "MDS.n_iter_": ("int", "Steps"),
    "labels_": ("ndarray of shape (n_samples,)", "The cluster of each row, counted from 0, the largest cluster first"),
    "medoid_indices_": ("ndarray of shape (n_clusters,)", "The rows that are the medoids"),
    "cluster_centers_": ("ndarray of shape (n_clusters, n_features)", "The medoids; none where rows are no numbers"),
    "inertia_": ("float", "Sum of the distances of all rows to their medoids, to the power"),
    "KMedoids.n_iter_": ("int", "Swaps that were made"),
    "KernelKMeans.inertia_": ("float", "Sum of the squared distances of all rows to the centres of their clusters in feature space"),
    "KernelKMeans.n_iter_": ("int", "Sweeps and single moves, of all starts"),
    "affinity_matrix_": ("ndarray of shape (n_samples, n_samples)", "The similarities of the training rows; computed when it is asked for"),
    "SpectralClustering.inertia_": ("float", "Sum of the squared distances to the centres among the leading eigenvectors"),
    "SpectralClustering.n_iter_": ("int", "Products of the matrix that the eigenvectors took"),
    "KernelLogisticRegression.alpha_": ("float", "The penalty that was found, where it was left open"),
    "relevance_": ("ndarray of shape (n_relevant,)", "Training rows with a weight"),
    "RelevanceVectorClassifier.support_": ("ndarray of shape (n_relevant,)", "The same rows"),
    "RelevanceVectorClassifier.log_marginal_likelihood_value_": (
        "float", "Log of the marginal likelihood; of classes by Laplace's approximation",
    ),
    "RelevanceVectorRegressor.noise_": ("float or ndarray of shape (n_targets,)", "Variance of the noise, by evidence"),
    "L1VectorClassifier.support_": ("ndarray", "The training rows with a coefficient"),
    "L1VectorClassifier.n_iter_": ("int", "Newton steps"),
    "RBFNetworkClassifier.support_": ("ndarray", "The training rows that are centroids"),
    "n_centroids_": ("float", "The number of centroids, where it was left open"),
    "KernelPerceptron.support_vectors_": ("ndarray, sparse matrix or data frame", "The rows that are kept"),
    "KernelPerceptron.n_iter_": ("int", "Passes over the rows"),
    "LinearSVC.coef_": ("ndarray of shape (1, n_features) or (n_classes, n_features)", "Weights of the columns"),
    "LinearSVC.intercept_": ("ndarray of shape (1,) or (n_classes,)", "Intercepts"),
    "LinearSVC.n_iter_": ("int", "The most iterations of a problem"),
    "LinearSVC.C_": ("float", "The penalty that was found, where it was left open"),
    "LinearSVR.coef_": ("ndarray of shape (n_features,)", "Weights of the columns"),
    "LinearSVR.intercept_": ("ndarray of shape (1,)", "The intercept"),
    "LinearSVR.n_iter_": ("int", "Iterations"),
    "bandwidth_": ("float or ndarray of shape (n_features,)", "The bandwidth of each column; of one column a number"),
    "density_": ("Density", "The density: left_out(), cumulative(x) and quantile(p) too, and widths_of_rows where adaptive"),
    "LocalRegression.bandwidth_": (
        "float, ndarray of shape (n_features,) or None",
        "The bandwidth of each column; of one column a number, and None where each place has its own (span)",
    ),
    "left_out_": ("ndarray of shape (n_rows,)", "Predictions of the rows of weight above 0, each by the others"),
    "degrees_of_freedom_": ("float", "The trace of the matrix that makes fitted values of targets"),
    "LocalRegression.noise_": ("float", "Standard deviation of the noise"),
    "local_": ("LocalRegression", "The fit itself"),
    "distributions_": (
        "dict of mercer.Distribution", "The fitted model of each class that has rows, with its parameters, its hidden states and samples",
    ),
    "offset_": ("float", "What is taken from scores to give decision values"),
}
# Of each class the keys of its arguments and of its attributes; other arguments have the text of a record.
KEYS = {
    "KernelRidgeClassifier": (
        ("kernel", "gamma", "degree", "coef0", "kernel_params", "class_weight", "max_seconds", "n_jobs"),
        (
            "classes_", "dual_coef_", "X_fit_", "intercept_", "alpha_", "kernel_", "model_", "certificate_", "n_features_in_",
            "feature_names_in_",
        ),
    ),
    "KernelRidge": (
        ("alpha", "kernel", "gamma", "degree", "coef0", "kernel_params", "max_seconds", "n_jobs"),
        ("dual_coef_", "X_fit_", "intercept_", "alpha_", "kernel_", "model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "GaussianProcessClassifier": (
        (
            "GaussianProcessClassifier.kernel", "optimizer", "n_restarts_optimizer", "max_iter_predict", "warm_start", "copy_X_train",
            "multi_class", "random_state", "max_seconds", "n_jobs",
        ),
        (
            "classes_", "GaussianProcessClassifier.kernel_", "log_marginal_likelihood_value_", "n_classes_", "X_train_", "model_",
            "certificate_", "n_features_in_", "feature_names_in_",
        ),
    ),
    "GaussianProcessRegressor": (
        (
            "GaussianProcessRegressor.kernel", "GaussianProcessRegressor.alpha", "inducing", "optimizer", "n_restarts_optimizer",
            "normalize_y", "copy_X_train", "n_targets", "random_state", "max_seconds", "n_jobs",
        ),
        (
            "GaussianProcessClassifier.kernel_", "GaussianProcessRegressor.log_marginal_likelihood_value_",
            "GaussianProcessRegressor.alpha_", "L_", "noise_", "X_train_", "y_train_", "model_", "certificate_", "n_features_in_",
            "feature_names_in_",
        ),
    ),
    "SVC": (
        (
            "SVC.kernel", "degree", "SVC.gamma", "coef0", "shrinking", "probability", "class_weight", "verbose", "decision_function_shape",
            "break_ties", "random_state", "max_seconds", "n_jobs",
        ),
        (
            "classes_", "support_", "support_vectors_", "n_support_", "SVC.dual_coef_", "SVC.intercept_", "coef_", "n_iter_",
            "probA_, probB_", "C_", "kernel_", "model_", "certificate_", "n_features_in_", "feature_names_in_",
        ),
    ),
    "SVR": (
        ("SVC.kernel", "degree", "SVC.gamma", "coef0", "shrinking", "verbose", "max_seconds", "n_jobs"),
        (
            "support_", "support_vectors_", "n_support_", "SVC.dual_coef_", "SVC.intercept_", "coef_", "n_iter_", "C_", "kernel_", "model_",
            "certificate_", "n_features_in_", "feature_names_in_",
        ),
    ),
    "KNeighborsClassifier": (
        ("weights", "algorithm", "leaf_size", "p", "metric", "metric_params", "n_jobs"),
        (
            "classes_", "outputs_2d_", "n_samples_fit_", "effective_metric_", "effective_metric_params_", "model_", "certificate_",
            "n_features_in_", "feature_names_in_",
        ),
    ),
    "KNeighborsRegressor": (
        ("weights", "algorithm", "leaf_size", "p", "metric", "metric_params", "n_jobs"),
        (
            "n_samples_fit_", "effective_metric_", "effective_metric_params_", "model_", "certificate_", "n_features_in_",
            "feature_names_in_",
        ),
    ),
    "BaselineClassifier": (
        ("SVC.kernel", "random_state", "n_jobs"),
        ("classes_", "model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "BaselineRegressor": (
        ("SVC.kernel", "random_state", "n_jobs"),
        ("model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "KernelPCA": (
        (
            "n_components", "kernel", "KernelPCA.gamma", "degree", "coef0", "kernel_params", "KernelPCA.alpha", "fit_inverse_transform",
            "eigen_solver", "tol", "max_iter", "iterated_power", "remove_zero_eig", "random_state", "copy_X", "max_seconds", "n_jobs",
        ),
        (
            "eigenvalues_", "eigenvectors_", "explained_variance_ratio_", "X_fit_", "X_transformed_fit_", "gamma_", "kernel_", "model_",
            "certificate_", "n_features_in_", "feature_names_in_",
        ),
    ),
    "MDS": (
        (
            "kernel", "KernelPCA.gamma", "degree", "coef0", "kernel_params", "MDS.metric", "dissimilarity", "n_init", "init",
            "MDS.max_iter", "eps", "normalized_stress", "random_state", "max_seconds", "n_jobs",
        ),
        (
            "embedding_", "dissimilarity_matrix_", "stress_", "MDS.n_iter_", "kernel_", "model_", "certificate_", "n_features_in_",
            "feature_names_in_",
        ),
    ),
    "KMedoids": (
        (
            "n_clusters", "kernel", "KernelPCA.gamma", "degree", "coef0", "kernel_params", "MDS.metric", "power", "random_state",
            "max_seconds", "n_jobs",
        ),
        (
            "labels_", "medoid_indices_", "cluster_centers_", "inertia_", "KMedoids.n_iter_", "kernel_", "model_", "certificate_",
            "n_features_in_", "feature_names_in_",
        ),
    ),
    "KernelKMeans": (
        ("n_clusters", "kernel", "KernelPCA.gamma", "degree", "coef0", "kernel_params", "random_state", "max_seconds", "n_jobs"),
        (
            "labels_", "KernelKMeans.inertia_", "KernelKMeans.n_iter_", "kernel_", "model_", "certificate_", "n_features_in_",
            "feature_names_in_",
        ),
    ),
    "SpectralClustering": (
        (
            "n_clusters", "affinity", "kernel", "KernelPCA.gamma", "degree", "coef0", "kernel_params", "n_neighbors",
            "SpectralClustering.n_components", "assign_labels", "SpectralClustering.eigen_solver", "eigen_tol", "verbose", "random_state",
            "max_seconds", "n_jobs",
        ),
        (
            "labels_", "affinity_matrix_", "SpectralClustering.inertia_", "SpectralClustering.n_iter_", "kernel_", "model_", "certificate_",
            "n_features_in_", "feature_names_in_",
        ),
    ),
    "NearestMedoidClassifier": (
        ("SVC.kernel", "random_state", "max_seconds", "n_jobs"),
        ("classes_", "model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "KernelLogisticRegression": (
        ("KernelLogisticRegression.alpha", "SVC.kernel", "class_weight", "random_state", "max_seconds", "n_jobs"),
        ("classes_", "KernelLogisticRegression.alpha_", "kernel_", "model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "RelevanceVectorClassifier": (
        ("SVC.kernel", "max_relevant", "RelevanceVectorClassifier.n_init", "class_weight", "random_state", "max_seconds", "n_jobs"),
        (
            "classes_", "relevance_", "RelevanceVectorClassifier.support_", "RelevanceVectorClassifier.log_marginal_likelihood_value_",
            "kernel_", "model_", "certificate_", "n_features_in_", "feature_names_in_",
        ),
    ),
    "RelevanceVectorRegressor": (
        ("SVC.kernel", "max_relevant", "RelevanceVectorClassifier.n_init", "random_state", "max_seconds", "n_jobs"),
        (
            "relevance_", "RelevanceVectorClassifier.support_", "RelevanceVectorRegressor.noise_",
            "RelevanceVectorClassifier.log_marginal_likelihood_value_", "kernel_", "model_", "certificate_", "n_features_in_",
            "feature_names_in_",
        ),
    ),
    "L2VectorClassifier": (
        ("L2VectorClassifier.alpha", "SVC.kernel", "class_weight", "random_state", "max_seconds", "n_jobs"),
        ("classes_", "KernelLogisticRegression.alpha_", "kernel_", "model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "L2VectorRegressor": (
        ("L2VectorClassifier.alpha", "SVC.kernel", "random_state", "max_seconds", "n_jobs"),
        ("KernelLogisticRegression.alpha_", "kernel_", "model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "L1VectorClassifier": (
        ("SVC.kernel", "class_weight", "random_state", "max_seconds", "n_jobs"),
        (
            "classes_", "L1VectorClassifier.support_", "L1VectorClassifier.n_iter_", "kernel_", "model_", "certificate_", "n_features_in_",
            "feature_names_in_",
        ),
    ),
    "L1VectorRegressor": (
        ("SVC.kernel", "random_state", "max_seconds", "n_jobs"),
        (
            "L1VectorClassifier.support_", "L1VectorClassifier.n_iter_", "kernel_", "model_", "certificate_", "n_features_in_",
            "feature_names_in_",
        ),
    ),
    "RBFNetworkClassifier": (
        ("L2VectorClassifier.alpha", "n_centroids", "SVC.kernel", "class_weight", "random_state", "max_seconds", "n_jobs"),
        (
            "classes_", "RBFNetworkClassifier.support_", "KernelLogisticRegression.alpha_", "n_centroids_", "kernel_", "model_",
            "certificate_", "n_features_in_", "feature_names_in_",
        ),
    ),
    "RBFNetworkRegressor": (
        ("L2VectorClassifier.alpha", "n_centroids", "SVC.kernel", "random_state", "max_seconds", "n_jobs"),
        (
            "RBFNetworkClassifier.support_", "KernelLogisticRegression.alpha_", "n_centroids_", "kernel_", "model_", "certificate_",
            "n_features_in_", "feature_names_in_",
        ),
    ),
    "KernelPerceptron": (
        ("SVC.kernel", "class_weight", "random_state", "max_seconds", "n_jobs"),
        (
            "classes_", "KernelPerceptron.support_vectors_", "KernelPerceptron.n_iter_", "kernel_", "model_", "certificate_",
            "n_features_in_", "feature_names_in_",
        ),
    ),
    "KernelLMS": (
        ("SVC.kernel", "learning_rate", "random_state", "max_seconds", "n_jobs"),
        (
            "KernelPerceptron.support_vectors_", "KernelPerceptron.n_iter_", "kernel_", "model_", "certificate_", "n_features_in_",
            "feature_names_in_",
        ),
    ),
    "KernelDiscriminantAnalysis": (
        ("SVC.kernel", "class_weight", "random_state", "max_seconds", "n_jobs"),
        ("classes_", "model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "NadarayaWatsonClassifier": (
        ("class_weight", "SVC.kernel", "random_state", "max_seconds", "n_jobs"),
        ("classes_", "model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "NadarayaWatsonRegressor": (
        ("SVC.kernel", "random_state", "max_seconds", "n_jobs"),
        ("model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "LinearSVC": (
        (
            "penalty", "dual", "LinearSVC.multi_class", "fit_intercept", "intercept_scaling", "LinearSVC.class_weight", "LinearSVC.verbose",
            "LinearSVC.random_state", "max_seconds", "n_jobs",
        ),
        (
            "classes_", "LinearSVC.coef_", "LinearSVC.intercept_", "LinearSVC.n_iter_", "LinearSVC.C_", "model_", "certificate_",
            "n_features_in_", "feature_names_in_",
        ),
    ),
    "LinearSVR": (
        ("fit_intercept", "intercept_scaling", "dual", "LinearSVC.verbose", "LinearSVC.random_state", "max_seconds", "n_jobs"),
        (
            "LinearSVR.coef_", "LinearSVR.intercept_", "LinearSVR.n_iter_", "LinearSVC.C_", "model_", "certificate_", "n_features_in_",
            "feature_names_in_",
        ),
    ),
    "KernelDensity": (
        (
            "bandwidth", "KernelDensity.algorithm", "KernelDensity.kernel", "KernelDensity.metric", "atol", "rtol", "breadth_first",
            "KernelDensity.leaf_size", "KernelDensity.metric_params", "covariance", "support", "n_jobs",
        ),
        ("bandwidth_", "density_", "n_features_in_", "feature_names_in_"),
    ),
    "LocalRegression": (
        ("LocalRegression.bandwidth", "LocalRegression.kernel", "span", "n_jobs"),
        (
            "LocalRegression.bandwidth_", "left_out_", "degrees_of_freedom_", "LocalRegression.noise_", "local_", "n_features_in_",
            "feature_names_in_",
        ),
    ),
    "NadarayaWatson": (
        ("LocalRegression.bandwidth", "LocalRegression.kernel", "NadarayaWatson.span", "n_jobs"),
        (
            "LocalRegression.bandwidth_", "left_out_", "degrees_of_freedom_", "LocalRegression.noise_", "local_", "n_features_in_",
            "feature_names_in_",
        ),
    ),
    "GenerativeDensity": (
        ("distribution", "random_state", "max_seconds", "n_jobs"),
        ("model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "BayesClassifier": (
        ("distribution", "random_state", "max_seconds", "n_jobs"),
        ("classes_", "distributions_", "model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "MultipleInstanceSVC": (
        ("MultipleInstanceSVC.kernel", "positive", "class_weight", "random_state", "max_seconds", "n_jobs"),
        ("classes_", "LinearSVC.C_", "model_", "certificate_", "n_features_in_", "feature_names_in_"),
    ),
    "OneClassSVM": (
        ("SVC.kernel", "degree", "SVC.gamma", "coef0", "shrinking", "verbose", "max_seconds", "n_jobs"),
        (
            "support_", "support_vectors_", "n_support_", "SVC.dual_coef_", "SVC.intercept_", "offset_", "coef_", "n_iter_", "kernel_",
            "model_", "certificate_", "n_features_in_", "feature_names_in_",
        ),
    ),
    "NuSVC": (
        (
            "SVC.kernel", "degree", "SVC.gamma", "coef0", "shrinking", "probability", "class_weight", "verbose", "decision_function_shape",
            "break_ties", "random_state", "max_seconds", "n_jobs",
        ),
        (
            "classes_", "support_", "support_vectors_", "n_support_", "SVC.dual_coef_", "SVC.intercept_", "coef_", "n_iter_",
            "probA_, probB_", "kernel_", "model_", "certificate_", "n_features_in_", "feature_names_in_",
        ),
    ),
    "NuSVR": (
        ("SVC.kernel", "degree", "SVC.gamma", "coef0", "shrinking", "verbose", "max_seconds", "n_jobs"),
        (
            "support_", "support_vectors_", "n_support_", "SVC.dual_coef_", "SVC.intercept_", "coef_", "n_iter_", "C_", "kernel_", "model_",
            "certificate_", "n_features_in_", "feature_names_in_",
        ),
    ),
}
# Of some classes a paragraph behind the first.
NOTES = {
    "LinearSVC": (
        "It minimises |w|^2 / 2 + C sum_i loss(y_i (x_i'w + b)), the intercept penalised as the weight of a column that holds intercept_scaling; of more than two classes there is one such problem for each against the rest, solved side by side. Sparse rows stay sparse."
    ),
    "LinearSVR": (
        "It minimises |w|^2 / 2 + C sum_i loss(y_i - x_i'w - b), the intercept penalised as the weight of a column that holds intercept_scaling. Sparse rows stay sparse."
    ),
    "KernelDensity": (
        'Sums are exact but for rtol. Unlike in sklearn.neighbors.KernelDensity, rules for the bandwidth follow the scale of each column, "scott" and "silverman" too; distances are Euclidean; the cosine kernel of several columns is normalised.'
    ),
    "LocalRegression": (
        "Local lines have no bias at the ends and reproduce planes. The bandwidth is the one that predicts left-out rows best, in closed form, unless it is given."
    ),
    "NadarayaWatson": (
        "The mean of the targets, weighted by how near the rows are: local regression of degree 0. The curve stays within the range of the targets; LocalRegression has less bias at the ends. NadarayaWatsonRegressor and NadarayaWatsonClassifier take kernels of the kernel language."
    ),
}
# Of some classes the example, where that of every class of the kind says too little.
EXAMPLES = {
    "GenerativeDensity": (
        ">>> from mercer import GenerativeDensity",
        ">>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]",
        '>>> GenerativeDensity("gaussian").fit(X).score_samples([[2.5]]).round(4)',
        "array([-1.4542])",
    ),
    "BayesClassifier": (
        ">>> from mercer import BayesClassifier",
        '>>> strings = {"s": ["ACAC", "ACACAC", "GTGT", "TGTGTG"]}',
        '>>> chains = BayesClassifier("markov(order=1)").fit(strings, [0, 0, 1, 1])',
        '>>> chains.predict({"s": ["CACA", "GTG"]})',
        "array([0, 1])",
    ),
    "MultipleInstanceSVC": (
        ">>> from mercer import MultipleInstanceSVC",
        ">>> bags = [[[0.0], [1.0]], [[0.5], [7.0]], [[1.5]], [[6.5], [1.0], [0.0]]]",
        ">>> machine = MultipleInstanceSVC(C=10).fit(bags, [0, 1, 0, 1])",
        ">>> machine.predict([[[0.2], [6.8]], [[0.7]]])",
        "array([1, 0])",
    ),
    "KernelDensity": (
        ">>> from mercer import KernelDensity",
        ">>> X = [[1.2], [1.9], [2.0], [2.4], [3.7]]",
        ">>> density = KernelDensity(bandwidth=0.5).fit(X)",
        ">>> density.score_samples([[2.0]]).round(4)",
        "array([-0.7408])",
        ">>> density.sample(3, random_state=0).shape",
        "(3, 1)",
    ),
    "LocalRegression": (
        ">>> from mercer import LocalRegression",
        ">>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]",
        ">>> line = LocalRegression(bandwidth=1.0).fit(X, [2.0, 5.0, 8.0, 11.0, 14.0])",
        ">>> line.predict([[2.5]]).round(6)",
        "array([9.5])",
        ">>> line.slopes([[2.5]]).round(6)",
        "array([[3.]])",
    ),
    "NadarayaWatson": (
        ">>> from mercer import NadarayaWatson",
        ">>> mean = NadarayaWatson(bandwidth=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 5.0])",
        ">>> mean.predict([[1.0]]).round(4)",
        "array([1.8222])",
    ),
}
