"""An honest export of receipts and what a forger can make of it, each with the verdict that both
verifiers must give: `lethe receipts verify FILE --key KEY` and `examples/verify.py FILE KEY`.

  forgeries.py LETHE VERIFY.PY FOLDER      tries all of them; the folder is for the files

The export is made here, of entries with the fields that a verifier reads, so that no daemon has to
run. Exit code 1 if a verdict is wrong, or if a verifier shows a traceback.
"""
import subprocess
import sys
from base64 import b64decode, b64encode
from hashlib import sha256
from json import dumps, loads
from pathlib import Path

from nacl.signing import SigningKey

HOLDS, BROKEN, USAGE, INPUT = 0, 1, 64, 65
TYPE = "application/vnd.lethe+json"
ours, theirs = SigningKey(b"o" * 32), SigningKey(b"t" * 32)


def text_of(key):
    return b64encode(bytes(key.verify_key)).decode()


def key_id(key):
    return sha256(bytes(key.verify_key)).hexdigest()


def compact(value):
    return dumps(value, separators=(",", ":"))


def envelope(body, key=ours, claims=None, **changes):
    raw = body.encode()
    signature = key.sign(b"DSSEv1 %d %s %d %s" % (len(TYPE), TYPE.encode(), len(raw), raw)).signature
    by = {"keyid": claims or key_id(key), "sig": b64encode(signature).decode()}
    return compact({"payload": b64encode(raw).decode(), "payloadType": TYPE, "signatures": [by], **changes})


def chain(shard, entries, events=3, state="11111111-0000-4000-8000-000000000001"):
    """The entries of one shard, as text: a notice for every second one."""
    bodies, previous = [], "0" * 64
    for number in range(entries):
        is_receipt = number % 2 == 0
        name = sha256(f"{state} {shard} {number}".encode()).hexdigest()
        uuid = f"{name[:8]}-{name[8:12]}-4{name[13:16]}-8{name[17:20]}-{name[20:32]}"
        entry = {"format": "lethe.receipt/1" if is_receipt else "lethe.notice/1", "receipt": uuid,
                 "state": state, "shard": shard, "previous": previous}
        if is_receipt:
            entry |= {"request": f"r-{number}", "outcome": "forgotten", "events": events, "certified": False}
        else:
            entry |= {"status": "erased"}
        bodies.append(compact(entry))
        previous = sha256(bodies[-1].encode()).hexdigest()
    return bodies


def heads(*chains):
    return compact({"format": "lethe.heads/1", "chains": [
        {"shard": loads(c[0])["shard"], "entries": len(c), "head": sha256(c[-1].encode()).hexdigest()} for c in chains]})


def bodies_of(*chains):
    return [heads(*chains)] + [body for c in chains for body in c]


def changed(line, **changes):
    return compact({**loads(line), **changes})


def resigned(line, **changes):
    """The envelope with other members in its signature."""
    [by] = loads(line)["signatures"]
    return changed(line, signatures=[{**by, **changes}])


