# Twenty minutes in the shell with one messy table. The tests run this file as it stands, in an empty folder with `orders.csv`
# (fixtures/orders.csv): 162 orders of a small shop, and whether each came late. It has an identifier, dates, labels, numbers,
# free text, missing cells, two rows that stand twice, and a column that is known only afterwards.

# 1. What is in it? Look before you fit.
head -3 orders.csv

# 2. A first comparison. `--target` says what is to be predicted; the kernel is made from the types of the columns, and printed,
#    so that you can edit it. `refund` alone tells whether an order was late, since it is paid when it was: the score is too
#    good to be true, and such a column must go.
mercer compare orders.csv --target late --estimators "svc(c=1), baseline" --folds 4

# 3. `--types` says what a column holds: `ignore` leaves it out. Now the score is what could have been known in advance.
#    The second sentence says what guessing the largest class would give.
mercer compare orders.csv --target late --types refund=ignore --types order=ignore \
    --estimators "svc(c=1), knn(k=7), baseline" --folds 4 --report orders.html --json orders.json

# 4. The page has the same table, every metric, and a picture of what each estimator learnt. The JSON holds all of it as data.
grep -o '"balanced_accuracy"' orders.json | head -1

# 5. Orders of a later day are judged by what was learnt from earlier ones: `--time` makes folds in that order.
mercer compare orders.csv --target late --types refund=ignore --types order=ignore --time day \
    --estimators "svc(c=1), baseline" --folds 3

# 6. Which kernels and estimators are there, and what does one of them want?
mercer inspect rbf
mercer inspect svc

# 7. A kernel of your own: numbers by rbf, the region by equal or not, the note by its substrings of three letters. Few notes are
#    written, and those come back, so that the column would be read as labels: `--types note=text` says otherwise.
kernel='on([weight_kg, distance_km, price], rbf(length_scale=1.5)) + 0.5*on(region, equal) + 0.5*on(note, spectrum(k=3))'
mercer check "$kernel" orders.csv --target late --types refund=ignore,order=ignore,note=text

# 8. Fit it, and let the search choose c. What is open is settled from the data, and the settled value is stored.
mercer fit orders.csv --target late --types refund=ignore,order=ignore,note=text --kernel "$kernel" \
    --estimator "svc(c=auto)" -o late.mercer

# 9. What the model is: kernel, parameters, what was done to the columns, and the certificate of the solver. `--verbose` adds every
#    digit of the parameters, the labels of each column, and the values that the search tried.
mercer inspect late.mercer --verbose

# 10. Predict a table with the same columns, in any order, with the number of the order beside each prediction.
mercer predict late.mercer orders.csv --keep order -o predicted.csv
head -3 predicted.csv

# 11. A number instead of a class: what will the next order cost, and between which bounds?
mercer fit orders.csv --target price --types refund=ignore --types late=ignore --types order=ignore \
    --kernel 'on([weight_kg, distance_km], rbf(length_scale=2))' --estimator "gp(noise=0.1, variance=1)" -o price.mercer
mercer predict price.mercer orders.csv --keep order --interval 0.9 -o prices.csv
head -3 prices.csv
