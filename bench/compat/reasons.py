"""Why a test of scikit-learn fails with a class of Mercer in its place: what it asks for, by name of the test.

`private`: an attribute with an underscore before its name. `libsvm`: how that solver goes about it, not what it solves.
`accepts`: what scikit-learn refuses is taken. `sooner`: the fault is told in fit, not in predict. `words`: the fault is told
in other words. `deprecated`: a warning of scikit-learn about its own future. `not here`: a part that Mercer does not have, which
says so. `differs`: on purpose, as docs/scikit-learn.md says. Anything else is a defect.
"""

REASONS = [
    (r"test_svm.py::test_precomputed$", "libsvm", "coefficients of two fits at tol=1e-3 are compared to six digits"),
    (r"test_svm.py::test_svc_clone_with_callable_kernel", "libsvm", "coefficients of two fits at tol=1e-3 are compared to six digits"),
    (r"test_sparse.py::test_svc(_iris)?\[", "libsvm", "coefficients of two fits at tol=1e-3 are compared to seven digits"),
    (r"test_svm.py::test_svr_errors", "sooner", "a function that returns a wrong shape is refused by fit"),
    (r"test_svm.py::test_tweak_params", "libsvm", "a fitted attribute is changed by hand and predictions are to follow"),
    (r"::test_negative_sample_weights_mask_all_samples\[weights-are-zero", "words", "all weights are 0"),
    (r"test_svm.py::test_bad_input", "accepts", "sparse rows for a model that was fitted on dense ones"),
    (r"test_svm.py::test_svc_nonfinite_params", "words", "kernel values overflow"),
    (r"::test_libsvm_convergence_warnings", "libsvm", "the problem is solved within the steps that libsvm exceeds"),
    (r"test_sparse.py::test_timeout", "libsvm", "the problem is solved within the steps that libsvm exceeds"),
    (r"test_svm.py::test_gamma_scale", "private", "_gamma"),
    (r"::test_svc_raises_error_internal_representation", "private", "_n_support"),
    (r"::test_probability_raises_futurewarning", "deprecated", "probability= stays"),
    (r"::test_svc_nusvc_probA_probB_deprecated", "deprecated", "probA_ and probB_"),
    (r"::test_kernel_ridge_singular_kernel", "not here", "a singular system without penalty is refused, not solved by least squares"),
    (r"::test_gpr_correct_error_message", "accepts", "a singular kernel matrix gets a jitter, which the summary reports"),
    (r"::test_neigh_predictions_algorithm_agnosticity.*DM_", "not here", "objects of class DistanceMetric"),
    (r"::test_neigh_predictions_algorithm_agnosticity", "private", "the class is asked for KNeighborsMixin to know its first argument"),
    (r"::test_unsupervised_inputs", "not here", "rows given as a fitted NearestNeighbors"),
    (r"::test_precomputed_sparse_knn|::test_pipeline_with_nearest_neighbors_transformer", "not here", "a sparse graph of distances"),
    (r"::test_neighbors_regressors_zero_distance", "not here", "radius neighbours"),
    (r"::test_neighbors_validate_parameters|_semimetric_algo_|::test_metric_params_interface", "accepts", "algorithm= only serves kneighbors"),
    (r"::test_predict_sparse_ball_kd_tree", "accepts", "algorithm= only serves kneighbors"),
    (r"::test_kneighbors_regressor_sparse", "words", "a sparse matrix of distances"),
    (r"::test_nan_euclidean_support", "not here", "missing cells in distances; MercerClassifier fills them"),
    (r"test_svm.py::test_linearsvc_parameters", "words", "combinations of penalty, loss and dual are refused, one argument after the other"),
    (r"::test_linearsvc\[|liblinear_intercept_handling|::test_linearsvm_liblinear_sample_weight.*LinearSVC-params0", "not here", "penalty='l1'"),
    (r"::test_linearsvc_crammer_singer|::test_crammer_singer_binary", "not here", "multi_class='crammer_singer'"),
    (r"::test_linear_svm_convergence_warnings", "libsvm", "the problem is solved within the steps that liblinear exceeds"),
    (r"test_gpc.py::test_warning_bounds", "words", "a kernel with two numbers at their bounds is warned of once"),
    (r"test_gpc.py::test_predict_consistent_structured", "differs", "equal probabilities of two classes that differ by rounding"),
    (r"test_kde.py::.*(scott|silverman)", "differs", "rules for the bandwidth follow the scale of each column"),
    (r"test_kde.py::test_kde_algorithm_metric_choice|test_kde.py::test_kde_sample_weights", "not here", "densities by other distances than the Euclidean"),
    (r"test_kde.py::test_kernel_density_sampling", "accepts", "samples of every kernel"),
    (r"test_kernel_pca.py::test_kernel_pca_invalid_parameters", "words", "fit_inverse_transform with given kernel values"),
    (r"test_kernel_pca.py::test_remove_zero_eig", "not here", "rows that are all alike are refused: there is no component"),
    (r"test_kernel_pca.py::test_kernel_pca_precomputed_non_symmetric", "not here", "a matrix that is not symmetric is refused"),
    (r"test_kernel_pca.py::test_precomputed_kernel_not_psd", "accepts", "of a matrix with negative eigenvalues the components of the others"),
    (r"test_spectral.py::.*(discretize|cluster_qr)", "not here", "assign_labels: clusters among the eigenvectors are found by k-means"),
    (r"test_spectral.py::test_n_components", "not here", "n_components: as many eigenvectors as clusters"),
    (r"test_spectral.py::test_precomputed_nearest_neighbors_filtering", "not here", "a sparse graph of distances"),
    (r"test_spectral.py::test_affinities", "words", "no warning of a graph in several parts"),
    (r"test_spectral.py::test_verbose", "words", "what verbose=True prints"),
]
