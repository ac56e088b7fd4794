#!/usr/bin/env bash
# Streams that are made from a seed give the model, the receipts and the notices that are kept in
# tests/kept/streams.sha256, bit for bit: whatever became faster, nothing became different. From JSON
# and binary, in memory and on disk. LETHE_UPDATE_FILES=1 adds what is not kept yet, and changes nothing.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
kept=$LETHE_SOURCE_DIR/tests/kept/streams.sha256
# Other architectures may fuse sums of products in Eigen.
[[ $(uname -m) == x86_64 ]] || exit 77
start_empty

# stream NAME "CONFIGURATION" GENERATE-OPTIONS...: all ways to run it, in folders NAME-*.
stream() {
  local name=$1
  printf 'noise: {source: seeded, seed: 11}\n%b\n' "$2" >"$name.yaml"
  shift 2
  expect 0 '' "$LETHE" generate --seed 5 "$@" --out "$name.ndjson"
  expect 0 '' "$LETHE" convert "$name.ndjson" "$name.lethe"
  expect 0 '' "$LETHE" replay "$name.ndjson" --config "$name.yaml" --out "$name-json"
  expect 0 '' "$LETHE" replay "$name.ndjson" --config "$name.yaml" --out "$name-disk" --state "$name-state"
  expect 0 '' "$LETHE" replay "$name.lethe" --config "$name.yaml" --out "$name-binary"
}
# The steps are stated, so that a better default changes nothing here.
stream passive 'model: {dimension: 20}\nlearning: {eta: 3.7}\nforgetting: {mode: passive}' --events 20000 --deletions 0.01
stream people 'model: {dimension: 6}\nlearning: {eta: 3.7}\nforgetting: {mode: passive}' --dimension 6 --events 8000 --subjects 80 \
  --deletions 0.002 --pattern subject
stream waiting 'model: {dimension: 20, loss: huber}\nlearning: {eta: 0.98}\nforgetting: {mode: passive, deadline: 40, batch_window: 10}
erasure: {max_lag: 20s}' --task regression --events 8000 --deletions 0.02 --pattern recent --format envelopes
stream adaptive 'model: {dimension: 20}\nlearning: {schedule: adaptive}\nforgetting: {mode: passive}' --events 8000 --drift 1 --pattern burst
stream active 'model: {dimension: 20}\nlearning: {eta: 3.7}\nforgetting: {mode: active}' --events 2000 --deletions 0.01
stream wide 'model: {dimension: 100}\nlearning: {eta: 3.7}\nforgetting: {mode: passive}' --dimension 100 --events 4000 --pattern oldest
stream rewind 'model: {dimension: 20}\nlearning: {eta: 3.7}\nforgetting: {mode: rewind, retention: 4000}\nerasure: {max_lag: 20s}' \
  --events 20000 --deletions 0.01 --format envelopes
stream rewind-adaptive 'model: {dimension: 6}\nlearning: {schedule: adaptive}\nforgetting: {mode: rewind, retention: 1000}' \
  --dimension 6 --events 8000 --subjects 80 --deletions 0.002 --pattern subject

results=(*-json/{model.json,receipts.ndjson,notices.ndjson})
if [[ -n ${LETHE_UPDATE_FILES:-} ]]; then
  for result in "${results[@]}"; do
    grep -q "  $result$" "$kept" 2>/dev/null || sha256sum "$result" >>"$kept"
  done
fi
expect 0 '' sha256sum --check --quiet --strict "$kept"
expect 0 '' test "$(wc -l <"$kept")" -eq "${#results[@]}"
# The ways to run a stream agree.
for result in "${results[@]}"; do
  expect 0 '' cmp "$result" "${result/-json/-disk}"
  expect 0 '' cmp "$result" "${result/-json/-binary}"
done
finish
