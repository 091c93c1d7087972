# %% [markdown]
# # Mercer in a program that uses scikit-learn
#
# The classes have the names, the parameters and the answers of scikit-learn: one import is changed, the rest of the program
# stays as it is. What is gained is any kernel, columns of any type, and a number that proves how good each fit is.

# %%
import sys

import numpy as np

try:
    import sklearn.svm
except ImportError:
    print("scikit-learn is not installed:")
    print("pip install scikit-learn")
    print("nothing is shown")
    sys.exit()

from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, GaussianProcessRegressor, KernelRidge, MercerClassifier

data, species = mercer.example("iris")
x = np.column_stack([data[name] for name in data.columns])

# %% [markdown]
# `SVC` takes the place of `sklearn.svm.SVC`, alone or in a pipeline.

# %%
theirs = make_pipeline(StandardScaler(), sklearn.svm.SVC(C=1.0)).fit(x, species)
ours = make_pipeline(StandardScaler(), SVC(C=1.0)).fit(x, species)
same = float(np.mean(ours.predict(x) == theirs.predict(x)))
print(f"the same answers in {same:.1%} of the rows")
furthest = float(np.abs(ours.decision_function(x) - theirs.decision_function(x)).max())
print(f"decision values differ by at most {furthest:.4f}")
assert same > 0.99 and furthest < 0.01

# %% [markdown]
# Each fit says how good it is: the duality gap bounds how far it is from the best there is.

# %%
certificate = ours[-1].certificate_
print("certificate:", certificate)
assert certificate["value"] <= certificate["tolerance"]

# %% [markdown]
# Searches and cross-validation of scikit-learn work as before.

# %%
search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 1, 10], "svc__gamma": ["scale", 0.1]}, cv=5)
search.fit(x, species)
print("best of the search:", search.best_params_, f"with {search.best_score_:.1%} right")
assert search.best_score_ > 0.95

# %% [markdown]
# Regression: the first three lengths tell the fourth.

# %%
for model in [KernelRidge(kernel="rbf", alpha=0.1, gamma=0.1), GaussianProcessRegressor(alpha=0.05, normalize_y=True)]:
    score = cross_val_score(model, x[:, :3], x[:, 3], cv=5).mean()
    fitted = model.fit(x[:, :3], x[:, 3])
    error = float(np.sqrt(np.mean((fitted.predict(x[:, :3]) - x[:, 3]) ** 2)))
    print(f"{type(model).__name__}: {error:.2f} cm off on average, R2 {score:.2f} on folds in the order of the table")
    assert error < 0.25

# %% [markdown]
# What scikit-learn's classes cannot take: columns of numbers, sequences and texts side by side, and a kernel that is written
# down. `MercerClassifier` takes both.

# %%
mixed, label = mercer.example("mixed")
kernel = "rbf + on(sequence, normalise(spectrum(k=4))) + on(note, normalise(spectrum(k=4)))"
model = MercerClassifier("svc(c=1)", kernel=kernel).fit(mixed, label)
right = float(np.mean(model.predict(mixed) == label))
print(f"numbers, sequence and note together: {right:.0%} of the training rows right")
assert right > 0.95
