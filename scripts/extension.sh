#!/usr/bin/env bash
# Puts the extension that 'cargo build --workspace --all-targets' made beside its Python sources, and makes the
# package importable in .venv. The same build as the tests: building the extension alone would select other
# features of shared dependencies and compile the linear algebra a second time.
set -euo pipefail
cd "$(dirname "$0")/.."
package=$PWD/crates/mercer-python/python
built=${CARGO_TARGET_DIR:-target}/debug
for library in "$built/lib_native.so" "$built/lib_native.dylib"; do
    if [ -f "$library" ]; then
        # Replaced, not overwritten: a process that has the old one loaded keeps it.
        cp "$library" "$package/mercer/_native.abi3.so.new"
        mv "$package/mercer/_native.abi3.so.new" "$package/mercer/_native.abi3.so"
    fi
done
site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$package" > "$site/mercer.pth"
.venv/bin/python -c 'import mercer'
