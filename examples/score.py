#!/usr/bin/env python3
"""Scores rows with the model of a running Lethe, in your own process: no event leaves it.

    pip install numpy onnxruntime
    lethe demo                       # in another terminal; or any other daemon
    python3 examples/score.py http://127.0.0.1:9464 < rows.csv

One row of comma-separated numbers per line. A daemon with a token needs an Authorization header:
https://docs.python.org/3/library/urllib.request.html#urllib.request.Request
"""
import json
import sys
from urllib.request import urlopen

import numpy as np
import onnxruntime


def score_with_json(url, rows):
    """In float64: scores, as `predictions` of /v1/predict. For logistic, the sign is the class.

    For softmax a column for each of model["classes"]; the largest score is the class."""
    model = json.load(urlopen(f"{url}/v1/model"))
    return rows @ np.array(model["weights"]).T + model["intercept"]


def score_with_onnx(url, rows):
    """In float32: label and probabilities for logistic (of -1 and 1) and softmax, else the prediction."""
    session = onnxruntime.InferenceSession(urlopen(f"{url}/v1/model?format=onnx").read())
    return session.run(None, {"x": rows.astype(np.float32)})


def is_stale(copy, now):
    """Whether a copy of the model (or a prediction) carries somebody who was forgotten since.

    Both are /v1/model or /v1/predict. A shard that is not there now cannot be asked: stale as well.
    """
    clean_from = {(s["state"], s["shard"]): s["clean_from"] for s in now["shards"]}
    return any(s["model_version"] < clean_from.get((s["state"], s["shard"]), float("inf"))
               for s in copy["shards"])


if __name__ == "__main__":
    address = (sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:9464").rstrip("/")
    table = np.loadtxt(sys.stdin, delimiter=",", ndmin=2)
    print("json", score_with_json(address, table))
    print("onnx", *score_with_onnx(address, table))
