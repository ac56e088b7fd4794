"""What the files for Prometheus and Grafana name."""
import json
import os
import re

ROOT = os.environ["LETHE_SOURCE_DIR"]
GRAFANA = "configs/grafana/lethe.json"
ALERTS = "configs/prometheus/alerts.yml"
# Nothing waits for a broker in the demo, or not when it is scraped.
ONLY_IN_TROUBLE = {"lethe_publish_oldest_pending_timestamp_seconds"}
NAME = re.compile(r"\b(?:lethe|process)_[a-z_]+")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf8") as file:
        return file.read()


def expressions(panel):
    """Every query of a panel, an annotation or a variable."""
    if isinstance(panel, dict):
        for key, value in panel.items():
            if key in ("expr", "query", "definition") and isinstance(value, str):
                yield value
            yield from expressions(value)
    elif isinstance(panel, list):
        for one in panel:
            yield from expressions(one)


def grafana_expressions():
    return list(expressions(json.loads(read(GRAFANA))))


def named_metrics():
    """By file."""
    named = {GRAFANA: set(NAME.findall(" ".join(grafana_expressions()))),
             ALERTS: set(NAME.findall(read(ALERTS)))}
    for file, names in named.items():
        assert names, f"{file} names no metric"
    return named
