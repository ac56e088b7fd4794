#!/usr/bin/env bash
# Bad input gets a clear message with its place, the documented exit code, and leaves nothing behind.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
start_empty && mkdir -p out

config() { printf '%b\n' "$1" >config.yaml; }
good='{"type":"learn","id":"a","x":[0.1,0.2],"y":1}'
replay() { "$LETHE" replay "$1" --config config.yaml --out out/results --json; }

# The command line.
expect 64 'did you mean replay' "$LETHE" repaly
expect 64 'did you mean --config' "$LETHE" replay x --cofig y
expect 64 'did you mean verify' "$LETHE" receipts verfy
expect 64 '--config is required' "$LETHE" replay x
expect 64 '--pattern' "$LETHE" generate --pattern sideways
expect 0 'Examples:' "$LETHE" replay --help

# The configuration.
expect 78 'model.dimension' "$LETHE" check /dev/null
expect 78 'No such file' "$LETHE" check absent.yaml
config 'model:\n  dimension: 2\n  lamda: 0.1'
expect 78 'config.yaml:3: model.lamda' "$LETHE" check config.yaml
expect 78 'did you mean' "$LETHE" check config.yaml
config 'model: {dimension: 2, lambda: 0}'
expect 78 'model.lambda' "$LETHE" check config.yaml
config 'model: {dimension: 2, lambda: -1}'
expect 78 'model.lambda' "$LETHE" check config.yaml
config 'model: {dimension: 2, radius: .nan}'
expect 78 'model.radius' "$LETHE" check config.yaml
config 'model: {dimension: 2}\nlearning: {eta: 100}'
expect 78 '2/(beta+mu)' "$LETHE" check config.yaml
config 'model: {dimension: 2}\nforgetting: {budget: {epsilon: 0}}'
expect 78 'forgetting.budget.epsilon' "$LETHE" check config.yaml
config 'model: {dimension: 2}\nforgetting: {mode: pasive}'
expect 78 'passive' "$LETHE" check config.yaml
config 'model: {dimension: 2, lambda: 0, radius: -1}\nlerning: {}'
for path in model.lambda model.radius lerning; do expect 78 "$path" "$LETHE" check config.yaml; done

# A stream that cannot be read as a whole.
config 'model: {dimension: 2}\nnoise: {source: seeded}'
expect 65 'absent.ndjson' replay absent.ndjson
: >empty.ndjson
expect 65 'no events' replay empty.ndjson
for i in {1..2000}; do echo "$good" | sed "s/\"a\"/\"a$i\"/"; done | gzip >whole.gz
head -c 1000 whole.gz >truncated.gz
expect 65 'truncated.gz' replay truncated.gz
expect 65 'Is a directory' replay out
absent 'out/results/*'

# Bad events are counted by reason and skipped.
reason() {
  printf '%s\n%s\n' "$good" "$2" >stream.ndjson
  expect 0 "\"$1\":1" replay stream.ndjson
  expect 0 '"learned":1' replay stream.ndjson
}
reason malformed '{"type":"learn","x":[0.1,0.2'
reason malformed 'garbage'
reason unknown_type '{"type":"lern","x":[0.1,0.2],"y":1}'
reason missing_field '{"type":"learn","x":[0.1,0.2]}'
reason wrong_type '{"type":"learn","x":[0.1,"0.2"],"y":1}'
reason wrong_dimension '{"type":"learn","x":[0.1],"y":1}'
reason oversized '{"type":"learn","x":[1,1],"y":1}'
reason oversized '{"type":"learn","x":[1e300,1e300],"y":1}'
reason not_finite '{"type":"learn","x":[1e999,0],"y":1}'
reason label_out_of_range '{"type":"learn","x":[0.1,0.2],"y":3}'
reason wrong_type '{"type":"learn","x":[0.1,0.2],"y":"cat"}'
reason weight_out_of_range '{"type":"learn","x":[0.1,0.2],"y":1,"w":-1}'
reason weight_out_of_range '{"type":"learn","x":[0.1,0.2],"y":1,"w":1.5}'
reason wrong_type '{"type":"learn","x":[0.1,0.2],"y":1,"w":null}'
reason wrong_type '{"type":"learn","x":[0.1,0.2],"y":1,"w":"2"}'
reason not_finite '{"type":"learn","x":[0.1,0.2],"y":1,"w":1e999}'
reason missing_target '{"type":"delete"}'
{ echo "$good"; printf '{"type":"learn","x":['; head -c 100000000 /dev/zero | tr '\0' 1; echo; } >huge.ndjson
expect 0 '"too_large":1' replay huge.ndjson
expect 0 '"learned":1' replay huge.ndjson
rm huge.ndjson

# Receipts.
expect 65 'receipts.ndjson' "$LETHE" receipts list .
expect 65 'no such receipt' "$LETHE" receipts show 00000000-0000-0000-0000-000000000000 out/results
echo garbage >out/results/receipts.ndjson
expect 1 'receipts.ndjson:1' "$LETHE" receipts verify out/results

# The disk.
expect 74 '/dev/full' "$LETHE" generate --events 1000 --out /dev/full
finish
