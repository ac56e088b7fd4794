#!/usr/bin/env python3
"""Verifies an export of receipts, or one receipt in its envelope, without Lethe. Needs PyNaCl.

  verify.py receipts.dsse PUBLIC-KEY...

A key is Base64 as `lethe receipts key` prints it, or a file with that or with lethe.keys/1.
Exit codes are those of `lethe receipts verify`: 0 if every line is signed with one of the keys,
every entry follows the one before, and none is missing; 1 if not; 64 without a file and a key;
65 if one of them cannot be read; 69 without PyNaCl.
"""
import sys
from base64 import b64decode, b64encode
from hashlib import sha256
from json import loads

try:
    from nacl.exceptions import BadSignatureError
    from nacl.signing import VerifyKey
except ImportError:
    print("verify.py: needs PyNaCl: apt install python3-nacl, or pip install pynacl", file=sys.stderr)
    sys.exit(69)

TYPE = b"application/vnd.lethe+json"


class Stop(Exception):
    """Why it ends: an exit code and a sentence."""


def members(pairs):
    """An object of JSON. Of a member that is there twice, readers differ in which one they take."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member is there twice")
    return found


def base64(text):
    raw = b64decode(text, validate=True)
    if b64encode(raw).decode() != text:
        raise ValueError("not the Base64 of anything")
    return raw


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise Stop(65, f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}")


def keys_of(word):
    """The keys of an argument: Base64 itself, or a file with one or with several."""
    try:
        return [VerifyKey(base64(word))]
    except (ValueError, TypeError):
        text = read(word)
    try:
        text = text.decode().strip()
        texts = [key["public"] for key in loads(text)["keys"]] if text.startswith("{") else [text]
        keys = [VerifyKey(base64(text)) for text in texts]
    except (ValueError, TypeError, KeyError, RecursionError):
        keys = []
    if not keys:
        raise Stop(65, f"{word}: holds no public key: lethe receipts key prints it")
    return keys


def body_of(line, keys):
    """The bytes that were signed. The keyid of the envelope is not: every key is tried."""
    try:
        envelope = loads(line, object_pairs_hook=members)
        body, [by] = base64(envelope["payload"]), envelope["signatures"]
        kind, signature = envelope["payloadType"].encode(), base64(by["sig"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise Stop(1, "is not an envelope with one signature")
    if kind != TYPE:
        raise Stop(1, "is not an envelope of Lethe")
    for key in keys:
        try:
            key.verify(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body), signature)
            return body
        except (BadSignatureError, ValueError):
            pass
    raise Stop(1, "none of the keys given has signed this: it was changed, or signed with another key")


def follow(entries, announced):
    """Whole chains, which an export is: nothing is missing, twice or out of order."""
    found = {}
    for number, body in entries:
        entry = loads(body)
        if entry["format"] not in ("lethe.receipt/1", "lethe.notice/1"):
            raise Stop(1, f"line {number}: neither a receipt nor a notice")
        count, head = found.get(entry["shard"], (0, "0" * 64))
        if entry["previous"] != head:
            raise Stop(1, f"line {number}: an entry is missing, changed or out of order")
        found[entry["shard"]] = (count + 1, sha256(body).hexdigest())
    if found != {chain["shard"]: (chain["entries"], chain["head"]) for chain in announced}:
        raise Stop(1, "entries are missing at the end, or a chain is not the one announced")


def verify(path, words):
    keys = [key for word in words for key in keys_of(word)]
    bodies = []
    for number, line in enumerate(read(path).removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            bodies.append((number, body_of(line, keys)))
        except Stop as stop:
            raise Stop(stop.args[0], f"line {number}: {stop.args[1]}")
    if not bodies:
        raise Stop(1, "holds nothing that is signed")
    try:
        first = loads(bodies[0][1])
        if first["format"] == "lethe.heads/1":
            follow(bodies[1:], first["chains"])
            return f"holds: {len(bodies) - 1} entries, all signed, none missing"
        if len(bodies) > 1:
            raise Stop(1, "line 1: the signed heads, with which an export begins, are missing")
        if first["format"] not in ("lethe.receipt/1", "lethe.notice/1"):
            raise Stop(1, "line 1: neither a receipt nor a notice")
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Stop(1, "what is signed is no receipt")
    return "holds: 1 entry, signed (its place in the chain cannot be told from it alone)"


if __name__ == "__main__":
    try:
        if len(sys.argv) < 3:
            raise Stop(64, "usage: verify.py FILE PUBLIC-KEY...")
        print(verify(sys.argv[1], sys.argv[2:]))
    except Stop as stop:
        print(f"verify.py: {stop.args[1]}", file=sys.stderr)
        sys.exit(stop.args[0])
