# %% [markdown]
# # A similarity of your own
#
# Somebody compared things pair by pair: a program for alignments, a panel of tasters, a formula from a paper. All there is
# is a matrix of similarities. If it is a valid kernel matrix, every method can use it; if it is not, it can be repaired.

# %%
import numpy as np

import mercer
from mercer.kernels import precomputed

words = ["banana", "bandana", "cabana", "havana", "savanna", "kitten", "mitten", "bitten", "smitten", "written"]
family = np.array(["-ana", "-ana", "-ana", "-ana", "-ana", "-itten", "-itten", "-itten", "-itten", "-itten"])


def distance(a, b):
    """The edit distance of Levenshtein: letters inserted, deleted or substituted."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


similarity = np.array([[1 - distance(a, b) / max(len(a), len(b)) for b in words] for a in words])
print(np.round(similarity[:3, :3], 2))

# %% [markdown]
# The matrix belongs to a column of names. Rows are found in it by name, so that any rows can be given in any order.

# %%
data = mercer.Dataset({"word": words}, gram={"word": (words, similarity)})
assert (precomputed()(data) == similarity).all()
assert precomputed()(data[[5, 0]], data)[0, 0] == similarity[5, 0]

# %% [markdown]
# Is it valid? A kernel matrix has no negative eigenvalue: otherwise some mixture of rows would have a negative length.
# `check` tests it, and shows such a mixture where there is one.

# %%
looks_fine = precomputed().check(data)
print("similarity of the words:", looks_fine["verdict"])

spoilt = similarity.copy()
spoilt[0, 5] = spoilt[5, 0] = 1.0  # somebody holds "banana" and "kitten" to be the same
bad = mercer.Dataset({"word": words}, gram={"word": (words, spoilt)})
verdict = precomputed().check(bad)
print("with one careless entry :", verdict["verdict"])
assert looks_fine["verdict"] == "tested" and verdict["verdict"] == "refuted"
assert np.linalg.eigvalsh(similarity)[0] > 0 > np.linalg.eigvalsh(spoilt)[0]

# %% [markdown]
# A method that needs a valid kernel does not take a matrix on trust that came from elsewhere. `repair` makes the nearest
# valid one and leaves a valid one as it is: `clip` sets negative eigenvalues to 0.

# %%
try:
    mercer.Learner("svc(c=1)", precomputed()).fit(bad, family)
    raise AssertionError("this should have been refused")
except mercer.MercerError as refused:
    print("refused:", refused)

repaired = precomputed().repair("clip")
clipped = repaired.settle(bad)(bad)
print(f"smallest eigenvalue before {np.linalg.eigvalsh(spoilt)[0]:.3f}, after {np.linalg.eigvalsh(clipped)[0]:.3f}")
assert np.linalg.eigvalsh(clipped)[0] > -1e-10

# %% [markdown]
# With the repaired kernel the model can be fitted. It learns from eight words and predicts the two that it has not seen; their
# similarities with the eight come from the same matrix.

# %%
train, test = [0, 1, 2, 3, 5, 6, 7, 8], [4, 9]
model = mercer.Learner("svc(c=10)", repaired).fit(bad[train], family[train])
predicted = model.predict(bad[test])
print({words[i]: str(name) for i, name in zip(test, predicted, strict=True)})
assert (predicted == family[test]).all()
