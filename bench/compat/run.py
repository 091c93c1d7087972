"""scikit-learn's own tests with classes of Mercer in the place of its own: how many pass, and why the others do not.

usage: python bench/compat/run.py [FILE ...]    the Python of an environment with mercer, scikit-learn and pytest
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import sklearn
from reasons import REASONS

HERE = Path(__file__).resolve().parent
FILES = [
    "svm/tests/test_svm.py",
    "svm/tests/test_sparse.py",
    "tests/test_kernel_ridge.py",
    "gaussian_process/tests/test_gpr.py",
    "gaussian_process/tests/test_gpc.py",
    "neighbors/tests/test_neighbors.py",
    "neighbors/tests/test_kde.py",
    "decomposition/tests/test_kernel_pca.py",
    "cluster/tests/test_spectral.py",
]


def outcomes(files):
    """What became of every test that made one of our estimators."""
    root = Path(sklearn.__file__).parent
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as lines:
        environment = {**os.environ, "MERCER_COMPAT": lines.name, "PYTHONPATH": str(HERE)}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "substitute", "-p", "no:cacheprovider", "--tb=short"]
        subprocess.run(
            [*command, *(str(root / file) for file in files)], env=environment, stdout=subprocess.DEVNULL, check=False
        )
        return [json.loads(line) for line in lines]


def reason(test):
    return next(((kind, why) for pattern, kind, why in REASONS if re.search(pattern, test)), ("defect", ""))


def main():
    tests = outcomes(sys.argv[1:] or FILES)
    if not tests:
        print(f"no test ran: are mercer, scikit-learn and pytest installed for {sys.executable}?", file=sys.stderr)
        return 1
    failed = [test for test in tests if test["outcome"] == "failed"]
    count = Counter(test["outcome"] for test in tests)
    print(f"scikit-learn {sklearn.__version__}: {count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    kinds = Counter(reason(test["test"]) for test in failed)
    for (kind, why), number in sorted(kinds.items()):
        if kind != "defect":
            print(f"{number:5}  {kind}: {why}")
    defects = [test for test in failed if reason(test["test"])[0] == "defect"]
    for test in defects:
        print(f"DEFECT {test['test']}: {test['error'][:300]}")
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
