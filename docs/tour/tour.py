"""Fit, predict, save and load, with a kernel that is written down."""

import mercer

data, label = mercer.example("mixed", target="label")

# Numbers and flags by an RBF kernel, the sequence by its substrings of three letters.
model = mercer.Classifier(estimator="svc(c=auto)", kernel="rbf + on(seq, spectrum(k=3))")
model.fit(data, label)
print(model.kernel_, model.summary_)

probabilities = model.predict_proba(data)
assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(data)).all()

model.save("model.mercer")
again = mercer.load("model.mercer")
assert (again.predict(data) == model.predict(data)).all()
