"""Names of the estimators of scikit-learn's form.

Made by `make gen` from the records of the library and examples/gen/spellings.rs; edit those.
"""

NAMES = (
    "BaselineClassifier",
    "BaselineRegressor",
    "GpRegressor",
    "KnnClassifier",
    "KnnRegressor",
    "MercerClassifier",
    "MercerRegressor",
    "RidgeClassifier",
    "RidgeRegressor",
    "SVC",
    "SvrRegressor",
)
