#!/usr/bin/env bash
# What a new user does: generate, check, replay, look at the receipts, verify them.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
start_empty
config=$LETHE_SOURCE_DIR/configs/quickstart.yaml

expect 0 '' "$LETHE" generate --events 2000 --subjects 50 --deletions 0.01 --out events.ndjson.gz
expect 0 'certified   yes' "$LETHE" check "$config"
expect 0 'lambda' "$LETHE" config "$config"
expect 0 'certified   yes' "$LETHE" replay events.ndjson.gz --config "$config" --out results
for file in summary.json receipts.ndjson notices.ndjson model.json series.csv; do
  expect 0 '' test -f "results/$file"
done
expect 0 'forgotten' "$LETHE" receipts list results
expect 0 'r-3 was served' "$LETHE" receipts show --request r-3 results
expect 0 'holds' "$LETHE" receipts verify results
expect 0 '"holds":true' "$LETHE" receipts verify results --json
sed -i '2s/forgotten/forgottem/' results/receipts.ndjson
expect 1 'receipts.ndjson:3' "$LETHE" receipts verify results

# The standard input, and a pipe that closes early.
expect 0 '"learned":2000' bash -c "zcat events.ndjson.gz | '$LETHE' replay - --config '$config' --json"
expect 0 '"type":"learn"' bash -c "'$LETHE' generate --events 1000000 2>/dev/null | head -1"

# Ctrl-C stops cleanly and leaves nothing behind.
mkfifo slow.ndjson
(for i in {1..100}; do echo "{\"type\":\"learn\",\"x\":[],\"y\":1}"; sleep 0.05; done >slow.ndjson) &
"$LETHE" replay slow.ndjson --config "$config" --out interrupted 2>message.txt &
sleep 0.5
kill -INT $!
wait $!
status=$?
expect 0 '' test "$status" -eq 130
expect 0 'interrupted' cat message.txt
absent 'interrupted/*'
kill %1 2>/dev/null

# So it does while it waits for an input that says nothing: standard input, a file, a conversion.
# stopped COMMAND...: interrupted once, while blocked.
mkfifo silent.lethe
exec 9<>silent.lethe
stopped() {
  local process watchdog
  "$@" <&0 2>message.txt &
  process=$!
  sleep 0.5
  kill -INT $process
  # One that does not stop is killed, so that the test fails instead of hanging.
  (sleep 10 && kill -KILL $process) 2>/dev/null &
  watchdog=$!
  wait $process
  status=$?
  kill $watchdog
  expect 0 '' test "$status" -eq 130
  expect 0 'interrupted while reading' cat message.txt
}
stopped "$LETHE" replay - --config "$config" --out silent <silent.lethe
stopped "$LETHE" replay silent.lethe --config "$config" --out silent
stopped "$LETHE" convert silent.lethe copy.lethe
printf '\xb1LETHE\r\n' >&9 # the beginning of a binary recording, and no more
stopped "$LETHE" convert silent.lethe copy.lethe
exec 9>&-
absent 'silent/*'
absent 'copy.lethe*'
finish
