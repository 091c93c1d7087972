"""Series as aeon and sktime hold them: arrays whose channels come first, nested frames, frames of instances and times."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mercer

RNG = np.random.default_rng(5)
# 12 series of 8 times and 2 channels; the second half runs faster.
SPEEDS = np.repeat([0.4, 1.1], 6)
CUBE = np.stack([np.cos(s * np.arange(8)[:, None] + RNG.uniform(0, 6, 2)) for s in SPEEDS])
LENGTHS = [8, 5, 7, 8, 4, 6, 8, 5, 7, 8, 4, 6]
LISTS = [one[:times] for one, times in zip(CUBE, LENGTHS, strict=True)]
CLASSES = np.where(SPEEDS > 1, "fast", "slow")
FIRST = "series-channels-first"


def series(rows):
    return mercer.Dataset({"x": list(rows)}, types={"x": "series"})


def panel(rows, names="ab"):
    """A frame with a row for each instance and time, as sktime's pd-multiindex."""
    frames = {f"i{at}": pd.DataFrame(one, columns=list(names)) for at, one in enumerate(rows)}
    return pd.concat(frames, names=["instance", "time"])


def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    return found, [str(w.message) for w in caught if issubclass(w.category, mercer.MercerWarning)]


@pytest.mark.parametrize("rows", [CUBE, LISTS], ids=["array", "list"])
def test_channels_may_come_before_times(rows):
    first = CUBE.swapaxes(1, 2) if rows is CUBE else [one.T for one in LISTS]
    expected = series(rows)
    assert expected.columns == {"x": "series"} and expected["x"][1].shape == rows[1].shape
    assert mercer.Dataset(first, types=FIRST) == mercer.Dataset({"x": first}, types={"x": FIRST})
    for made in (mercer.Dataset(first, types=FIRST), mercer.Dataset({"x": first}, types={"x": FIRST})):
        assert made.columns == expected.columns
        for one, other in zip(made["x"], expected["x"], strict=True):
            np.testing.assert_array_equal(one, other)


def test_gaps_and_missing_rows_of_arrays_with_channels_first():
    holed = CUBE.copy()
    holed[0, 3, 1] = holed[2, 6:] = np.nan
    made, expected = mercer.Dataset(holed.swapaxes(1, 2), types=FIRST), mercer.Dataset(holed, types="series")
    for one, other in zip(made["x"], expected["x"], strict=True):
        np.testing.assert_array_equal(one, other)
    assert made["x"][2].shape == (6, 2)
    rows = [LISTS[0].T, None, LISTS[2].T]
    assert mercer.Dataset({"x": rows}, types={"x": FIRST}).missing["x"].tolist() == [1]
    # Series of one channel have no axis that could stand elsewhere.
    assert mercer.Dataset(CUBE[:, :, 0], types=FIRST)["x"][3].tolist() == CUBE[3, :, :1].tolist()


@pytest.mark.filterwarnings("ignore::mercer.MercerWarning")
def test_a_model_reads_new_arrays_as_those_of_training():
    first = CUBE.swapaxes(1, 2)
    model = mercer.Learner("svc(c=10)", "global_alignment").fit(mercer.Dataset(first, types=FIRST), CLASSES)
    usual = mercer.Learner("svc(c=10)", "global_alignment").fit(CUBE, CLASSES)
    expected = usual.decision_function(CUBE)
    np.testing.assert_allclose(model.decision_function(first), expected, rtol=1e-12)
    np.testing.assert_allclose(model.decision_function(mercer.Dataset(CUBE, types="series")), expected, rtol=1e-12)
    np.testing.assert_allclose(model.decision_function([one.T for one in LISTS]), usual.decision_function(LISTS), rtol=1e-12)
    with pytest.raises(mercer.MercerError, match="channels|size|vectors|numbers"):
        usual.predict(first)


