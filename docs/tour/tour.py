"""Fit, predict, save and load, with a kernel that is written down."""

import mercer
from mercer.kernels import rbf, spectrum

data, label = mercer.example("mixed")

# Numbers by an RBF kernel; a sequence and a note by their substrings of three letters.
substrings = spectrum(k=3).normalise()
kernel = rbf() + substrings.on("sequence") + substrings.on("note")
model = mercer.Learner("svc(c=auto)", kernel=kernel).fit(data, label)
print(model.kernel, model.summary["certificate"])

model.save("model.mercer")
again = mercer.load("model.mercer")
assert (again.predict(data) == model.predict(data)).all()

# A kernel is a function of arrays.
print(rbf(length_scale=2)([[0, 0], [1, 1]]))

# Estimators side by side.
print(mercer.compare(data, label, kernel, "svc, ridge, knn"))
