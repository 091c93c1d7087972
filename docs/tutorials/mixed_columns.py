# %% [markdown]
# # Numbers, a sequence and a note in one model
#
# Each row of the example is a sample: two measured numbers, a piece of DNA and a note that somebody wrote. Whether it was
# accepted depends on all of them. A kernel says how similar two rows are; kernels of different columns are added.

# %%
import numpy as np

import mercer
from mercer.kernels import rbf, spectrum

data, label = mercer.example("mixed")
print(data)
print("first sample:", ", ".join(str(data[name][0]) for name in data.columns), "->", label[0])
assert data.columns == {"length": "number", "width": "number", "sequence": "sequence", "note": "text"}

# %% [markdown]
# Keep a third of the rows aside. What is said of a model counts only on rows that it has not seen.

# %%
order = np.random.default_rng(0).permutation(len(data))
train, test = order[:210], order[210:]

# %% [markdown]
# One kernel for each sort of column: `rbf` compares numbers by their distance, `spectrum` compares texts by the substrings
# of k letters that they share. `normalise` makes every row as similar to itself as 1, so that long texts do not drown the
# others, and `on` says which column is meant.

# %%
numbers = rbf().on("length", "width")
sequence = spectrum(k=4).normalise().on("sequence")
note = spectrum(k=4).normalise().on("note")


def accuracy(kernel):
    """The share of test rows that are predicted as they are."""
    model = mercer.Learner("svc(c=1)", kernel).fit(data[train], label[train])
    return float(np.mean(model.predict(data[test]) == label[test]))


alone = {"numbers": accuracy(numbers), "sequence": accuracy(sequence), "note": accuracy(note)}
together = accuracy(numbers + sequence + note)
for name, share in alone.items():
    print(f"{name:9} alone: {share:.0%} right")
print(f"all of them : {together:.0%} right")
assert max(alone.values()) < 0.85 < 0.88 < together

# %% [markdown]
# The same sum is what Mercer makes when no kernel is given, and it is printed so that it can be edited.

# %%
model = mercer.Learner("svc(c=1)").fit(data[train], label[train])
print("made from the columns:", model.kernel)

# %% [markdown]
# A new row is a dict, a data frame or a table with the same columns, in any order.

# %%
new = {
    "note": ["calm and bright, at noon, sent by post"],
    "sequence": ["TATAATACGTACTATAATGGATCCTATAAT"],
    "length": [12.1],
    "width": [4.2],
}
best = mercer.Learner("svc(c=1)", numbers + sequence + note).fit(data, label)
print("the new sample:", best.predict(new)[0])
assert best.predict(new)[0] == "accept"
