#!/usr/bin/env bash
# The tree keeps to its boundaries, and the check goes red for each way of breaking them.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
check=$here/check_includes.sh
bash "$check" "$here/../.."

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{app,engine,connectors,state,metrics,http,bench,tests/support/kafka}
mkdir -p "$tree"/engine/{base,ports,spec,admission,privacy,learning,modes/papers,shard}
mkdir -p "$tree"/state/{format,store,index,payloads}
for folder in app engine connectors state metrics http bench tests engine/{base,ports,spec} \
  engine/{admission,privacy,learning,modes,modes/papers,shard} state/{format,store,index,payloads}; do
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
holds http/a.cc '<civetweb.h>'
holds http/a.cc '"metrics/known.h"'
holds engine/shard/a.cc '"engine/known.h"'
holds engine/a.cc '"engine/modes/known.h"'
holds engine/modes/papers/a.cc '"engine/modes/known.h"'
holds engine/learning/a.cc '"engine/privacy/known.h"'
holds state/payloads/a.cc '"state/store/known.h"'
holds state/a.cc '"state/index/known.h"'
for folder in engine connectors state metrics http app; do
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
for folder in connectors state metrics http app tests bench; do
  broken engine/a.cc "\"$folder/known.h\""
done
for adapter in connectors state metrics; do
  for other in connectors state metrics http app tests bench; do
    [[ $adapter == "$other" ]] || broken $adapter/a.cc "\"$other/known.h\""
  done
done
for other in connectors state app tests bench; do
  broken http/a.cc "\"$other/known.h\""
done
# The rooms of engine/ and state/ know those below them.
broken engine/base/a.cc '"engine/ports/known.h"'
broken engine/ports/a.cc '"engine/spec/known.h"'
broken engine/spec/a.cc '"engine/admission/known.h"'
broken engine/privacy/a.cc '"engine/admission/known.h"'
broken engine/privacy/a.cc '"engine/learning/known.h"'
broken engine/admission/a.cc '"engine/privacy/known.h"'
broken engine/learning/a.cc '"engine/modes/known.h"'
broken engine/modes/a.cc '"engine/known.h"'
broken engine/modes/papers/a.cc '"engine/shard/known.h"'
broken engine/a.cc '"engine/shard/known.h"'
broken state/format/a.cc '"state/store/known.h"'
broken state/store/a.cc '"state/payloads/known.h"'
broken state/index/a.cc '"state/payloads/known.h"'
broken state/payloads/a.cc '"state/known.h"'
mkdir "$tree/engine/attic"
broken engine/attic/a.cc '<vector>'
rmdir "$tree/engine/attic"
broken state/a.cc '<librdkafka/rdkafka.h>'
broken tests/support/a.cc '<librdkafka/rdkafka.h>'
broken tests/a.cc '"bench/known.h"'
broken app/a.cc '<rocksdb/db.h>'
broken tests/a.cc '<prometheus/counter.h>'
broken metrics/a.cc '<civetweb.h>'
broken connectors/a.cc '<civetweb.h>'
broken http/a.cc '<prometheus/counter.h>'
broken app/a.cc '"tests/known.h"'
broken app/a.cc '"bench/known.h"'
# What decides a model is computed by functions that are the same on every machine.
computes() { echo "$2" >"$tree/$1"; bash "$check" "$tree" && status=0 || status=$?; rm "$tree/$1"; }
same() { computes "$@" >/dev/null; ((status == 0)) || { echo "refused although allowed: $*" && exit 1; }; }
differs() {
  said=$(computes "$@"; exit "$status") && { echo "not noticed: $*" && exit 1; }
  [[ $said == "$1:1: "* ]] || { echo "does not name the place: $said" && exit 1; }
}
for folder in engine/base engine/modes/papers engine/spec connectors state app; do
  same $folder/a.cc 'y = elementary::Exp(x) + std::sqrt(std::abs(x)) + std::floor(x);'
  same $folder/a.cc '// std::exp(x) would not do'
  for name in exp expm1 log log1p log2 log10 pow sin cos tan hypot erf erfc expf powl riemann_zeta fma; do
    differs $folder/a.cc "y = std::$name(x);"
  done
  differs $folder/a.cc 'const Many e = (-p.abs()).exp();'
  differs $folder/a.cc 'long double x = 1;'
  differs $folder/a.cc 'std::normal_distribution<double> normal;'
done
differs engine/a.cc 'y = exp(x);'
differs engine/a.cc 'y = p.array().log();'
same connectors/a.cc 'handle.log().Tell("x");'
same http/a.cc 'y = std::log(x);'
echo "boundaries hold"
