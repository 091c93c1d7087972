#!/usr/bin/env bash
# Times Mercer beside other libraries on the same arrays: one JSON line per workload and library on standard output.
# usage: bench/run.sh [WORKLOAD ...]      (names or beginnings of names; none: all of them)
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/venv.sh .venv-bench bench/requirements.txt >&2
# Together with the command line, so that both use the same build of the dependencies.
cargo build --locked --release --package mercer-cli --package mercer-bench >&2
VIRTUAL_ENV=$PWD/.venv-bench .venv-bench/bin/maturin develop --quiet --release --locked --manifest-path crates/mercer-python/Cargo.toml >&2
exec .venv-bench/bin/python bench/run.py "$@"
