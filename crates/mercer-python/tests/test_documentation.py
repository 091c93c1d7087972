"""What is documented is what there is: docstrings in the form of numpydoc, their examples run, types held against the code."""

import doctest
import importlib.util
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mercer
from mercer import kernels

ROOT = Path(__file__).resolve().parents[3]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.py"))
CLASSES = [mercer.Dataset, mercer.Kernel, mercer.Learner, mercer.Model, mercer.Comparison]
FUNCTIONS = [mercer.advise, mercer.compare, mercer.plan, mercer.read_table, mercer.example, mercer.examples, mercer.catalogue]


def documented():
    """Every native class, method and property of the package, its functions and those of the kernels, by name."""
    for one in CLASSES:
        yield one.__name__, one
        for name, member in sorted(vars(one).items()):
            if not name.startswith("_") or name == "__call__":
                yield f"{one.__name__}.{name}", getattr(one, name) if isinstance(member, staticmethod) else member
    yield from ((one.__name__, one) for one in FUNCTIONS)
    yield from ((f"kernels.{name}", getattr(kernels, name)) for name in kernels.__all__ if name != "Kernel")


ALL = dict(documented())


def section(doc, title):
    """The lines of a section."""
    lines = doc.splitlines()
    underlined = [i for i in range(len(lines) - 1) if lines[i] == title and lines[i + 1] == "-" * len(title)]
    if not underlined:
        return []
    rest = lines[underlined[0] + 2 :]
    ends = [i for i in range(len(rest) - 1) if rest[i + 1] and set(rest[i + 1]) == {"-"}]
    return rest[: ends[0]] if ends else rest


@pytest.mark.parametrize("name", ALL)
def test_every_parameter_stands_in_the_docstring_in_its_order(name):
    one = ALL[name]
    doc = inspect.getdoc(one)
    # A slot such as __call__ has no signature of its own.
    assert doc, f"{name} has no docstring"
    if inspect.isgetsetdescriptor(one) or one in (mercer.Model, mercer.Comparison) or name == "Kernel.__call__":
        return
    taken = [p for p in inspect.signature(one).parameters.values() if p.name != "self"]
    expected = [f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name for p in taken]
    said = [line.split(" : ")[0] for line in section(doc, "Parameters") if line and not line.startswith(" ")]
    assert said == expected
    if not inspect.isclass(one) and name not in ("Model.save", "Comparison.save_html"):
        assert section(doc, "Returns"), f"{name}: what does it return?"


@pytest.mark.parametrize("name", [name for name, one in ALL.items() if ">>>" in (inspect.getdoc(one) or "")])
def test_the_examples_of_the_docstrings_give_what_they_say(name):
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(ALL[name]), {}, name, None, None)
    said = []
    done = doctest.DocTestRunner().run(test, out=said.append)
    assert done.attempted > 0 and done.failed == 0, "".join(said)


@pytest.mark.parametrize("name", mercer.scikit.NAMES)
def test_an_estimator_documents_its_arguments_in_their_order_and_its_attributes(name):
    pytest.importorskip("sklearn")
    one = getattr(mercer, name)
    doc = inspect.getdoc(one)
    for title in ("Parameters", "Attributes"):
        lines = section(doc, title)
        heads = [i for i, line in enumerate(lines) if line and not line.startswith(" ")]
        assert heads and all(" : " in lines[i] and lines[i + 1].startswith("    ") for i in heads), (name, title)
    said = [line.split(" : ")[0] for line in section(doc, "Parameters") if line and not line.startswith(" ")]
    assert said == list(inspect.signature(one).parameters)
    assert section(doc, "Examples")[0].startswith(">>> ")


def test_every_kernel_says_its_formula_its_validity_and_its_source():
    for name in kernels.__all__[2:]:
        doc = getattr(kernels, name).__doc__
        assert doc.startswith(f"Kernel {name}: ") and section(doc, "Notes") and len(section(doc, "References")[0]) > 10, name


