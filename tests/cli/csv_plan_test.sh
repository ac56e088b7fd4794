#!/usr/bin/env bash
# From a table to a stream, and from a configuration to a plan that a replay keeps.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
start_empty
quickstart=$LETHE_SOURCE_DIR/configs/quickstart.yaml
from_csv() { "$LETHE" generate --csv table.csv --label class --positive up --out out.ndjson "$@"; }

# 600 rows: two features that tell the class, a name, a note, a number to predict.
awk 'BEGIN {
  print "size,weight,user,note,price,class"
  for (i = 0; i < 600; i++) {
    a = (i * 37 % 100) / 10; b = 50 + (i * 53 % 100)
    printf "%g,%g,u%d,\"a, \"\"b\"\"\",%g,%s\r\n", a, b, i % 20, a * 10 - b, (a * 10 > b - 50) ? "up" : "down"
  }
}' >table.csv

# Bad words on the command line.
expect 64 '--label' "$LETHE" generate --csv table.csv --positive up
expect 64 '--positive' "$LETHE" generate --csv table.csv --label class
expect 64 '--positive' "$LETHE" generate --csv table.csv --label price --task regression --positive up
expect 64 '--csv' "$LETHE" generate --label class
expect 64 '--csv' "$LETHE" generate --scale-rows 100
expect 64 '--dimension' from_csv --dimension 3
expect 64 '--scale' from_csv --scale-rows 10 --scale scale.json
expect 64 '--scale-rows' from_csv --scale-rows 1
expect 64 '--clip needs' from_csv --clip 2
expect 64 '--subject' from_csv --pattern subject
expect 64 '--subject' from_csv --subjects 10 --subject-column user
expect 64 'finite' from_csv --missing nan
expect 64 'twice' bash -c "'$LETHE' generate --csv - --label class --positive up --pattern burst"

# Bad tables: the place, and nothing half-written.
expect 65 'absent.csv' "$LETHE" generate --csv absent.csv --label class --positive up --out out.ndjson
expect 65 'did you mean class' "$LETHE" generate --csv table.csv --label clas --positive up --out out.ndjson
expect 65 'table.csv, line 2, column user: is not a finite number' from_csv --drop note
expect 65 'no row has the value of --positive' "$LETHE" generate --csv table.csv --label class \
  --positive Up --drop note --drop user --out out.ndjson
expect 65 '--scale-rows asks for 601' from_csv --drop note --drop user --scale-rows 601
expect 65 'scale.json' from_csv --drop note --drop user --scale scale.json
expect 65 '--label-scale' "$LETHE" generate --csv table.csv --label price --task regression --drop note \
  --drop user --drop class --out out.ndjson
gzip <table.csv | head -c 300 >cut.csv.gz
expect 65 'cut.csv.gz' "$LETHE" generate --csv cut.csv.gz --label class --positive up --drop note \
  --drop user --out out.ndjson
absent 'out.ndjson*'

# A table becomes a stream; packed or piped, it is the same stream.
columns=(--drop note --drop price --subject-column user --scale-rows 100)
expect 0 'model.dimension: 3' from_csv "${columns[@]}" --deletions 0.02
expect 0 '600' grep -c '"type":"learn"' out.ndjson
expect 0 '"subject":"u7"' sed -n 8p out.ndjson
gzip -k table.csv
"$LETHE" generate --csv table.csv.gz --label class --positive up "${columns[@]}" --deletions 0.02 2>/dev/null |
  cmp - out.ndjson || failures=$((failures + 1))
"$LETHE" generate --csv - --label class --positive up "${columns[@]}" --deletions 0.02 <table.csv 2>/dev/null |
  cmp - out.ndjson || failures=$((failures + 1))
printf 'model: {dimension: 3, lambda: 0.003, radius: 20}\nlearning: {eta: 4}\n' >config.yaml
expect 0 '"learned":600' "$LETHE" replay out.ndjson --config config.yaml --json
expect 0 '"rejected":{}' "$LETHE" replay out.ndjson --config config.yaml --json
for pattern in recent oldest burst subject; do
  expect 0 '' from_csv "${columns[@]}" --pattern $pattern --deletions 0.02 --format envelopes
  expect 0 '"rejected":{}' "$LETHE" replay out.ndjson --config config.yaml --json
done
expect 0 'model.dimension: 2' "$LETHE" generate --csv table.csv --label price --label-scale 200 \
  --task regression --drop note --drop user --drop class --out out.ndjson
expect 0 'remembers what was deleted' "$LETHE" generate --help

# Plans of bad configurations.
expect 64 'FILE' "$LETHE" plan
expect 64 '--events' "$LETHE" plan "$quickstart" --events 1
expect 78 'No such file' "$LETHE" plan absent.yaml
printf 'model: {dimension: 2}\nlearning: {eta: 100}\n' >bad.yaml
expect 78 'bad.yaml: learning.eta' "$LETHE" plan bad.yaml
printf 'model: {dimension: 2, radius: 2}\nforgetting: {mode: active}\n' >refused.yaml
expect 0 'refused: forgetting.active.variant' "$LETHE" plan refused.yaml

# A plan, and the replay that keeps it: 500 events, then one deletion of age 10.
expect 0 'half of an event' "$LETHE" plan "$quickstart"
expect 0 'deadline: 1000' "$LETHE" plan "$quickstart"
"$LETHE" generate --events 500 --deletions 0 --out learn.ndjson
{ cat learn.ndjson; echo '{"type":"delete","id":"e-489","request":"r-1"}'; } >one.ndjson
printf 'model: {dimension: 20, lambda: 0.01, radius: 12}\nforgetting: {mode: passive, shrink: "off"}\n' >passive.yaml
"$LETHE" replay one.ndjson --config passive.yaml --out one --json >/dev/null
planned=$("$LETHE" plan passive.yaml --events 500 --json | grep -o '"age":10,[^}]*"share' | grep -o '"sigma":[^,]*')
drawn=$(grep -o '"sigma":[^,]*' one/receipts.ndjson)
expect 0 'agree' awk -v a="${planned#*:}" -v b="${drawn#*:}" \
  'BEGIN { print (a > 0 && (a - b) ^ 2 < (1e-9 * b) ^ 2) ? "agree" : a " planned, " b " drawn" }'
finish