def test_more_channels_than_times_are_pointed_out():
    wide = RNG.normal(size=(6, 2, 30))
    _, said = told(lambda: mercer.compare(mercer.Dataset(wide, types="series"), list("aabbab"), "global_alignment", "knn(k=1)", folds=2))
    says = "column 'x' has series of 30 channels and at most 2 times; types={\"x\": \"series-channels-first\"} reads arrays of the axes"
    assert any(says in notice for notice in said), said
    assert mercer.Dataset(wide, types=FIRST).notices == [] == mercer.Dataset(wide.swapaxes(1, 2), types="series").notices
    with pytest.raises(mercer.DataError, match=r'two axes .*, found three: types="series" reads \(rows, times, channels\), types="series-channels-first"'):
        mercer.Dataset(wide)
    with pytest.raises(mercer.DataError, match="series-channels-first, a form of arrays"):
        mercer.Dataset({"x": ["[[1, 2], [3, 4]]"] * 3}, types={"x": FIRST})


def test_rows_of_one_instance_are_a_series():
    frame = panel(LISTS)
    expected = series(LISTS)
    # Instances stand in the order of their first rows, times in their own.
    mixed = frame.sort_index(level=1, ascending=False, sort_remaining=False)
    order = [int(name[1:]) for name in mixed.index.get_level_values(0).unique()]
    for rows, found in ((LISTS, frame), ([LISTS[at] for at in order], mixed)):
        for types in ("series", {"x": "series"}):
            made = mercer.Dataset(found, types=types)
            assert made.columns == {"x": "series"} and made == series(rows)
    assert order != sorted(order)
    model = mercer.Learner("svc(c=10)", "global_alignment").fit(frame, CLASSES)
    same = mercer.Learner("svc(c=10)", "global_alignment").fit(expected, CLASSES)
    np.testing.assert_allclose(model.decision_function(frame), same.decision_function(LISTS), rtol=1e-12)
    np.testing.assert_allclose(mercer.Kernel("global_alignment")(frame), mercer.Kernel("global_alignment")(expected), rtol=1e-12)
    with pytest.raises(mercer.DataError, match=r"row 1 \(index 0\)"):
        mercer.Dataset(panel([[["u"], ["v"]], [["w"], ["u"]]], "a"), types="series")


def test_cells_may_be_series_of_pandas():
    nested = pd.DataFrame({f"dim_{c}": [pd.Series(one[:, c]) for one in LISTS] for c in range(2)})
    made = mercer.Dataset(nested, types="series")
    assert made.columns == {"dim_0": "series", "dim_1": "series"}
    assert made["dim_1"][4].tolist() == LISTS[4][:, 1:].tolist()


def test_the_arrays_of_aeon_hold_what_its_files_hold():
    datasets = pytest.importorskip("aeon.datasets", reason="aeon is not installed: its arrays are not compared")
    files = Path(datasets.__file__).parent / "data"
    for name, load in (("BasicMotions", datasets.load_basic_motions), ("JapaneseVowels", datasets.load_japanese_vowels)):
        arrays, labels = load(split="train")
        read, classes = mercer.read_table(files / name / f"{name}_TRAIN.ts")
        made = mercer.Dataset({"series": arrays}, types={"series": FIRST})
        assert made.columns == read.columns and [name.lower() for name in classes] == list(labels)
        for one, other in zip(made["series"], read["series"], strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_frames_of_sktime_hold_what_its_files_hold():
    datasets = pytest.importorskip("sktime.datasets", reason="sktime is not installed: its frames are not compared")
    files = Path(datasets.__file__).parent / "data"
    for name, load in (("BasicMotions", datasets.load_basic_motions), ("JapaneseVowels", datasets.load_japanese_vowels)):
        read = mercer.read_table(files / name / f"{name}_TRAIN.ts")[0]["series"]
        nested, _ = load(split="train", return_type="nested_univ")
        by_channel = mercer.Dataset(nested, types="series")
        frame, _ = load(split="train", return_type="pd-multiindex")
        made = mercer.Dataset(frame, types="series")["x"]
        for row, expected in enumerate(read):
            np.testing.assert_array_equal(made[row], expected)
            for c in range(expected.shape[1]):
                np.testing.assert_array_equal(by_channel[f"dim_{c}"][row][:, 0], expected[:, c])
    cube, _ = datasets.load_basic_motions(split="train", return_type="numpy3D")
    frame, _ = datasets.load_basic_motions(split="train", return_type="pd-multiindex")
    assert all((a == b).all() for a, b in zip(mercer.Dataset(cube, types=FIRST)["x"], mercer.Dataset(frame, types="series")["x"], strict=True))
