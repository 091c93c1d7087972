#!/usr/bin/env bash
# Hostile inputs for every target, so many seconds each; ends at the first finding. Stable Rust will do.
# usage: scripts/fuzz.sh SECONDS [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
shift
targets=("$@")
if [ ${#targets[@]} = 0 ]; then targets=(csv libsvm table expr store); fi

# The flags count edges in what runs; naming the host keeps them from build scripts.
host=$(rustc -vV | sed -n 's/^host: //p')
folder=${CARGO_TARGET_DIR:-target}/fuzz
export RUSTFLAGS="-C passes=sancov-module -C llvm-args=-sanitizer-coverage-level=3 -C llvm-args=-sanitizer-coverage-inline-8bit-counters"
cargo build --quiet --locked --package mercer-fuzz --target "$host" --target-dir "$folder"
for target in "${targets[@]}"; do
    "$folder/$host/debug/mercer-fuzz" "$target" --seconds "$seconds" --seed "${FUZZ_SEED:-0}"
done
