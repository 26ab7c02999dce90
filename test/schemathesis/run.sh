#!/usr/bin/env bash
# Lets schemathesis try every route of a service of its own, with all checks and all phases. Ends with 0 and a reason where it cannot run.
#   test/schemathesis/run.sh [examples a route and phase, default 60]
# PORT (default: a free one) and VENV (default: a temporary folder, kept for the next run) may be set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
examples=${1:-60}
venv=${VENV:-${TMPDIR:-/tmp}/tickmark-schemathesis}

skip() {
  echo "skipped: $1"
  exit 0
}
command -v python3 >/dev/null || skip 'python3 is not installed'
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip 'Python 3.10 or newer is needed'
if ! "$venv/bin/st" --version >/dev/null 2>&1; then
  python3 -m venv "$venv" >/dev/null 2>&1 || skip 'python3 has no venv'
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" || skip 'PyPI cannot be reached'

folder=$(mktemp -d)
service=
stop() {
  if [ -n "$service" ]; then
    kill "$service" 2>/dev/null || true
    wait "$service" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap stop EXIT

cd "$root"
# Limits would answer most of the requests; they have tests of their own.
PORT=${PORT:-0} METRICS_PORT=0 DATA_DIR="$folder/data" LOG_LEVEL=error LIMIT_FORECASTS_PER_MINUTE=0 LIMIT_SIGNUPS_PER_HOUR=0 \
  LIMIT_LOGINS_PER_MINUTE=0 LIMIT_FAILED_LOGINS_PER_HOUR=0 LIMIT_FAILED_KEYS_PER_MINUTE=0 \
  node bin/tickmark.js serve --json >"$folder/out" 2>"$folder/log" &
service=$!
for _ in $(seq 120); do
  url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$folder/out")
  [ -n "$url" ] && break
  kill -0 "$service" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
  sleep 0.5
done
[ -n "$url" ] || { echo 'the service did not become ready' >&2; exit 1; }

sign_up() {
  curl -sf -X POST -H 'Content-Type: application/json' \
    -d "{\"email\":\"$1\",\"password\":\"$TICKMARK_PASSWORD\",\"confirm_password\":\"$TICKMARK_PASSWORD\"}" "$url/signup"
}
export TICKMARK_PASSWORD='correct horse 42' TICKMARK_EMAIL='password@example.com'
# What ends one account must not end the calls of the others.
for email in "$TICKMARK_EMAIL" changed@example.com deleted@example.com; do sign_up "$email" >/dev/null; done
TICKMARK_KEY=$(sign_up key@example.com | sed -n 's/.*"api_key": *"\([^"]*\)".*/\1/p')
export TICKMARK_KEY

check() {
  (cd "$folder" && "$venv/bin/st" --config-file "$here/schemathesis.toml" run "$url/openapi.json" --checks all \
    --max-examples "$examples" --continue-on-failure --no-color "$@")
}
code=0
check --exclude-operation-id changePassword --exclude-operation-id deleteAccount || code=$?
# After the first good call the password is another, or the account is gone: what follows is 401.
TICKMARK_EMAIL=changed@example.com check --include-operation-id changePassword --phases examples,coverage,fuzzing || code=$?
TICKMARK_EMAIL=deleted@example.com check --include-operation-id deleteAccount --phases examples,coverage,fuzzing || code=$?
if grep -q '"level":"error"' "$folder/log"; then
  echo 'the service logged errors:' >&2
  cat "$folder/log" >&2
  code=1
fi
exit "$code"
