"""What the files for Prometheus and Grafana name."""
import json
import os
import re

ROOT = os.environ["LETHE_SOURCE_DIR"]
GRAFANA = "configs/grafana/lethe.json"
ALERTS = "configs/prometheus/alerts.yml"
# Nothing waits for a broker in the demo, or not when it is scraped.
ONLY_IN_TROUBLE = {"lethe_publish_oldest_pending_timestamp_seconds"}
# Only where events expire.
ONLY_WITH_A_WINDOW = {"lethe_retention_events", "lethe_oldest_influence_index",
                      "lethe_oldest_influence_timestamp_seconds", "lethe_window_slides_total"}
# In the demo no request has to wait for noise to fade, and its mode has no regret bound.
ONLY_IN_OTHER_MODES = {"lethe_erasure_oldest_pending_timestamp_seconds",
                       "lethe_erasure_deadline_seconds", "lethe_regret_bound"}
NOT_ALWAYS = ONLY_IN_TROUBLE | ONLY_WITH_A_WINDOW | ONLY_IN_OTHER_MODES
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
