#!/usr/bin/env bash
# What used to go wrong without a word: closed standard files, refused events, files that others can
# read, references that forge lines.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
start_empty
printf 'model: {dimension: 2}\nnoise: {source: seeded, seed: 1}\n' >two.yaml
printf '%s\n' '{"type":"learn","id":"e-1","key":"u","x":[0.1,0.2],"y":1}' \
  '{"type":"learn","id":"e-2","key":"v","x":[0.1,0.2,0.3],"y":1}' \
  '{"type":"learn","id":"e-3","key":"v","x":[0.3,0.2],"y":-1}' >some.ndjson

# With standard error closed, nothing that is said goes into a file of the state.
cat >run.yaml <<'YAML'
model: {dimension: 2}
source: {kafka: {brokers: "127.0.0.1:1", topic: events}}
state: {path: closed}
http: {listen: "127.0.0.1:0"}
YAML
expect 69 '' bash -c "'$LETHE' run --config run.yaml --fail-fast 2>&-"
expect 0 '' test -e closed/lock
expect 0 '' test ! -s closed/lock

# Nothing learned is nothing certified.
printf 'model: {dimension: 7}\n' >seven.yaml
expect 65 '3 of 3 records were refused' "$LETHE" replay some.ndjson --config seven.yaml --out nothing
expect 65 'certified   no' "$LETHE" replay some.ndjson --config seven.yaml
expect 0 '"certified":false,"why_not":["nothing was learned' cat nothing/summary.json

# Members that an event does not have are counted: here "key", which belongs around an event.
expect 0 'ignored     2 members' "$LETHE" replay some.ndjson --config two.yaml
expect 0 '"unknown_members":2' "$LETHE" replay some.ndjson --config two.yaml --json
printf '%s\n' '{"type":"learn","id":"e-1","x":[0.1,0.2],"y":1,"weight":2,"my-secret":3}' >weight.ndjson
expect 0 '"unknown_members":2' "$LETHE" replay weight.ndjson --config two.yaml --json
expect 0 '' bash -c "'$LETHE' replay weight.ndjson --config two.yaml 2>&1 | { ! grep my-secret; }"

# A comparison says what it left out.
expect 0 '1 of 3 records were refused: 1 wrong_dimension' \
  "$LETHE" compare some.ndjson --config two.yaml --modes passive,none
expect 0 '"rejected":{"wrong_dimension":1}' \
  "$LETHE" compare some.ndjson --config two.yaml --modes passive --json

# An open port without a token is said before the start.
printf 'model: {dimension: 2}\nhttp: {listen: "0.0.0.0:9464"}\n' >open.yaml
expect 0 'can be reached by other machines' "$LETHE" check open.yaml
expect 0 'can be reached by other machines' "$LETHE" check open.yaml --json
expect 0 '' bash -c "'$LETHE' check two.yaml | { ! grep 'other machines'; }"

# Streams are personal data: a converted one is its owner's, whatever the umask.
umask 022
expect 0 '' "$LETHE" convert some.ndjson some.lethe
expect 0 '600' stat -c %a some.lethe
expect 0 '' "$LETHE" convert some.lethe again.ndjson
expect 0 '600' stat -c %a again.ndjson

# A secret that everybody can read is none.
echo secret >token
chmod 644 token
expect 65 'every user of this machine' "$LETHE" model export http://127.0.0.1:1 --token-file token
chmod 640 token
expect 69 '' "$LETHE" model export http://127.0.0.1:1 --token-file token

# The reference of a request is one cell of one row.
printf '%s\n' '{"type":"learn","id":"e-1","key":"u","x":[0.1,0.2],"y":1}' \
  '{"type":"delete","id":"e-1","key":"u","request":"r\n00000000-0000-4000-8000-000000000000  forgotten  1  yes  0.1  r-9\u001b[2J"}' \
  >forged.ndjson
expect 0 '' "$LETHE" replay forged.ndjson --config two.yaml --out forged
expect 0 'r\u000a00000000' "$LETHE" receipts list forged
expect 0 '2' bash -c "'$LETHE' receipts list forged | wc -l"
expect 0 '' bash -c "! '$LETHE' receipts list forged | grep -q \$'\\x1b'"
finish
