#!/usr/bin/env bash
# The receipts of a demo: `receipts verify` and examples/verify.py accept them, and reject whatever
# was done to them.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
start_empty
# Debian's Python has PyNaCl from python3-nacl.
python=/usr/bin/python3
"$python" -c 'import nacl' 2>/dev/null || {
  echo "python3-nacl is missing"
  exit 77
}

"$LETHE" demo --port 0 --keep demo >demo.txt 2>&1 &
demo=$!
trap 'kill -KILL $demo 2>/dev/null' EXIT
for ((i = 0; i < 600; ++i)); do
  "$LETHE" receipts list demo/state --json >listed.ndjson 2>/dev/null
  [[ $(grep -c '"forgotten"' listed.ndjson) -ge 3 ]] && break
  sleep 0.2
done
expect 0 'the state agrees' "$LETHE" receipts verify demo/state # while it runs
kill -INT $demo
wait $demo
expect 0 '' test $? -eq 0

key=$("$LETHE" receipts key demo/state)
expect 0 '600' stat -c %a demo/state/signing-key
expect 0 "$key" "$LETHE" receipts key demo/state --json
"$LETHE" receipts key demo/state --json >keys.json
expect 0 'signed with key' "$LETHE" receipts export demo/state --out good.dsse
other_key=$("$python" -c 'import base64, nacl.signing as s; print(base64.b64encode(bytes(s.SigningKey.generate().verify_key)).decode())')

# verdict EXIT_CODE FILE [KEY]: of both programs.
verdict() {
  local code=$1 file=$2 trusted=${3:-$key}
  expect "$code" '' "$LETHE" receipts verify "$file" --key "$trusted"
  if [[ $code -eq 0 ]]; then
    expect 0 holds "$python" "$LETHE_SOURCE_DIR/examples/verify.py" "$file" "$trusted"
  else
    expect 0 '' bash -c "! '$python' '$LETHE_SOURCE_DIR/examples/verify.py' '$file' '$trusted'"
  fi
}

verdict 0 good.dsse
expect 0 'every signature is right' "$LETHE" receipts verify good.dsse --key keys.json
expect 0 'the state agrees' "$LETHE" receipts verify good.dsse --key "$key" --state demo/state
expect 64 '--key' "$LETHE" receipts verify good.dsse
lines=$(wc -l <good.dsse)
expect 0 '' test "$lines" -ge 5

verdict 1 good.dsse "$other_key"
for ((line = 1; line <= lines; ++line)); do
  # One byte of the payload, of the signature, and of the line as it stands.
  "$python" - "$line" <<'PYTHON'
import base64, json, sys
lines = open("good.dsse").read().splitlines()
number = int(sys.argv[1]) - 1
def write(name, text):
    open(name, "w").write("\n".join(lines[:number] + [text] + lines[number + 1:]) + "\n")
def flipped(text):
    raw = bytearray(base64.b64decode(text))
    raw[len(raw) // 2] ^= 1
    return base64.b64encode(bytes(raw)).decode()
envelope = json.loads(lines[number])
write("payload.dsse", json.dumps({**envelope, "payload": flipped(envelope["payload"])}))
[by] = envelope["signatures"]
write("signature.dsse", json.dumps({**envelope, "signatures": [{**by, "sig": flipped(by["sig"])}]}))
middle = len(lines[number]) // 2
byte = "A" if lines[number][middle] != "A" else "B"
write("byte.dsse", lines[number][:middle] + byte + lines[number][middle + 1:])
PYTHON
  for what in payload signature byte; do verdict 1 "$what.dsse"; done
  sed "${line}d" good.dsse >removed.dsse
  verdict 1 removed.dsse
  head -n "$line" good.dsse >cut.dsse
  [[ $line -eq $lines ]] || verdict 1 cut.dsse
done
# Two entries of the same chain, which stand next to each other in an export.
sed '2{h;d};3{G}' good.dsse >swapped.dsse
verdict 1 swapped.dsse
head -c -20 good.dsse >truncated.dsse
verdict 1 truncated.dsse
head -c 100 good.dsse >truncated.dsse
verdict 1 truncated.dsse

# One receipt on its own, as it is filed.
uuid=$(grep -m1 '"forgotten"' listed.ndjson | sed 's/.*"receipt":"\([^"]*\)".*/\1/')
"$LETHE" receipts show "$uuid" demo/state --envelope >one.dsse
verdict 0 one.dsse
verdict 1 one.dsse "$other_key"
expect 0 "$uuid" "$LETHE" receipts show "$uuid" good.dsse
expect 0 'Certificate of forgetting' "$LETHE" receipts show "$uuid" demo/state --html

# A state that disagrees with an export of another one.
"$LETHE" demo --port 0 --seconds 3 --keep other >/dev/null 2>&1
expect 1 'is not in the chain' "$LETHE" receipts verify good.dsse --key "$key" --state other/state
expect 65 'not signed' "$LETHE" receipts export . --out nothing.dsse
absent nothing.dsse

# After a rotation the old key is retired, and what it signed can still be verified.
chmod 644 demo/state/signing-key
expect 65 'can be read by others' "$LETHE" receipts key demo/state
chmod 600 demo/state/signing-key
# Any seed is a key: a changed one is found by the checksum of the file.
expect 0 'holds' "$LETHE" state verify demo/state
cp demo/state/signing-key whole-key
sed -i '2s/^\(.....\)./\1+/' demo/state/signing-key
cmp -s demo/state/signing-key whole-key && sed -i '2s/^\(.....\)./\1A/' demo/state/signing-key
expect 65 'signing-key is damaged' "$LETHE" receipts key demo/state
expect 65 'signing-key is damaged' "$LETHE" receipts export demo/state --out nothing.dsse
expect 1 'signing-key is damaged' "$LETHE" state verify demo/state
cat whole-key >demo/state/signing-key
expect 0 'is retired' "$LETHE" receipts rotate-key demo/state
expect 0 "$key" "$LETHE" receipts key demo/state --json
expect 0 '' test "$("$LETHE" receipts key demo/state)" != "$key"
"$LETHE" receipts key demo/state --json >keys.json
expect 0 'every signature is right' "$LETHE" receipts verify good.dsse --key keys.json
expect 0 'signed with key' "$LETHE" receipts export demo/state --out new.dsse
verdict 1 new.dsse "$key"
verdict 0 new.dsse "$("$LETHE" receipts key demo/state)"
finish
