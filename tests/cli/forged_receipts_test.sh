#!/usr/bin/env bash
# Forged receipts: `receipts verify` and examples/verify.py give the same, right verdict on each.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
start_empty
# Debian's Python has PyNaCl from python3-nacl.
python=/usr/bin/python3
"$python" -c 'import nacl' 2>/dev/null || {
  echo "python3-nacl is missing"
  exit 77
}
exec "$python" "$LETHE_SOURCE_DIR/tests/cli/forgeries.py" "$LETHE" \
  "$LETHE_SOURCE_DIR/examples/verify.py" "$PWD"