def test_the_types_are_those_of_the_code():
    pytest.importorskip("mypy", reason="skipped: the package mypy is not installed")
    folder = Path(mercer.__file__).parent
    assert (folder / "py.typed").exists()
    # The estimators of scikit-learn's form are made when they are asked for, and have docstrings instead of types.
    modules = ["mercer._native", "mercer.kernels", "mercer.errors"]
    words = [sys.executable, "-m", "mypy.stubtest", *modules, "--mypy-config-file", str(ROOT / "pyproject.toml")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


PROGRAM = '''
import numpy as np
from numpy.typing import NDArray
from mercer import SVC, Dataset, GaussianProcessRegressor, Kernel, Learner, MercerClassifier, compare, kernels, load, read_table

data = Dataset({"x": [1.0, 2.0], "s": ["ACGT", "GGTT"]}, types={"s": "sequence"})
kernel: Kernel = 0.5 * kernels.rbf(length_scale=(0.1, 10)) + kernels.spectrum(k=3).normalise().on("s") ** 2
model = Learner("gp(noise=auto)", kernel, missing={"x": "drop"}).fit(data, np.array([0.0, 1.0]), max_memory="4GB")
mean, deviation = model.predict(data, std=True)
centre: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = model.predict(data[:1])
low, high = model.predict_interval(data, level=0.9)
columns: dict[str, str] = model.columns
model.save("m.mercer")
print(load("m.mercer").summary["converged"], mean.shape, deviation.max(), centre, low, high, columns)
table, target = read_table("t.csv", "y")
print(compare(table, target, estimators=["svc", "knn"]).rows[0]["estimator"])
machine = SVC(C=2.0, kernel=kernels.rbf(gamma=0.5), class_weight="balanced").fit(np.eye(2), ["a", "b"])
labels: np.ndarray[tuple[int, ...], np.dtype[np.str_]] = machine.predict(np.eye(2))
print(labels, machine.support_, machine.certificate_["value"], MercerClassifier("knn(k=1)", max_seconds=1.5).get_params())
print(GaussianProcessRegressor(kernel, alpha=0.1).fit(np.eye(2), [0.0, 1.0]).predict(np.eye(2), return_std=True))

@kernels.register(mercer=True)
def product(X: NDArray[np.float64], Z: NDArray[np.float64], scale: float = 1.0) -> NDArray[np.float64]:
    return scale * X @ Z.T

print(Learner("svc", kernel + product).fit(data, ["a", "b"]), product(np.eye(2), np.eye(2), scale=2.0))
'''

FAULTS = {
    'from mercer import SVC\nSVC(D=2.0)\n': "call-arg",
    'from mercer import SVC\nSVC(degree="two")\n': "arg-type",
    'from mercer import SVD\n': "attr-defined",
    'from mercer import Learner\nLearner(5)\n': "arg-type",
    'from mercer import kernels\nkernels.rbf(legnth_scale=1.0)\n': "call-arg",
    'from mercer import kernels\nkernels.rbf(ard="yes")\n': "arg-type",
    'from mercer import Dataset\nDataset([[1.0]]).rows\n': "attr-defined",
    'from mercer import Kernel\nKernel("rbf").repair("clop")\n': "arg-type",
}


def test_a_program_passes_the_strictest_checker_and_its_faults_do_not(tmp_path):
    pytest.importorskip("mypy", reason="skipped: the package mypy is not installed")
    programs = {"program.py": PROGRAM, **{f"fault{i}.py": text for i, text in enumerate(FAULTS)}}
    for name, text in programs.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), *programs]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert not [line for line in lines if line.startswith("program.py")], done.stdout
    for i, code in enumerate(FAULTS.values()):
        assert [line for line in lines if line.startswith(f"fault{i}.py") and f"[{code}]" in line], (i, code, done.stdout)


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_the_tutorials_run(path, tmp_path):
    done = subprocess.run(
        [sys.executable, path], cwd=tmp_path, env={**os.environ, "PYTHONWARNINGS": "ignore"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") >= 3


def bench(name):
    """A module of bench/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "bench" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_benchmarks_is_made_of_its_records():
    assert (ROOT / "bench" / "RESULTS.md").read_text(encoding="utf-8") == bench("results").page(), "run python bench/results.py"


def test_a_recorded_figure_replaces_the_one_of_the_same_measure_and_peer(tmp_path, monkeypatch):
    record = bench("record")
    monkeypatch.setattr(record, "FOLDER", tmp_path)
    monkeypatch.delenv("BENCH_RECORD", raising=False)
    record.figure("work", "fit", 1.0, "s", program="made")
    assert not list(tmp_path.iterdir()), "nothing is recorded unless it is asked for"
    monkeypatch.setenv("BENCH_RECORD", "1")
    monkeypatch.setenv("BENCH_THREADS", "1")
    monkeypatch.setenv("BENCH_MACHINE", "a machine")
    for ours in (1.0, 2.0):
        record.beside("work", "fit", {"mercer": ours, "other": 3.0}, program="made")
    page = bench("results").page(tmp_path)
    assert "| work | fit, s | 2 | other | 3 | 1.5 | a |" in page
    assert page.count("| work |") == 1 and "a machine, 1 thread" in page
