#!/usr/bin/env bash
# Makes a virtual environment and installs pinned packages into it; does nothing when that is done already.
# usage: scripts/venv.sh FOLDER REQUIREMENTS
set -euo pipefail
folder=$1
requirements=$2
if cmp --silent "$requirements" "$folder/installed.txt"; then exit 0; fi

python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    echo "Python 3.10 or newer is needed; install it, or name one: PYTHON=/path/to/python3 make test" >&2
    exit 1
fi
rm -rf "$folder"
if "$python" -c 'import ensurepip' 2>/dev/null; then
    "$python" -m venv "$folder"
    install=("$folder/bin/python" -m pip --disable-pip-version-check install --quiet)
elif command -v uv >/dev/null; then
    uv venv --quiet --python "$python" "$folder"
    install=(uv pip install --quiet --python "$folder/bin/python")
elif "$python" -m pip --version >/dev/null 2>&1; then
    "$python" -m venv --without-pip "$folder"
    install=("$python" -m pip --disable-pip-version-check --python "$folder/bin/python" install --quiet)
else
    echo "this Python cannot make virtual environments with pip (its module ensurepip is missing)" >&2
    echo "on Debian and Ubuntu: apt-get install python3-venv; or install uv" >&2
    exit 1
fi
"${install[@]}" --requirement "$requirements"
cp "$requirements" "$folder/installed.txt"
