#!/usr/bin/env bash
# check_includes.sh ROOT: fails when a folder below ROOT includes what it may not know
# (app -> {connectors, state, http -> metrics} -> engine -> standard library and Eigen), when a room
# of engine/ or state/ includes a room above it, when one of our headers is not included by its path
# from the root, or when what decides a model takes a function that is not the same on every machine.
set -euo pipefail
shopt -s extglob nullglob
cd "$1"
find @(app|engine|connectors|state|metrics|http|bench|tests) -name '*.cc' -o -name '*.h' | sort |
  xargs -r awk '
  BEGIN {
    # Which of our folders a folder may include, itself not counted.
    knows["engine"] = ""
    knows["connectors"] = knows["state"] = knows["metrics"] = " engine "
    knows["http"] = " engine metrics "
    knows["app"] = knows["tests"] = " engine connectors state metrics http app "
    knows["bench"] = knows["tests"] " tests "
    ours = " app engine connectors state metrics http bench tests "

    # Which rooms of the same folder a room may include, itself not counted. "." is the folder
    # itself. A room that is not listed is refused.
    rooms["engine/base"] = " "
    rooms["engine/ports"] = " base "
    rooms["engine/spec"] = " base ports "
    rooms["engine/admission"] = " base ports spec "
    rooms["engine/privacy"] = " base ports spec "
    rooms["engine/learning"] = " base ports spec admission privacy "
    rooms["engine/modes"] = " base ports spec admission privacy learning "
    rooms["engine/."] = rooms["engine/modes"] "modes "
    rooms["engine/shard"] = rooms["engine/."] ". "
    rooms["state/format"] = " "
    rooms["state/store"] = " format "
    rooms["state/index"] = rooms["state/payloads"] = " format store "
    rooms["state/."] = " format store index payloads "

    # Functions with several versions that differ in the last bit.
    elementary = "(exp2?|expm1|log(1p|2|10)?|pow|a?(sin|cos|tan)h?|atan2|sincos|hypot|cbrt|erfc?|"
    elementary = elementary "[lt]gamma|riemann_zeta|fma)[fl]?"
    elementary_member = "(exp|expm1|log1p|log10|log2|pow|sin|cos|tan|sinh|cosh|tanh|erfc?)"

    # Third-party headers that appear in one folder only.
    home["^librdkafka/"] = "connectors"
    home["^rocksdb/"] = "state"
    home["^prometheus/"] = "metrics"
    home["^(civetweb\\.h|CivetServer\\.h)"] = "http"
    # Tests do with a broker what the program never does.
    guest["^librdkafka/"] = "^tests/support/kafka/"
  }

  function bad(what) {
    print FILENAME ":" FNR ": " what
    failures++
  }
  function top(path) { return substr(path, 1, index(path "/", "/") - 1) }
  function room(path,    parts, count) {
    count = split(path, parts, "/")
    return parts[1] "/" (count > 2 ? parts[2] : ".")
  }
  function last(path) { return substr(path, index(path, "/") + 1) }
  function has(list, word) { return index(list, " " word " ") > 0 }

  function check_quoted(folder, path,    target, line) {
    target = top(path)
    if (!has(ours, target) || path ~ /(^|\/)\.\.?(\/|$)/) {
      bad("\"" path "\" is not written from the root, or is not ours (then use <>)")
    } else if (target != folder && !has(knows[folder], target)) {
      bad(folder "/ may not include \"" path "\"")
    } else if (folder ~ /^(engine|state)$/ && target == folder && room(path) != room(FILENAME) &&
               !has(rooms[room(FILENAME)], last(room(path)))) {
      bad(room(FILENAME) " may not include \"" path "\"")
    } else if ((getline line < path) < 0) {
      bad("\"" path "\" does not exist")
    }
    close(path)
  }

  function check_angled(folder, path,    pattern) {
    if (has(ours, top(path)) && path ~ /\//) bad("<" path "> is ours: use quotes")
    for (pattern in home)
      if (path ~ pattern && folder != home[pattern] &&
          !(pattern in guest && FILENAME ~ guest[pattern]))
        bad("<" path "> belongs to " home[pattern] "/ only")
    if (folder == "engine" && path !~ /^([a-z_]+$|Eigen\/)/)
      bad("engine/ knows the standard library and Eigen only, not <" path ">")
  }

  FNR == 1 {
    files++
    if (top(FILENAME) ~ /^(engine|state)$/ && !(room(FILENAME) in rooms))
      bad(room(FILENAME) " is not a room that this check knows")
  }
  FILENAME ~ /^(engine|connectors|state|app)\// {
    code = " " $0
    sub(/\/\/.*/, "", code)
    if (code ~ "std::" elementary "\\(" || code ~ "\\." elementary_member "\\(" ||
        (FILENAME ~ /^engine/ && (code ~ "[^A-Za-z0-9_.:>]" elementary "\\(" || code ~ /\.log\(\)/)))
      bad("take this function from engine/base/elementary.h: the C library and Eigen have several versions")
    if (code ~ /long double|std::[a-z_]*_distribution/) bad("this is not the same on every machine")
  }
  /^[ \t]*#[ \t]*include/ {
    split($0, part, /[<>"]/)
    if (part[1] !~ /include[ \t]*$/ || part[2] == "") bad("cannot read this include")
    else if ($0 ~ /^[^"]*</) check_angled(top(FILENAME), part[2])
    else check_quoted(top(FILENAME), part[2])
  }

  END {
    if (!files) bad("no files found")
    exit failures > 0
  }'
