#!/usr/bin/env bash
# docs/quickstart.md, word for word: its blocks are run in their order against the real broker. Only
# the two addresses are replaced.
set -euo pipefail
source "$LETHE_SOURCE_DIR/tests/cli/support.sh"
set -e
start_empty
broker=$(<"$LETHE_BROKER_DIR/address")
port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

mkdir bin
ln -s "$LETHE" bin/lethe
printf '#!/bin/sh\nexec bash "%s" topics "$@"\n' "$LETHE_SOURCE_DIR/tests/broker/broker.sh" >bin/kafka-topics.sh
chmod +x bin/kafka-topics.sh

# Every block that is marked as a shell's, as it stands.
awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' \
  "$LETHE_SOURCE_DIR/docs/quickstart.md" >blocks.sh
[[ $(wc -l <blocks.sh) -gt 40 ]]
{
  echo 'set -euo pipefail'
  echo 'trap "kill \$(jobs -p) 2>/dev/null || true" EXIT'
  sed "s/localhost:9092/$broker/g; s/9464/$port/g" blocks.sh
} >quickstart.sh

start=$SECONDS
status=0
PATH=$PWD/bin:$PATH timeout 500 bash quickstart.sh >said.txt 2>&1 || status=$?
if [[ $status -ne 0 ]]; then
  echo "exit code $status"
  tail -20 said.txt lethe.log
  exit 1
fi
for text in 'certified   yes' '"status":"ready"' '"predictions":[' 'rtbf-2291' 'the state agrees' \
  'every signature is right'; do
  grep -qF "$text" said.txt || { echo "FAIL: no $text in"; cat said.txt; exit 1; }
done
grep -q '"outcome":"forgotten"' said.txt
grep -q 'Certificate of forgetting' certificate.html
grep -q 'stopped cleanly' lethe.log
for topic in people people-receipts people-models; do
  bin/kafka-topics.sh --bootstrap-server "$broker" --delete --topic "$topic" >/dev/null
done
echo "the quickstart took $((SECONDS - start)) seconds"
