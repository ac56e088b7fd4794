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
    return mapped(rows, model.get("features", {})) @ np.array(model["weights"]).T + model["intercept"]


def mapped(rows, features):
    """Dense rows after the maps of the configuration (docs/formats/features.md)."""
    if "scale" in features:
        rows = (rows - features["scale"]["mean"]) / features["scale"]["deviation"]
    if "clip" in features:
        rows = np.clip(rows, -features["clip"], features["clip"])
    if "normalise" in features:
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = rows / np.where(norms > 0, norms, 1)
    if "fourier" in features:
        angles = rows @ directions(rows.shape[1], **features["fourier"])
        rows = np.hstack([np.cos(angles), np.sin(angles)]) / np.sqrt(angles.shape[1])
    return rows


def directions(inputs, dimension, gamma, seed):
    """The directions of random Fourier features: a column for each."""
    count = inputs * dimension // 2
    state = np.uint64(seed) + np.arange(1, 2 * count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ state >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ state >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    uniform = ((state ^ state >> np.uint64(31)) >> np.uint64(11)) * 2.0**-53
    normal = np.sqrt(-2 * np.log(1 - uniform[::2])) * np.cos(2 * np.pi * uniform[1::2])
    return normal.reshape(inputs, dimension // 2) * np.sqrt(2 * gamma)


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
