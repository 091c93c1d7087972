"""What a long computation does to the process around it: signals, threads, forks, import."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import mercer
from mercer import kernels


def python(code, **keywords):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **keywords
    )


@pytest.mark.skipif(os.name == "nt", reason="SIGINT is sent as POSIX systems do")
@pytest.mark.parametrize("estimator", ["svc(c=auto)", "gp", "ridge"])
def test_control_c_stops_a_fit_with_keyboard_interrupt(estimator):
    process = python(
        f"""
        import numpy as np, mercer
        rng = np.random.default_rng(0)
        x = rng.normal(size=(3000, 10))
        y = rng.normal(size=3000)
        model = None
        print("ready", flush=True)
        try:
            model = mercer.Learner("{estimator}").fit(x, np.where(y > 0, "a", "b") if "svc" in "{estimator}" else y)
        except KeyboardInterrupt:
            print("interrupted", model, flush=True)
        k = mercer.kernels.rbf(length_scale=1.0)(x[:2])
        print("alive", k.shape, flush=True)
        """
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=50)
    assert out == "interrupted None\nalive (2, 2)\n", out + err
    assert process.returncode == 0


def test_other_threads_of_python_run_meanwhile():
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(None)
            time.sleep(0.001)

    x = np.random.default_rng(0).normal(size=(1500, 20))
    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    kernels.matern()(x)
    during = len(ticks) - before
    done.set()
    thread.join()
    assert during > 2


def test_several_threads_may_compute_at_once():
    x = np.random.default_rng(0).normal(size=(200, 3))
    expected = kernels.rbf()(x)
    found = []
    threads = [threading.Thread(target=lambda: found.append(kernels.rbf()(x))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all((f == expected).all() for f in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_forked_process_computes_too():
    process = python(
        """
        import os, numpy as np, mercer
        x = np.random.default_rng(0).normal(size=(600, 3))
        expected = mercer.kernels.rbf()(x)
        child = os.fork()
        if child == 0:
            os._exit(0 if (mercer.kernels.rbf()(x) == expected).all() else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert out == "0\n", err


def hard(rows=600):
    """Two classes that overlap: many steps of the solver."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(rows, 4)), np.where(rng.normal(size=rows) > 0, "a", "b")


def test_progress_is_told_to_a_function_in_the_calling_thread():
    told = []

    def hear(what, done, total):
        told.append((what, done, total, threading.get_ident()))

    x, y = hard()
    model = mercer.Learner("svc(c=auto)", "rbf(length_scale=1)").fit(x, y, progress=hear)
    assert model.parameters["c"] > 0
    words = {what for what, *_ in told}
    assert "steps of the solver" in words and "settings tried on 600 rows by cross-validation" in words
    for what, done, total, thread in told:
        assert isinstance(what, str) and 0 <= done <= total and thread == threading.get_ident()
    told.clear()
    mercer.compare(x[:60], y[:60], "rbf(length_scale=1)", "svc(c=1), knn(k=3)", folds=3, progress=hear)
    assert any("knn" in what for what, *_ in told)


def test_what_the_function_of_progress_raises_ends_the_fit():
    class Enough(Exception):
        pass

    def hear(what, done, total):
        raise Enough(what)

    x, y = hard(3000)
    start = time.monotonic()
    with pytest.raises(Enough, match="settings tried|steps of the solver") as caught:
        mercer.Learner("svc(c=auto)").fit(x, y, progress=hear)
    assert caught.traceback[-1].name == "hear"
    # The threads are free for the next computation.
    assert kernels.rbf()(x[:10]).shape == (10, 10)
    assert time.monotonic() - start < 60
    with pytest.raises(mercer.DataError, match="progress: expected a function of three arguments"):
        mercer.Learner("svc(c=1)").fit(x, y, progress=5)


def test_a_verbose_machine_prints_how_the_fit_goes_on_and_how_it_ended(capsys):
    pytest.importorskip("sklearn")
    x, y = hard()
    for machine, target in [
        (mercer.SVC(verbose=True), y),
        (mercer.SVR(verbose=True, max_iter=10_000), x[:, 0]),
        (mercer.SVC(kernel=lambda a, b: a @ b.T, verbose=True), y),
    ]:
        name = type(machine).__name__
        machine.fit(x, target)
        lines = capsys.readouterr().out.splitlines()
        assert all(line.startswith(f"[{name}] ") for line in lines) and any("steps of the solver: " in line for line in lines[:-1])
        steps, support = np.sum(machine.n_iter_), len(machine.support_)
        assert lines[-1].startswith(f"[{name}] {steps} steps, {support} support vectors, relative duality gap") and lines[-1].endswith(" met")
    mercer.SVC().fit(x, y)
    assert capsys.readouterr().out == ""


def test_the_package_needs_numpy_only():
    code = "import sys, mercer; print(sorted({m.partition('.')[0] for m in sys.modules} & {'scipy', 'sklearn', 'pandas', 'matplotlib'}))"
    process = python(code)
    assert process.communicate(timeout=30)[0] == "[]\n"


def test_every_public_name_is_there_and_documented():
    for name in mercer.__all__:
        assert getattr(mercer, name) is not None
        if name not in ("__version__", "kernels"):
            assert getattr(mercer, name).__doc__, name


def test_long_work_shows_a_line_in_a_notebook(monkeypatch):
    from types import ModuleType, SimpleNamespace

    from mercer import _progress

    shown = []

    class ZMQInteractiveShell:
        pass

    def display(said, **words):
        shown.append(said["text/plain"])
        return SimpleNamespace(update=lambda said, raw: shown.append(said["text/plain"]))

    interactive, drawing = ModuleType("IPython"), ModuleType("IPython.display")
    interactive.get_ipython, drawing.display = ZMQInteractiveShell, display
    monkeypatch.setitem(sys.modules, "IPython", interactive)
    monkeypatch.setitem(sys.modules, "IPython.display", drawing)
    monkeypatch.setattr(_progress, "FIRST", 0.0)
    x = np.random.default_rng(0).normal(size=(60, 2))
    mercer.Learner("svc(c=auto)", "rbf(length_scale=auto)").fit(x, x[:, 0] > 0, tell=False)
    assert shown and " of " in shown[0] and shown[-1] == ""
    # Elsewhere, and where a function is given, nothing is.
    interactive.get_ipython, count = (lambda: None), len(shown)
    mercer.Learner("svc(c=auto)", "rbf(length_scale=auto)").fit(x, x[:, 0] > 0, tell=False)
    assert len(shown) == count
