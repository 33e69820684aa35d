# How suites of tests are run and ended: functions for `run`, which sets `results` (a folder for reports) and `begun` (seconds
# since 1970). `failed` collects the names of the suites that have failed. All minutes are counted from `begun`.
# shellcheck shell=bash
failed=

# seconds_until MINUTE: seconds that are left, negative if it is over.
seconds_until() { echo $((begun + $1 * 60 - $(date +%s))); }

# suite NAME END COMMAND...: runs a suite, with its results in NAME.json, and ends it at the minute END: what has not ended then
# hangs, or needs a faster machine, and the suite has failed.
suite() {
  local name=$1 end=$2 status=0 left
  shift 2
  left=$(seconds_until "$end")
  if [ "$left" -le 0 ]; then
    echo "$name is left out: its time was over before it could begin" >&2
    return
  fi
  timeout --kill-after=30 "$left" "$@" --reporter=default --reporter=./vitest.skips.ts --reporter=./vitest.deadline.ts \
    --reporter=json --outputFile.json="$results/$name.json" || status=$?
  [ "$status" = 0 ] && return
  failed="$failed $name"
  if [ "$status" = 124 ] || [ "$status" = 137 ]; then
    echo "{\"ended\": \"did not end within $end minutes from the beginning\"}" > "$results/$name.json"
  elif [ ! -e "$results/$name.json" ]; then
    echo "{\"ended\": \"ended with status $status without a report\"}" > "$results/$name.json"
  fi
}

# timed NAME UNTIL END COMMAND...: a suite that begins no file after the minute UNTIL.
timed() {
  local name=$1 until=$2 end=$3
  shift 3
  if [ "$(seconds_until "$until")" -le 0 ]; then
    echo "$name is left out: its time was over before it could begin" >&2
    return
  fi
  export GANETI_TS_TESTS_UNTIL=$((begun + until * 60))
  suite "$name" "$end" "$@" --sequence.shuffle.files
  unset GANETI_TS_TESTS_UNTIL
}

# with_daemons NAME UNTIL END AGAIN COMMAND...: a timed suite whose tests drive daemons and guests that we did not write. Files
# that fail run once more until the minute AGAIN, and what fails only once is reported as unstable: a fault to be looked into,
# which does not fail the suite.
with_daemons() {
  local name=$1 until=$2 end=$3 again=$4 failed_before=$failed files
  shift 4
  timed "$name" "$until" "$end" "$@"
  [ "$failed" = "$failed_before" ] && return
  files=$(node .ci/totals.js --failed-files "$results/$name.json") || return 0
  if [ "$(seconds_until "$again")" -le 0 ]; then
    echo "$name: no time is left to run the failed files once more" >&2
    return
  fi
  failed=$failed_before
  # shellcheck disable=SC2086
  suite "$name-again" "$again" "$@" $files
}
