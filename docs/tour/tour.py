"""Fit, predict, save and load, with a kernel that is written down."""

import mercer
from mercer.kernels import rbf, spectrum

data, label = mercer.example("mixed")

# Numbers by an RBF kernel, the sequence by its substrings of three letters.
kernel = rbf() + spectrum(k=3).normalise().on("seq")
model = mercer.Learner("svc(c=auto)", kernel=kernel).fit(data, label)
print(model.kernel, model.summary["certificate"])
assert (model.predict(data) == label).mean() > 0.7

# A kernel is a function of arrays.
gram = rbf(length_scale=2.0)([[0.0, 0.0], [1.0, 1.0]])
print(gram)

model.save("model.mercer")
again = mercer.load("model.mercer")
assert (again.predict(data) == model.predict(data)).all()

# Estimators side by side.
print(mercer.compare(data, label, kernel, "svc, ridge, knn"))
