#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ray 2.60.0: a local `ray.init()` changes what a later `ray start --head` does on the same machine.
#
# `ray.init(address="local")` writes a token to ~/.ray/auth_token. Before that, `ray start --head`
# starts a cluster that anyone may join; after it, one that wants the token. A program that names the
# address of that cluster does not use the token by itself, although the file is there: `ray status
# --address` and `ray.init(address=...)` fail with AuthenticationError or ConnectionError until
# RAY_AUTH_MODE=token is set. `ray.init(address="auto")` on the same machine uses it.
#
# Seen with Python 3.11. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet "ray==2.60.0"
export HOME=$folder PATH=$folder/env/bin:$PATH RAY_TMPDIR=$folder/ray
unset RAY_AUTH_MODE RAY_ADDRESS
see() {
  # Not `ray stop` at the end, which ends every cluster of the machine.
  ray start --head --block --num-cpus=1 --port=6412 --include-dashboard=false --disable-usage-stats \
    >"$folder/head" 2>&1 &
  for _ in $(seq 120); do grep -q "Ray runtime started" "$folder/head" && break; sleep 1; done
  echo "$1: $(ls "$HOME/.ray" 2>/dev/null | wc -l) token files"
  if ray status --address=127.0.0.1:6412 >"$folder/status" 2>&1; then echo "status without a mode: works"
  else grep -o "AuthenticationError" "$folder/status" | head -1; fi
  if RAY_AUTH_MODE=token ray status --address=127.0.0.1:6412 >"$folder/status" 2>&1; then echo "status with the mode: works"
  else echo "status with the mode: fails"; fi
  kill $!
  wait $! || true
}
output=$(
  see "before"
  python -c 'import ray; ray.init(address="local", num_cpus=1, include_dashboard=False); ray.shutdown()' >"$folder/init" 2>&1
  see "after a local cluster"
)
echo "$output"
test "$output" = "before: 0 token files
status without a mode: works
status with the mode: fails
after a local cluster: 1 token files
AuthenticationError
status with the mode: works"
