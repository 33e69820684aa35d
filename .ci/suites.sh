# How suites of tests are run: a function for `run` and `long`, which set `results` (a folder for reports). `failed` collects the
# names of the suites that have failed.
# shellcheck shell=bash
failed=

# suite NAME MINUTES COMMAND...: runs a suite, with its results in NAME.json. Limits of time belong to tests, not to suites: one
# that has not ended after MINUTES, many times what it needs, hangs; it is ended and has failed.
suite() {
  local name=$1 minutes=$2 status=0 begun
  shift 2
  begun=$(date +%s)
  timeout --kill-after=30 "${minutes}m" "$@" --reporter=default --reporter=./vitest.progress.ts --reporter=./vitest.skips.ts \
    --reporter=json --outputFile.json="$results/$name.json" || status=$?
  echo "suite $name: $((($(date +%s) - begun) / 60)) min $((($(date +%s) - begun) % 60)) s, exit status $status"
  [ "$status" = 0 ] && return
  failed="$failed $name"
  if [ "$status" = 124 ] || [ "$status" = 137 ]; then
    echo "{\"ended\": \"did not end within $minutes minutes\"}" > "$results/$name.json"
  elif [ ! -e "$results/$name.json" ]; then
    echo "{\"ended\": \"ended with status $status without a report\"}" > "$results/$name.json"
  fi
}

# chosen FILE: the paths in a list of files with reasons.
chosen() { sed 's/#.*//; s/[[:space:]].*//; /^$/d' "$1"; }
