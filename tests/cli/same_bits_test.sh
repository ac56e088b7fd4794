#!/usr/bin/env bash
# The C library picks its exp, log and cos by the processor, and they differ in the last bit. Models,
# receipts, notices and summaries do not depend on them: a stream gives the same bytes when the C
# library is told that the processor has neither AVX2 nor FMA.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
# The names that glibc since 2.33 takes; an older one and another C library ignore them.
other() { GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4 "$@"; }
start_empty

# stream NAME "CONFIGURATION" GENERATE-OPTIONS..., or the name of a function that prints the stream.
stream() {
  local name=$1
  printf 'noise: {source: seeded, seed: 11}\n%b\n' "$2" >"$name.yaml"
  shift 2
  if [[ $1 == made ]]; then
    made >"$name.ndjson"
  else
    expect 0 '' "$LETHE" generate --seed 5 "$@" --out "$name.ndjson"
    expect 0 '' other "$LETHE" generate --seed 5 "$@" --out "$name-other.ndjson"
    expect 0 '' cmp "$name.ndjson" "$name-other.ndjson"
  fi
  expect 0 '' "$LETHE" replay "$name.ndjson" --config "$name.yaml" --out "$name"
  expect 0 '' other "$LETHE" replay "$name.ndjson" --config "$name.yaml" --out "$name-other"
  expect 0 '' test -s "$name/receipts.ndjson"
  for file in model.json receipts.ndjson notices.ndjson; do
    expect 0 '' cmp "$name/$file" "$name-other/$file"
  done
  # What a summary says of time is the clock's.
  for folder in "$name" "$name-other"; do
    python3 - "$folder" <<'PYTHON'
import json, re, sys
def without_time(value):
    if isinstance(value, dict):
        return {k: without_time(v) for k, v in value.items()
                if not re.search('second|events_per|memory|bytes|time|_ms|duration', k)}
    return [without_time(v) for v in value] if isinstance(value, list) else value
with open(sys.argv[1] + '/summary.json') as file:
    summary = without_time(json.load(file))
with open(sys.argv[1] + '/summary-timeless.json', 'w') as file:
    json.dump(summary, file)
PYTHON
  done
  expect 0 '' cmp "$name/summary-timeless.json" "$name-other/summary-timeless.json"
}
# Noise is rounded to a grid, which hides a last bit; so deletions are rare, and many events follow the
# last draw.
dense='model: {dimension: 20, lambda: 0.0001}\n'
rare='--events 20000 --deletions 0.0003 --drift 1'
stream passive "${dense}forgetting: {mode: passive}" $rare
stream zeta "${dense}forgetting: {mode: passive, split: zeta}" $rare
stream rewind "${dense}forgetting: {mode: rewind, retention: 12000}" $rare
stream active "model: {dimension: 20}\nforgetting: {mode: active}" $rare
stream descent "${dense}forgetting: {mode: active, active: {variant: ledger}}" --events 6000 --deletions 0.001
stream adaptive "${dense}learning: {schedule: adaptive}\nforgetting: {mode: rewind}" $rare
stream noisy "${dense}forgetting: {mode: noisy}" --events 6000 --deletions 0.001
# Named features.
made() {
  python3 - <<'PYTHON'
import json
state = 1
def below(n):
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 33) % n
for i in range(20000):
    words = {'w%d' % (below(100) * below(100)): 0.25 for _ in range(12)}
    print(json.dumps({'type': 'learn', 'id': 'e%d' % i, 'f': words, 'y': below(2) * 2 - 1}))
    if i % 6000 == 700:
        print(json.dumps({'type': 'delete', 'id': 'e%d' % (i - 90)}))
PYTHON
}
hashed='model: {hash_bits: 12, lambda: 0.00001}\n'
stream hashed "${hashed}forgetting: {mode: passive}" made
stream hashed-rewind "${hashed}forgetting: {mode: rewind, retention: 12000}" made
finish
