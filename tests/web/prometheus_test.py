#!/usr/bin/env python3
"""A real Prometheus scrapes the demo for a minute, with the alert rules loaded: every metric that the
rules and the Grafana dashboard name arrives, every rule and every query of the dashboard can be
evaluated, and a data-dependent counter restarts at a deletion."""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from demo import Demo
from named_metrics import ALERTS, NOT_ALWAYS, ROOT, grafana_expressions, named_metrics

SECONDS = 60
# What Grafana puts in before it asks.
VARIABLES = {r"\$__rate_interval": "30s", r"\$__interval": "30s", r"\$__range": "1m",
             r"\$\{?\w+(:\w+)?\}?": ".*"}


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Prometheus:
    """Use as a context manager."""

    def __init__(self, target):
        self.folder = tempfile.mkdtemp(prefix="lethe-prometheus-")
        self.url = f"http://127.0.0.1:{free_port()}"
        self.config = f"{self.folder}/prometheus.yml"
        with open(self.config, "w", encoding="utf8") as file:
            json.dump({"global": {"scrape_interval": "1s", "evaluation_interval": "5s"},
                       "rule_files": [os.path.join(ROOT, ALERTS)],
                       "scrape_configs": [{"job_name": "lethe",
                                           "static_configs": [{"targets": [target]}]}]}, file)

    def __enter__(self):
        self.log = open(f"{self.folder}/log", "w+", encoding="utf8")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={self.config}", f"--storage.tsdb.path={self.folder}/data",
             "--web.listen-address=" + self.url.removeprefix("http://")],
            stdout=self.log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(self.url + "/-/ready", timeout=5):
                    return self
            except OSError:
                time.sleep(0.2)
        self.log.seek(0)
        raise TimeoutError("Prometheus does not start: " + self.log.read())

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, path, **parameters):
        url = f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=30) as reply:
                return json.load(reply)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from None


def every_scrape_succeeded(prometheus):
    target = prometheus.ask("targets")["activeTargets"][0]
    check(target["health"] == "up", target)
    ups = prometheus.ask("query", query=f"up[{SECONDS}s]")["result"][0]["values"]
    check(len(ups) >= SECONDS // 2 and all(value == "1" for _, value in ups), str(ups))
    return len(ups)


def every_name_arrives(prometheus):
    stored = set(prometheus.ask("label/__name__/values"))
    wanted = set.union(*named_metrics().values()) - NOT_ALWAYS
    check(wanted <= stored, f"named and never scraped: {wanted - stored}")
    return len(wanted)


def every_rule_can_be_evaluated(prometheus):
    rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
    bad = [rule for rule in rules if rule["health"] != "ok"]
    check(len(rules) == 18 and not bad, str(bad or rules))
    # Nothing is wrong in the demo but the bad records that it sends on purpose.
    firing = {rule["name"] for rule in rules if rule["state"] == "firing"}
    check(firing <= {"LetheDeadLetters"}, f"alerts that fire: {firing}")


def every_query_can_be_evaluated(prometheus):
    queries = 0
    for expression in grafana_expressions():
        label = re.match(r"label_values\((.*),\s*\w+\)$", expression)
        query = label[1] if label else expression
        for variable, value in VARIABLES.items():
            query = re.sub(variable, value, query)
        if query in ("", "prometheus"):
            continue
        prometheus.ask("query", query=query)
        queries += 1
    check(queries > 10, f"{queries} queries only")
    return queries


def losses_restart(prometheus):
    restarts = prometheus.ask("query", query=f"resets(lethe_loss_events_total[{SECONDS}s])")
    lasting = prometheus.ask("query", query=f"resets(lethe_events_total[{SECONDS}s])")
    check(any(float(one["value"][1]) > 0 for one in restarts["result"]), "no restart was scraped")
    check(all(float(one["value"][1]) == 0 for one in lasting["result"]), "a public count restarted")
    return sum(int(float(one["value"][1])) for one in restarts["result"])


def main():
    if shutil.which("prometheus") is None:
        print("no prometheus: it did not scrape")
        return 77
    with Demo() as demo, Prometheus(demo.url.removeprefix("http://").rstrip("/")) as prometheus:
        time.sleep(SECONDS)
        scrapes = every_scrape_succeeded(prometheus)
        names = every_name_arrives(prometheus)
        every_rule_can_be_evaluated(prometheus)
        queries = every_query_can_be_evaluated(prometheus)
        restarts = losses_restart(prometheus)
    print(f"{scrapes} scrapes, {names} metrics, {queries} queries; {restarts} restarts of the losses")
    return 0


if __name__ == "__main__":
    sys.exit(main())
