#!/usr/bin/env bash
# Builds the Action's own Python environment in the runner's temporary folder and names its Python as an output.
# Nothing runs in the checked-out folder: what lies there is the change under review (R-G5).
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
needs="$here/requirements.txt"
temporary=${RUNNER_TEMP:-${TMPDIR:-/tmp}}
cd -- "$temporary"
venv="$temporary/tenure-python"

fail() {
  printf '::error title=tenure: %s::%s\n' "$1" "$2"
  exit 1
}

fits() {
  "$1" -I -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
  local name
  if [ -n "${TENURE_INPUT_PYTHON:-}" ]; then
    fits "$TENURE_INPUT_PYTHON" && printf '%s\n' "$TENURE_INPUT_PYTHON"
    return
  fi
  for name in python3 python python3.14 python3.13 python3.12 python3.11 \
    "${RUNNER_TOOL_CACHE:-/nonexistent}"/Python/3.*/*/bin/python3 \
    "${RUNNER_TOOL_CACHE:-/nonexistent}"/Python/3.*/*/python.exe; do
    if fits "$name"; then
      printf '%s\n' "$name"
      return
    fi
  done
  return 1
}

venv_python() {
  if [ -x "$venv/bin/python" ]; then printf '%s\n' "$venv/bin/python"; else printf '%s\n' "$venv/Scripts/python.exe"; fi
}

stamp=$(cksum <"$needs")
if [ "$(cat "$venv/ready" 2>/dev/null || true)" != "$stamp" ] || ! fits "$(venv_python)"; then
  python=$(find_python) || fail "no Python" \
    "Python 3.11 or newer with venv is needed. Add actions/setup-python before this step, or name one by the input python."
  # A pip that can install for another Python saves the seconds that copying one into the environment takes.
  pip=without
  "$python" -I -c 'import sys, pip; sys.exit(tuple(map(int, pip.__version__.split(".")[:2])) < (22, 3))' \
    >/dev/null 2>&1 || pip=with
  make=("$python" -I -m venv --clear)
  [ "$pip" = with ] || make+=(--without-pip)
  "${make[@]}" "$venv" >/dev/null 2>&1 || fail "no environment" \
    "That Python cannot make a virtual environment (on Debian and Ubuntu: apt install python3-venv)."
  install=("$(venv_python)" -I -m pip)
  [ "$pip" = with ] || install=("$python" -I -m pip --python "$(venv_python)")
  "${install[@]}" install -qq --disable-pip-version-check --no-input --root-user-action ignore \
    --no-compile --require-hashes --only-binary :all: -r "$needs" || fail "no packages" \
    "The pinned packages could not be installed: is a package index reachable, and is there a wheel for this system?"
  printf '%s\n' "$stamp" >"$venv/ready"
fi
printf 'python=%s\n' "$(venv_python)" >>"${GITHUB_OUTPUT:-/dev/stdout}"
