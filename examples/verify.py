#!/usr/bin/env python3
"""Verifies an export of receipts, or one receipt in its envelope, without Lethe. Needs PyNaCl.

  verify.py receipts.dsse PUBLIC-KEY...      the keys in Base64, from `lethe receipts key`

Exit code 0 if every signature is right, every entry follows the one before, and none is missing.
"""
import sys
from base64 import b64decode
from hashlib import sha256
from json import loads

from nacl.signing import VerifyKey

keys = {sha256(key).hexdigest(): VerifyKey(key) for key in map(b64decode, sys.argv[2:])}
bodies = []
for line in open(sys.argv[1], "rb").read().splitlines():
    envelope = loads(line)
    kind, body, [by] = envelope["payloadType"].encode(), b64decode(envelope["payload"]), envelope["signatures"]
    keys[by["keyid"]].verify(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body), b64decode(by["sig"]))
    bodies.append(body)
first, found = loads(bodies[0]), {}
if first["format"] == "lethe.heads/1":  # an export: whole chains
    for body in bodies[1:]:
        entry = loads(body)
        number, head = found.get(entry["shard"], (0, "0" * 64))
        if entry["previous"] != head:
            sys.exit("an entry is missing, changed or out of order")
        found[entry["shard"]] = (number + 1, sha256(body).hexdigest())
    if found != {chain["shard"]: (chain["entries"], chain["head"]) for chain in first["chains"]}:
        sys.exit("entries are missing at the end")
elif len(bodies) > 1:
    sys.exit("the beginning is missing")
print("holds")
