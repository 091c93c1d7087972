"""What several tests share."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def shell():
    """Runs the command line of the same build; None, with a line that says so, where it was not built."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    binary = target / "debug" / "mercer"
    if not binary.exists():
        print(f"{binary} is not built: the comparison with the shell is left out")
        return None

    def run(*words, folder):
        done = subprocess.run([binary, *map(str, words)], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
