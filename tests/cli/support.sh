# Words for the tests of the command line. Sourced; needs LETHE, the program.
set -u
failures=0
passed=0

# Empties the current folder, which is the test's own under ctest. Refuses a source tree, where
# somebody may have started the test by hand.
start_empty() {
  if [[ -e CMakeLists.txt || -e .git ]]; then
    echo "this test empties its folder: run it by ctest, or in an empty folder" >&2
    exit 64
  fi
  rm -rf ./*
}

# expect EXIT_CODE "TEXT THAT STDERR OR STDOUT CONTAINS" COMMAND...
expect() {
  local code=$1 text=$2 output status=0
  shift 2
  output=$("$@" 2>&1 </dev/null) || status=$?
  if [[ $status -ne $code ]]; then
    echo "FAIL: exit code $status, not $code: $*"
    echo "$output" | head -5 | sed 's/^/    /'
    failures=$((failures + 1))
  elif [[ $output != *"$text"* ]]; then
    echo "FAIL: no \"$text\" in the output of: $*"
    echo "$output" | head -5 | sed 's/^/    /'
    failures=$((failures + 1))
  else
    passed=$((passed + 1))
  fi
}

# absent FILE: nothing half-written was left behind.
absent() {
  if compgen -G "$1" >/dev/null; then
    echo "FAIL: $1 was left behind"
    failures=$((failures + 1))
  else
    passed=$((passed + 1))
  fi
}

finish() {
  echo "$passed passed, $failures failed"
  [[ $failures -eq 0 ]]
}
