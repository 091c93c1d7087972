#!/usr/bin/env bash
# Runs the tour of README.md for shell, Python and Rust and the tutorial for the shell, each in an empty folder, with what the
# tests have built.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
built=$(cd "${CARGO_TARGET_DIR:-target}/debug" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tutorial" "$folder/shell" "$folder/python" "$folder/rust"
export PATH="$built:$PATH"
(cd "$folder/shell" && bash -euo pipefail "$root/docs/tour/tour.sh")
(cd "$folder/python" && "$root/.venv/bin/python" "$root/docs/tour/tour.py")
(cd "$folder/rust" && "$built/examples/tour")
cp fixtures/orders.csv "$folder/tutorial"
(cd "$folder/tutorial" && bash -euo pipefail "$root/docs/tutorials/messy_table.sh")
