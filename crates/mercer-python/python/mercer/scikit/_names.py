"""Names of the estimators of scikit-learn's form.

Made by `make gen` from the records of the library and crates/mercer-gen/src/spellings.rs; edit those.
"""

NAMES = (
    "BaselineClassifier", "BaselineRegressor", "BayesClassifier", "GaussianProcessClassifier", "GaussianProcessRegressor",
    "GenerativeDensity", "KMedoids", "KNeighborsClassifier", "KNeighborsRegressor", "KernelDensity", "KernelDiscriminantAnalysis",
    "KernelKMeans", "KernelLMS", "KernelLogisticRegression", "KernelPCA", "KernelPerceptron", "KernelRidge", "KernelRidgeClassifier",
    "L1VectorClassifier", "L1VectorRegressor", "L2VectorClassifier", "L2VectorRegressor", "LinearSVC", "LinearSVR", "LocalRegression",
    "Lowess", "MDS", "MercerClassifier", "MercerRegressor", "MultipleInstanceSVC", "NadarayaWatson", "NadarayaWatsonClassifier",
    "NadarayaWatsonRegressor", "NearestMedoidClassifier", "NuSVC", "NuSVR", "OneClassSVM", "RBFNetworkClassifier", "RBFNetworkRegressor",
    "RelevanceVectorClassifier", "RelevanceVectorRegressor", "SVC", "SVR", "SpectralClustering",
)
# Searches over such estimators.
SEARCHES = ("GridSearchCV",)

# Estimators of the library with decision values, with class probabilities, and with predictions for each training row by the model without it, of classes and of numbers.
SCORES = (
    "ridge", "gp", "svc", "nearest_medoid", "logistic", "rvm", "l2vm", "l1vm", "rbf_network", "perceptron", "discriminant", "linear_svc",
    "bayes", "mi_svm", "nu_svc",
)
PROBABILITIES = ("gp", "knn", "baseline", "logistic", "rvm", "l2vm", "l1vm", "rbf_network", "discriminant", "nadaraya_watson", "bayes")
LEFT_OUT_CLASSES = ("ridge", "svc", "knn", "nadaraya_watson")
LEFT_OUT_NUMBERS = ("ridge", "gp", "svr", "knn", "nadaraya_watson")
