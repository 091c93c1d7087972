"""Tables from files of every format, missing cells, folds in order of time."""

import gzip

import numpy as np
import pytest

import mercer
from mercer import Learner


def test_libsvm_and_npz_bring_their_own_target(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"1 1:0.5 3:2\n-1 2:1\n1 3:4\n"))
    data, target = mercer.read_table(tmp_path / "a.gz")
    assert data.columns == {"x": "points"}
    assert target.tolist() == ["1", "-1", "1"]
    assert data["x"].tolist() == [[0.5, 0, 2], [0, 1, 0], [0, 0, 4]]

    x, y = np.arange(12.0).reshape(6, 2), np.array([0.5, 1.5, 2.5, 3.5, 4.5, 5.5])
    np.savez_compressed(tmp_path / "b.npz", X=x, y=y, site=np.array(list("aabbcc")))
    data, target = mercer.read_table(tmp_path / "b.npz")
    assert data.columns == {"x0": "number", "x1": "number", "site": "category"}
    assert (target == y).all() and (data["x1"] == x[:, 1]).all()

    np.save(tmp_path / "c.npy", np.asfortranarray(x.astype("float32")))
    data, target = mercer.read_table(tmp_path / "c.npy")
    assert target is None and (data["x0"] == x[:, 0]).all()


