# Compare every estimator on one table: one kernel, one split, one page.
mercer compare example:iris --target species --report iris.html

# Fit one estimator on a table with a sequence column, its C chosen from the data.
mercer fit example:mixed --target label --estimator "svc(c=auto)" -o model.mercer

# What the model is: kernel, parameters, support, certificate.
mercer inspect model.mercer

# Predict a table that has the same columns.
mercer predict model.mercer example:mixed -o predictions.csv
head -3 predictions.csv

# Whether a kernel is valid (positive semi-definite), and why.
mercer check "rbf + 0.5*exp(linear)"
