#!/usr/bin/env bash
# lethe tune from a stream to a configuration that is accepted and named in receipts; the figures of the trade;
# and models of the documented streams, which are as good after deletions as without them.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
start_empty
"$LETHE" generate --events 4000 --dimension 5 --deletions 0.01 --seed 3 --out events.ndjson.gz 2>generated

expect 0 'wrote tuned.yaml' "$LETHE" tune events.ndjson.gz --runs 30 --out tuned.yaml
expect 0 'ok' "$LETHE" check tuned.yaml
expect 0 'tuned_on: private' cat tuned.yaml
expect 0 '(a constant)' "$LETHE" tune events.ndjson.gz --runs 5
expect 0 'mode none does not forget' "$LETHE" tune events.ndjson.gz --runs 5
expect 0 '"format":"lethe.tune/1"' "$LETHE" tune events.ndjson.gz --runs 5 --json

# What is chosen on public rows does not speak of the others.
expect 0 'on 1000 rows' "$LETHE" tune events.ndjson.gz --runs 5 --public-rows 1000 --out public.yaml
expect 0 'tuned_on: public' cat public.yaml

# Receipts say that settings were chosen on private rows, and only then.
expect 0 '' "$LETHE" replay events.ndjson.gz --config tuned.yaml --out tuned
expect 0 'learning.tuned_on: private' head -n 1 tuned/receipts.ndjson
expect 0 '' "$LETHE" replay events.ndjson.gz --config public.yaml --out public
expect 0 '' bash -c '! grep -q "tuned_on: private" public/receipts.ndjson'

# What the base says of other things is kept.
printf 'model: {dimension: 5}\nsource: {kafka: {topic: people}}\nforgetting: {mode: passive}\n' >base.yaml
expect 0 '' "$LETHE" tune events.ndjson.gz --config base.yaml --runs 10 --out passive.yaml
expect 0 'topic: people' cat passive.yaml
expect 0 'mode: passive' cat passive.yaml

# Bad input is named, and nothing is written.
printf 'model: {dimension: 7}\n' >seven.yaml
expect 65 'do stream and configuration fit' "$LETHE" tune events.ndjson.gz --config seven.yaml --out none.yaml
printf '{"type":"delete","id":"e-1"}\n' >deletes.ndjson
expect 65 'no learn event' "$LETHE" tune deletes.ndjson --out none.yaml
expect 65 'nothing.ndjson' "$LETHE" tune nothing.ndjson --out none.yaml
expect 78 'model.dimensoin' bash -c "printf 'model: {dimensoin: 7}' >bad.yaml; '$LETHE' tune events.ndjson.gz --config bad.yaml"
expect 64 '--runs' "$LETHE" tune events.ndjson.gz --runs 0
absent 'none.yaml*'

# Ctrl-C prints the best so far and writes nothing.
"$LETHE" generate --events 60000 --dimension 40 --deletions 0 --out long.ndjson 2>>generated
expect 130 'best so far' bash -c "'$LETHE' tune long.ndjson --runs 20000 --out long.yaml & sleep 4; kill -INT \$!; wait \$!"
absent 'long.yaml*'

# The figures of the trade, beside a constant.
expect 0 'of a constant' "$LETHE" replay events.ndjson.gz --config tuned.yaml
expect 0 '"confusion":[[' cat tuned/summary.json
expect 0 '"auc":0.' cat tuned/summary.json
"$LETHE" generate --task regression --events 1000 --dimension 5 --out numbers.ndjson 2>>generated
printf 'model: {loss: squared, dimension: 5}\n' >squared.yaml
expect 0 'R2 ' "$LETHE" replay numbers.ndjson --config squared.yaml
expect 0 '"rmse":' "$LETHE" compare numbers.ndjson --config squared.yaml --modes none --json
expect 0 'RMSE' "$LETHE" compare numbers.ndjson --config squared.yaml --modes none

# as_good STREAM CONFIG: the accuracy with all deletions is that without them, within 0.3 points.
as_good() {
  "$LETHE" compare "$1" --config "$2" --modes none,rewind --no-regret --json >compared.json
  expect 0 'as good' python3 -c '
import json
none, rewind = json.load(open("compared.json"))["modes"]
assert rewind["exact"] and rewind["deletions"] >= 1, rewind
lost = none["accuracy"] - rewind["accuracy"]
assert abs(lost) < 0.003, f"{lost} of the accuracy is lost"
print("as good")'
}
# The streams of README.md and of docs/quickstart.md.
"$LETHE" generate --drift 1 --pattern recent --out readme.ndjson.gz 2>>generated
as_good readme.ndjson.gz "$LETHE_SOURCE_DIR/configs/quickstart.yaml"
"$LETHE" generate --events 2000 --dimension 3 --subjects 50 --deletions 0 >people.ndjson 2>>generated
person=$(sed -n '1s/.*"subject":"\([^"]*\)".*/\1/p' people.ndjson)
printf '{"type":"delete","subject":"%s","request":"rtbf-2291"}\n' "$person" >>people.ndjson
"$LETHE" generate --events 2000 --dimension 3 --subjects 50 --deletions 0 --seed 2 |
  sed 's/"id":"/"id":"later-/' >>people.ndjson
printf 'model: {dimension: 3, lambda: 0.05, radius: 6}\nforgetting: {mode: rewind, retention: 10000}\n' >quickstart.yaml
as_good people.ndjson quickstart.yaml
finish