def test_pickled_arrays_are_refused(tmp_path):
    np.save(tmp_path / "o.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(mercer.DataError, match="run code"):
        mercer.read_table(tmp_path / "o.npy")


def test_policies_of_missing_cells_are_part_of_the_learner():
    data = {"x": [1.0, np.nan, 3.0, 4.0], "z": [1.0, 2.0, 4.0, 3.0]}
    learner = Learner("ridge(lambda=1)", "linear", missing={"x": "drop"})
    assert learner.missing == {"x": "drop"} and "missing={\"x\": \"drop\"}" in repr(learner)
    with pytest.warns(mercer.MercerWarning, match="'x': 1 row that misses its cell is left out .*row 2"):
        model = learner.fit(data, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(mercer.DataError, match=r"row 1 \(index 0\), column 'x'.*missing="):
        model.predict({"x": [np.nan], "z": [1.0]})
    with pytest.raises(mercer.DataError, match=r"row 2 \(index 1\), column 'x'"):
        Learner("ridge(lambda=1)", "linear", missing={"x": "error"}).fit(data, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(mercer.ExpressionError, match="did you mean 'drop'"):
        Learner(missing={"x": "dropp"})
    with pytest.warns(mercer.MercerWarning, match="training median"):
        Learner("ridge(lambda=1)", "linear").fit({"x": [1.0, 2.0]}, [1.0, 2.0]).predict({"x": [np.nan]})


def test_folds_in_order_of_time_learn_from_the_past():
    n = 30
    days = np.datetime64("2024-01-01") + np.arange(n)
    target = np.where(np.arange(n) < 25, 0.0, 100.0) + np.linspace(0, 1e-9, n)
    data = {"x": np.arange(n, dtype=float) % 7}
    with pytest.warns(mercer.MercerWarning, match="order of time"):
        table = mercer.compare(data, target, "rbf(length_scale=1)", "baseline", time=days)
    # The last of five parts has 5 rows of 100, and its model has seen none: of 25 held-out rows 5 have an error of 100.
    assert abs(table.rows[0]["metrics"]["rmse"]["mean"] - 100 / np.sqrt(5)) <= 1e-6
    with pytest.raises(mercer.DataError, match="one of them"):
        mercer.compare(data, target, "rbf(length_scale=1)", "baseline", time=days, groups=[1] * n)
    with pytest.raises(mercer.MercerError, match="time"):
        mercer.compare(data, target, "rbf(length_scale=1)", "baseline", time=["soon"] * n)


def test_how_a_table_is_read_can_be_said(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes("1,5:Süd:-99\n2:Nord:3\n-99:Süd:4\n".encode("latin-1"))
    with pytest.warns(mercer.errors.MercerWarning):
        data, target = mercer.read_table(
            path, "2", na=["1=-99"], header=False, delimiter=":", encoding="latin-1", decimal=","
        )
    assert list(target) == ["Süd", "Nord", "Süd"]
    assert data["1"].tolist()[:2] == [1.5, 2.0] and data["1"][2] != data["1"][2]
    assert data["3"].tolist() == [-99.0, 3.0, 4.0]
    with pytest.raises(mercer.errors.ExpressionError, match="utf-9"):
        mercer.read_table(path, encoding="utf-9")
    with pytest.raises(mercer.errors.ExpressionError, match="delimiter"):
        mercer.read_table(path, delimiter="ab")


def test_sequences_and_folders_of_texts_are_tables(tmp_path):
    fasta = tmp_path / "t.fasta"
    fasta.write_text(">a label=x\nACGT\n>b label=y\nGG\n>c label=x\nAC\n")
    data, target = mercer.read_table(fasta, "label")
    assert data.columns == {"sequence": "sequence"} and list(target) == ["x", "y", "x"]
    other = tmp_path / "other.fa"
    other.write_text(">a OX=9606\nGGT\n")
    with pytest.warns(mercer.errors.MercerWarning, match="'label', 'OX' hold fields of the headers of the records: no input"):
        data, target = mercer.read_table([fasta, str(other)])
    assert data.columns == {"sequence": "sequence"} and list(target) == ["t", "t", "t", "other"]
    # One odd letter among many costs no column, and is named.
    data = mercer.Dataset({"seq": ["ACGTACGTACGTAC", "ACGTXCGTACGTGT", "ACGTACGTacgtTT"]})
    assert data.columns["seq"] == "sequence"
    with pytest.warns(mercer.errors.MercerWarning, match="1 letter that names no base \\('X' at letter 5 of row 2"):
        mercer.Learner("ridge").fit(data, [1.0, 2.0, 2.5])
    for label in ("neg", "pos"):
        (tmp_path / "reviews" / label).mkdir(parents=True)
        for i in range(2):
            (tmp_path / "reviews" / label / f"{i}.txt").write_text(f"a {label} film")
    data, target = mercer.read_table(tmp_path / "reviews")
    assert data.columns == {"text": "text"} and list(target) == ["neg", "neg", "pos", "pos"]


def test_advice_is_given_in_the_words_of_python(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{100 + 7 * i % 31},{i % 3}.5,{i % 2}\n" for i in range(30))
    path.write_text("order id,x,y\n" + rows)
    with pytest.warns(mercer.errors.MercerWarning) as said:
        mercer.read_table(path, "y")
    assert any('types={"order id": "number"}' in str(one.message) for one in said), [str(one.message) for one in said]


def test_strings_that_look_like_missing_cells_are_labels_and_whole_numbers_keep_their_digits(tmp_path):
    code = np.arange(30) % 3
    label = np.array(["None", "Insomnia", "NA"])[code]
    model = Learner("knn(k=1)").fit({"a": code + 0.0}, label)
    assert list(model.predict({"a": [0.0, 1.0, 2.0]})) == ["None", "Insomnia", "NA"]
    pandas = pytest.importorskip("pandas")
    model = Learner("ridge(lambda=0.01)").fit(pandas.DataFrame({"c": np.array(["NA", "DE", "nan"])[code]}), 10.0 * code)
    assert np.abs(model.predict(pandas.DataFrame({"c": ["NA", "nan"]})) - [0, 20]).max() < 1
    (tmp_path / "t.csv").write_text("title of it\n\na,label\n" + "".join(f"{k},{word}\n" for k, word in zip(code, label)))
    with pytest.raises(mercer.DataError, match="2 lines stand above the header.*skip=2"):
        mercer.read_table(tmp_path / "t.csv", target="label")
    for how in [{"na": ""}, {"na": "label="}, {"types": {"label": "category"}}]:
        _, target = mercer.read_table(tmp_path / "t.csv", target="label", skip=2, **how)
        assert target.tolist() == label.tolist()
    # Three names that are one float64.
    big = 2023552585717889860 + code
    assert (Learner("knn(k=1)").fit({"a": code + 0.0}, big).predict({"a": [0.0, 1.0, 2.0]}) == big[:3]).all()
    assert mercer.Dataset({"g": big, "x": code + 0.5}).columns["g"] == "category"
    (tmp_path / "l.txt").write_text("A one text\nB another\n")
    data, target = mercer.read_table(tmp_path / "l.txt", lines=True)
    assert list(data["text"]) == ["one text", "another"] and target.tolist() == ["A", "B"]
