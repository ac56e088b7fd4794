#!/usr/bin/env bash
# The tree keeps to its boundaries, and the check goes red for each way of breaking them.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
check=$here/check_includes.sh
bash "$check" "$here/../.."

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{app,engine,connectors,state,metrics,bench,tests/support/kafka}
for folder in app engine connectors state metrics bench tests; do
  echo '#pragma once' >"$tree/$folder/known.h"
done

# holds|broken FILE INCLUDE: what the check says of a tree where FILE includes this.
says() {
  echo "#include $2" >"$tree/$1"
  bash "$check" "$tree" && status=0 || status=$?
  rm "$tree/$1"
}
holds() {
  says "$@" >/dev/null
  ((status == 0)) || { echo "refused although allowed: $*" && exit 1; }
}
broken() {
  said=$(says "$@"; exit "$status") && { echo "not noticed: $*" && exit 1; }
  [[ $said == "$1:1: "* ]] || { echo "does not name the place: $said" && exit 1; }
}

holds engine/a.cc '<vector>'
holds engine/a.cc '<Eigen/Core>'
holds engine/a.cc '"engine/known.h"  // why'
holds connectors/a.cc '<librdkafka/rdkafka.h>'
holds tests/support/kafka/a.cc '<librdkafka/rdkafka.h>'
holds bench/a.cc '"tests/known.h"'
holds state/a.cc '<rocksdb/db.h>'
holds state/a.cc '"engine/known.h"'
holds metrics/a.cc '<prometheus/counter.h>'
for folder in engine connectors state metrics app; do
  holds app/a.cc "\"$folder/known.h\""
  holds tests/a.cc "\"$folder/known.h\""
done

broken engine/a.cc '<simdjson.h>'
broken engine/a.h '<unistd.h>'
broken engine/a.cc '<spdlog/spdlog.h>'
broken engine/a.cc '"simdjson.h"'
broken engine/a.cc '"known.h"'
broken engine/a.cc '"engine/../app/known.h"'
broken engine/a.cc '"engine/unknown.h"'
broken engine/a.cc '<engine/known.h>'
broken engine/a.cc 'HEADER'
for folder in connectors state metrics app tests bench; do
  broken engine/a.cc "\"$folder/known.h\""
done
for adapter in connectors state metrics; do
  for other in connectors state metrics app tests bench; do
    [[ $adapter == "$other" ]] || broken $adapter/a.cc "\"$other/known.h\""
  done
done
broken state/a.cc '<librdkafka/rdkafka.h>'
broken tests/support/a.cc '<librdkafka/rdkafka.h>'
broken tests/a.cc '"bench/known.h"'
broken app/a.cc '<rocksdb/db.h>'
broken tests/a.cc '<prometheus/counter.h>'
broken connectors/a.cc '<civetweb.h>'
broken app/a.cc '"tests/known.h"'
broken app/a.cc '"bench/known.h"'
echo "boundaries hold"
