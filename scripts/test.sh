#!/usr/bin/env bash
# Every test there is: Rust, documentation examples, Python, the tour; then which rows of docs/spec.md they prove.
# What fails soonest comes first. One build with one set of features serves all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
say() { printf '\n== %s\n' "$*"; }

say "Python environment"
scripts/venv.sh .venv crates/mercer-python/requirements-test.txt

say "build"
cargo build --locked --workspace --all-targets

say "Rust tests"
# What the properties are tried on is drawn, and the same in every run; cargo nextest alone draws anew.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-42}
if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --locked --workspace
else
    cargo test --locked --workspace --lib --bins --tests
fi

say "generated pages, classes and types"
"${CARGO_TARGET_DIR:-target}/debug/mercer-gen" . --check

say "documentation examples"
cargo test --locked --workspace --doc

say "Python extension"
# By the name in the environment, maturin installs into it; profile and features of the tests, so that nothing is compiled twice.
VIRTUAL_ENV=$PWD/.venv .venv/bin/maturin develop --quiet --locked --features mercer/testkit

say "Python tests"
.venv/bin/python -m pytest --quiet --numprocesses auto crates/mercer-python/tests

say "tour"
scripts/tour.sh

say "rows of docs/spec.md"
cargo xtask spec
