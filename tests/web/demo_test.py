#!/usr/bin/env python3
"""`lethe demo` at the command line: what it prints, how it ends, and what it leaves behind."""
import json
import os
import re
import shutil
import subprocess
import time
import urllib.request

from demo import Demo

LETHE = os.environ["LETHE"]
TEMPORARY = os.path.abspath("temporary")


def run(*flags):
    done = subprocess.run([LETHE, "demo", *flags], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def get(url):
    with urllib.request.urlopen(url, timeout=30) as reply:
        return json.load(reply)


def wait(what, condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < deadline, f"waited in vain: {what}")
        time.sleep(0.2)


def ends_by_itself():
    code, said = run("--seconds", "3", "--port", "0")
    check(code == 0, said)
    for word in ("http://127.0.0.1:", "/v1/forget", "kcat", "stopped cleanly"):
        check(word in said, f"no {word} in: {said}")
    check("level=warning" not in said, said)
    check(not os.listdir(TEMPORARY), "the temporary folder was left behind")


def a_request_by_curl_is_served():
    with Demo() as demo:
        wait("events", lambda: get(demo.url + "v1/status")["totals"]["learned"] > 500)
        somebody = get(demo.url + "v1/status")["forget"]["suggestions"][0]
        request = urllib.request.Request(
            demo.url + "v1/forget", json.dumps({"subject": somebody, "request": "mine"}).encode(),
            {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as reply:
            check(reply.status == 202 and json.load(reply)["request"] == "mine", "not accepted")

        def mine():
            receipts = get(demo.url + "v1/receipts")["receipts"]
            return [r for r in receipts if r["request"] == "mine"]
        wait("its receipt", mine)
        check(mine()[0]["outcome"] == "forgotten" and mine()[0]["certified"], str(mine()))
        wait("its erasure", lambda: mine()[0]["status"] == "erased" and mine()[0]["erased"])
        people = get(demo.url + "v1/status")["forget"]["suggestions"]
        check(somebody not in people, "who asked still sends events")
        check(len(os.listdir(TEMPORARY)) == 1, "no temporary folder")
    check(not os.listdir(TEMPORARY), "the temporary folder was left behind after Ctrl-C")


def another_terminal_can_ask():
    with Demo() as demo:
        config = re.search(r"--config (\S+)", demo.said())[1]
        somebody = get(demo.url + "v1/status")["forget"]["suggestions"][1]
        wait("events", lambda: get(demo.url + "v1/status")["totals"]["learned"] > 500)
        done = subprocess.run([LETHE, "forget", somebody, "--config", config, "--request", "r-1",
                               "--wait", "--timeout", "90"], capture_output=True, text=True, timeout=120)
        check(done.returncode == 0, done.stdout + done.stderr)
        receipts = get(demo.url + "v1/receipts")["receipts"]
        check(any(r["request"] == "r-1" and r["outcome"] == "forgotten" for r in receipts),
              str(receipts))


def a_taken_port_is_said():
    with Demo() as demo:
        port = demo.url.rsplit(":", 1)[1].rstrip("/")
        code, said = run("--port", port, "--seconds", "5")
        check(code == 69 and f"port {port} is taken" in said and "--port 0" in said, said)


def what_is_kept_is_new():
    shutil.rmtree("kept", ignore_errors=True)
    code, said = run("--keep", "kept", "--seconds", "2", "--port", "0")
    check(code == 0 and os.path.isdir("kept/state"), said)
    code, said = run("--keep", "kept", "--seconds", "2", "--port", "0")
    check(code == 65 and "not empty" in said, said)


def bad_flags_are_usage_errors():
    for flags in (["--seconds", "0"], ["--seconds", "x"], ["--port", "70000"]):
        code, said = run(*flags)
        check(code == 64, said)


shutil.rmtree(TEMPORARY, ignore_errors=True)
os.mkdir(TEMPORARY)
os.environ["TMPDIR"] = TEMPORARY
ends_by_itself()
a_request_by_curl_is_served()
another_terminal_can_ask()
a_taken_port_is_said()
what_is_kept_is_new()
bad_flags_are_usage_errors()
print("the demo does what it says")
