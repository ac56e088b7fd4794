#!/usr/bin/env python3
"""Every metric that the Grafana dashboard and the alert rules name is documented and in a real
scrape; promtool has no complaint; what depends on data restarts at a deletion."""
import re
import shutil
import subprocess
import time
import urllib.request

from demo import Demo
from named_metrics import NAME, NOT_ALWAYS, named_metrics, read

SUFFIX = re.compile(r"_(bucket|sum|count)$")


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def scrape(demo):
    with urllib.request.urlopen(demo.url + "metrics", timeout=30) as reply:
        return reply.read().decode()


def value(text, series):
    found = re.search("^" + re.escape(series) + r" (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else None


named = named_metrics()
documented = set(NAME.findall(read("docs/metrics.md")))
for file, names in named.items():
    missing = {name for name in names if SUFFIX.sub("", name) not in documented}
    check(not missing, f"{file} names what docs/metrics.md does not: {missing}")

wanted = set.union(*named.values()) - NOT_ALWAYS
with Demo() as live:
    deadline = time.monotonic() + 180
    seen, before, restarted = set(), None, False
    # Some are there only while a request waits, or after the first deletion.
    while not (wanted <= seen and restarted):
        check(time.monotonic() < deadline,
              f"not in any scrape: {wanted - seen}; a restart was seen: {restarted}")
        text = scrape(live)
        seen |= set(NAME.findall(text))
        losses = [value(text, f'lethe_loss_events_total{{shard="{s}"}}') for s in (0, 1)]
        learned = [value(text, f'lethe_events_total{{shard="{s}",kind="learn"}}') for s in (0, 1)]
        if None not in losses + learned:
            for s in (0, 1):
                check(losses[s] <= learned[s], f"more losses than events in shard {s}")
                restarted |= before is not None and losses[s] < before[s]
            before = losses
        time.sleep(0.3)
    if shutil.which("promtool"):
        checked = subprocess.run(["promtool", "check", "metrics"], input=scrape(live), text=True,
                                 capture_output=True, timeout=60)
        check(checked.returncode == 0, checked.stdout + checked.stderr)
print(f"{len(wanted)} metrics are there")