def flipped(base64):
    raw = bytearray(b64decode(base64))
    raw[len(raw) // 2] ^= 1
    return b64encode(bytes(raw)).decode()


def cases():
    """(name, lines or bytes or None for a missing file, expected code[, key arguments])"""
    one, two = chain(0, 6), chain(1, 4)
    bodies = bodies_of(one, two)
    good = [envelope(body) for body in bodies]
    lie = bodies_of(chain(0, 6, events=9), chain(1, 4, events=9))
    other = [envelope(body) for body in bodies_of(chain(0, 6, state="0"), chain(1, 4, state="0"))]

    def put(number, *lines):
        return good[:number] + list(lines) + good[number + 1:]

    def payload(number, **changes):
        edited = compact({**loads(bodies[number]), **changes})
        return put(number, changed(good[number], payload=b64encode(edited.encode()).decode()))

    keep = loads(good[3])
    [by] = keep["signatures"]
    yield "the honest export", good, HOLDS
    yield "one honest receipt", good[1:2], HOLDS
    yield "one honest notice", good[2:3], HOLDS
    yield "an honest export of a state without entries", [envelope('{"format":"lethe.heads/1","chains":[]}')], HOLDS

    yield "bare: the honest entries without signatures", bodies[1:], BROKEN
    yield "bare: rewritten and hashed again", lie[1:], BROKEN
    yield "bare: rewritten, with heads", lie, BROKEN
    yield "bare: one receipt", bodies[1:2], BROKEN
    yield "bare: one rewritten receipt", lie[1:2], BROKEN
    yield "empty file", b"", BROKEN
    yield "one end of line", b"\n", BROKEN
    yield "white space only", b" \t\r\n \n", BROKEN
    yield "no JSON", b"certified yes\n", BROKEN
    yield "no text", bytes(range(256)), BROKEN
    yield "JSON that is no object", b"[]\n", BROKEN
    yield "nested too deep", b'{"payloadType":' + b"[" * 100000 + b"\n", BROKEN
    yield "missing file", None, INPUT
    yield "signed heads, bare entries", good[:1] + bodies[1:], BROKEN
    yield "bare heads, signed entries", bodies[:1] + good[1:], BROKEN
    yield "one bare entry in the middle", put(3, bodies[3]), BROKEN
    yield "a bare entry at the end", put(10, bodies[10]), BROKEN
    yield "bare entries after the export", good + bodies[1:2], BROKEN

    yield "no signatures in the envelopes", [changed(line, signatures=[]) for line in good], BROKEN
    yield "no signatures member", [compact({k: v for k, v in loads(line).items() if k != "signatures"}) for line in good], BROKEN
    yield "empty signatures", [resigned(line, sig="") for line in good], BROKEN
    yield "signatures of zeros", [resigned(line, sig=b64encode(bytes(64)).decode()) for line in good], BROKEN
    yield "signatures that are null", [resigned(line, sig=None) for line in good], BROKEN
    yield "signatures with a character that is not Base64", [resigned(line, sig="*" + loads(line)["signatures"][0]["sig"]) for line in good], BROKEN
    yield "no payload type", [compact({k: v for k, v in loads(line).items() if k != "payloadType"}) for line in good], BROKEN
    yield "another payload type", [changed(line, payloadType="text/plain") for line in good], BROKEN
    yield "rewritten, the old signatures kept", [changed(line, payload=b64encode(body.encode()).decode()) for line, body in zip(good, lie)], BROKEN
    yield "rewritten, signed with a foreign key", [envelope(body, theirs) for body in lie], BROKEN
    yield "rewritten, a foreign key that claims to be ours", [envelope(body, theirs, key_id(ours)) for body in lie], BROKEN
    yield "one receipt, signed with a foreign key", [envelope(bodies[1], theirs)], BROKEN
    yield "one receipt, a foreign key that claims to be ours", [envelope(bodies[1], theirs, key_id(ours))], BROKEN
    yield "heads of a foreign key", put(0, envelope(bodies[0], theirs)), BROKEN
    yield "one entry of a foreign key", put(4, envelope(bodies[4], theirs)), BROKEN
    yield "the last entry of a foreign key", put(10, envelope(bodies[10], theirs)), BROKEN
    yield "cut short, with new heads of a foreign key", [envelope(heads(one[:5], two), theirs)] + good[1:6] + good[7:], BROKEN

    yield "field: certified", payload(1, certified=True), BROKEN
    yield "field: events", payload(3, events=4), BROKEN
    yield "field: request", payload(3, request="r-9"), BROKEN
    yield "field: outcome of the last receipt", payload(9, outcome="nothing_learned"), BROKEN
    yield "field: previous", payload(4, previous="0" * 64), BROKEN
    yield "field: shard", payload(6, shard=1), BROKEN
    yield "field: entries of a head", payload(0, chains=[]), BROKEN
    yield "white space in a payload", put(3, changed(good[3], payload=b64encode(bodies[3].encode() + b" ").decode())), BROKEN
    yield "the payload of another entry", put(3, changed(good[3], payload=loads(good[5])["payload"])), BROKEN
    yield "the signature of another entry", put(3, changed(good[3], signatures=loads(good[5])["signatures"])), BROKEN
    yield "one bit of a payload", put(3, changed(good[3], payload=flipped(keep["payload"]))), BROKEN
    yield "one bit of a signature", put(3, resigned(good[3], sig=flipped(by["sig"]))), BROKEN
    yield "one bit of the last payload", put(10, changed(good[10], payload=flipped(loads(good[10])["payload"]))), BROKEN
    yield "two signatures, the first foreign", put(3, changed(good[3], signatures=loads(envelope(bodies[3], theirs))["signatures"] + [by])), BROKEN
    lying = compact({"payload": b64encode(lie[3].encode()).decode()})[1:-1]
    yield "two payloads, the first one forged", put(3, "{" + lying + "," + good[3][1:]), BROKEN
    yield "two payloads, the last one forged", put(3, good[3][:-1] + "," + lying + "}"), BROKEN

    yield "without its heads", good[1:], BROKEN
    yield "one chain without its heads", good[1:7], BROKEN
    yield "two entries without heads", good[1:3], BROKEN
    yield "heads alone", good[:1], BROKEN
    yield "without its last entry", good[:-1], BROKEN
    yield "without the last entry of the first chain", good[:6] + good[7:], BROKEN
    yield "without the first entry", good[:1] + good[2:], BROKEN
    yield "without one in the middle", good[:3] + good[4:], BROKEN
    yield "without the first chain", good[:1] + good[7:], BROKEN
    yield "without the second chain", good[:7], BROKEN
    yield "heads and one entry", good[:2], BROKEN
    yield "cut in the middle of a line", "\n".join(good).encode()[:-20], BROKEN
    yield "the first 100 bytes", "\n".join(good).encode()[:100], BROKEN

    yield "two neighbours changed places", put(2, good[3])[:3] + [good[2]] + good[4:], BROKEN
    yield "in reverse order", good[:1] + good[:0:-1], BROKEN
    yield "heads at the end", good[1:] + good[:1], BROKEN
    yield "heads in the middle", good[1:5] + good[:1] + good[5:], BROKEN
    yield "one entry twice", good[:4] + good[3:], BROKEN
    yield "the last entry twice", good + good[-1:], BROKEN
    yield "heads twice", good[:1] + good, BROKEN
    yield "everything twice", good + good, BROKEN
    yield "one receipt twice", good[1:2] * 2, BROKEN

    older = [envelope(body) for body in bodies_of(one[:4], two)]
    yield "older heads, newer entries", older[:1] + good[1:], BROKEN
    yield "newer heads, older entries", good[:1] + older[1:], BROKEN
    yield "heads of another state", other[:1] + good[1:], BROKEN
    yield "entries of another state", good[:1] + other[1:], BROKEN
    yield "one chain of another state", good[:7] + other[7:], BROKEN
    yield "a chain of another state in front", good[:1] + other[1:7] + good[1:], BROKEN
    yield "a chain of another state behind", good + other[1:7], BROKEN
    yield "a chain that no head announces", good + [envelope(body) for body in chain(7, 2)], BROKEN
    yield "one receipt of another state in the middle", good[:4] + other[3:4] + good[4:], BROKEN

    yield "key: foreign", good, BROKEN, text_of(theirs)
    yield "key: foreign, one receipt", good[1:2], BROKEN, text_of(theirs)
    yield "key: file", good, HOLDS, b"%s\n" % text_of(ours).encode()
    several = compact({"format": "lethe.keys/1", "keys": [{"public": text_of(theirs)}, {"public": text_of(ours)}]})
    yield "key: one of several", good, HOLDS, several.encode()
    yield "key: no file", good, INPUT, "no-such-key"
    yield "key: a folder", good, INPUT, "."
    yield "key: empty file", good, INPUT, b""
    yield "key: a file of something else", good, INPUT, b"ssh-ed25519 AAAA\n"
    yield "key: a file that is no text", good, INPUT, bytes(range(256))
    yield "key: JSON without keys", good, INPUT, b'{"keys":[]}'
    yield "key: JSON of something else", good, INPUT, b'{"keys":[{"public":7}]}'
    yield "key: too short", good, INPUT, text_of(ours)[:-4]
    yield "key: too long", good, INPUT, text_of(ours) + "AAAA"
    yield "key: an empty word", good, INPUT, ""
    # A script whose variable is not set.
    yield "key: an empty word for a rewritten chain", lie[1:], INPUT, ""
    yield "key: none", good, USAGE, None

    # What nothing authenticates, and what changes nothing that is believed.
    yield "allowed: the id of another key", put(3, resigned(good[3], keyid=key_id(theirs))), HOLDS
    yield "allowed: an id that is none", put(3, resigned(good[3], keyid="")), HOLDS
    yield "allowed: white space between members", put(3, dumps(keep, indent=None)), HOLDS
    yield "allowed: members in another order", put(3, compact(dict(reversed(keep.items())))), HOLDS
    yield "allowed: a member more", put(3, changed(good[3], note="x")), HOLDS
    yield "allowed: lines that end with CR LF", "\r\n".join(good).encode(), HOLDS
    yield "allowed: empty lines", ("\n\n".join(good) + "\n\n").encode(), HOLDS
    yield "allowed: chains in turns", good[:3] + good[7:9] + good[3:7] + good[9:], HOLDS


def main(lethe, verify, folder):
    lethe, verify = str(Path(lethe).resolve()), str(Path(verify).resolve())
    wrong = accepted = forgeries = 0
    file, key_file = Path(folder) / "case.dsse", Path(folder) / "case.key"
    for name, content, expected, *key in cases():
        file.unlink(missing_ok=True)
        if content is not None:
            file.write_bytes(content if isinstance(content, bytes) else "".join(f"{line}\n" for line in content).encode())
        key = key[0] if key else text_of(ours)
        if isinstance(key, bytes):
            key_file.write_bytes(key)
            key = str(key_file)
        forgeries += expected == BROKEN
        for program, command in [
            ("lethe", [lethe, "receipts", "verify", str(file)] + ([] if key is None else ["--key", key])),
            ("verify.py", [sys.executable, verify, str(file)] + ([] if key is None else [key])),
        ]:
            done = subprocess.run(command, capture_output=True, timeout=60, cwd=folder)
            said = (done.stdout + done.stderr).decode(errors="replace")
            accepted += expected == BROKEN and done.returncode == 0
            if done.returncode != expected or "Traceback" in said or not said.strip():
                wrong += 1
                print(f"FAIL: {program}: {name}: exit code {done.returncode}, not {expected}: {said.strip()[-200:]!r}")
    done = subprocess.run([sys.executable, verify], capture_output=True)
    if done.returncode != USAGE or b"Traceback" in done.stderr:
        wrong += 1
        print(f"FAIL: verify.py without arguments: exit code {done.returncode}")
    print(f"{forgeries} forgeries, {accepted} accepted by one program or the other; {wrong} verdicts are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
