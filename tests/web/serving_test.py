#!/usr/bin/env python3
"""The model that is served predicts the same wherever it is used: numpy on the JSON document in
float64, onnxruntime on the ONNX one in float32, and /v1/predict. For both kinds of model."""
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

from packages import with_packages

with_packages()

# pylint: disable=wrong-import-position
import numpy as np
import onnxruntime

from demo import Demo, Daemon

ROOT = os.environ["LETHE_SOURCE_DIR"]
LETHE = os.environ["LETHE"]
sys.path.insert(0, os.path.join(ROOT, "examples"))
import score

ROWS = np.random.default_rng(1).normal(size=(200, 12)) / 4
TRIES = 200


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def fetch(url, headers=None, data=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers or {}), timeout=30) as reply:
            return reply.status, reply.headers, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def predict(url):
    body = json.dumps({"instances": ROWS.tolist()}).encode()
    return json.loads(fetch(url + "v1/predict", data=body)[2])


def wait_until_learned(url):
    deadline = time.monotonic() + 120
    while json.loads(fetch(url + "v1/status")[2])["totals"]["learned"] < 500:
        check(time.monotonic() < deadline, "it does not learn")
        time.sleep(0.2)


def same_moment(url, take):
    """What `take` returns, with the answer of /v1/predict for the same model: it moves on while it
    learns."""
    for _ in range(TRIES):
        before = predict(url)
        taken = take()
        if before["model_id"] == predict(url)["model_id"]:
            return before, taken
    raise TimeoutError("the model never stands still")


def all_agree(url, loss):
    base = url.rstrip("/")
    wait_until_learned(url)
    answer, scores = same_moment(url, lambda: score.score_with_json(base, ROWS))
    worst = np.max(np.abs(scores - answer["predictions"]))
    check(worst <= 1e-14, f"numpy differs by {worst}")
    answer, outputs = same_moment(url, lambda: score.score_with_onnx(base, ROWS))
    if loss == "logistic":
        label, probabilities = outputs
        check(np.array_equal(label, np.where(np.array(answer["predictions"]) > 0, 1, -1)), "labels")
        other = np.max(np.abs(probabilities[:, 1] - answer["probabilities"]))
        check(np.max(np.abs(probabilities.sum(axis=1) - 1)) <= 1e-6, "no probabilities")
    else:
        check("probabilities" not in answer, str(answer))
        other = np.max(np.abs(outputs[0][:, 0] - answer["predictions"]))
    check(other <= 2e-6, f"onnxruntime differs by {other}")
    check(np.std(answer["predictions"]) > 0.01, "the model has learned nothing")
    print(f"{loss}: numpy within {worst:.1e}, onnxruntime within {other:.1e} of /v1/predict")


def an_unchanged_model_is_not_sent_again(url):
    for path in ("v1/model", "v1/model?format=onnx"):
        for _ in range(TRIES):
            status, headers, body = fetch(url + path)
            check(status == 200 and body, path)
            again, _, nothing = fetch(url + path, {"If-None-Match": headers["ETag"]})
            if again == 304:
                check(nothing == b"", "a 304 with a body")
                break
        else:
            raise AssertionError(f"never a 304 for {path}")
        check(fetch(url + path, {"If-None-Match": '"other"'})[0] == 200, "a 304 for another tag")
    check(headers["Content-Type"] == "application/octet-stream", headers["Content-Type"])
    status, _, body = fetch(url + "v1/model?format=pmml")
    check(status == 400 and b"json or onnx" in body, body)


def the_metadata_says_what_it_is(url):
    def take():
        model = fetch(url + "v1/model?format=onnx")[2]
        shards = json.loads(fetch(url + "v1/shards")[2])["shards"]
        return onnxruntime.InferenceSession(model).get_modelmeta(), shards
    answer, (meta, shards) = same_moment(url, take)
    said = meta.custom_metadata_map
    check(said["lethe.model_id"] == answer["model_id"], said)
    check(len(answer["shards"]) == len(shards) > 1, "this is of an average")
    for shard in answer["shards"]:
        for name in ("state", "model_version", "clean_from"):
            check(said[f"lethe.{name}.{shard['shard']}"] == str(shard[name]), said)
    check(not score.is_stale(answer, answer), "a model is older than itself")
    for shard in shards:
        check(re.fullmatch("[0-9a-f]{64}", said[f"lethe.receipt_sha256.{shard['shard']}"]), said)


def what_is_exported_is_what_is_served(url, config):
    """From the daemon byte for byte, and from its state while it runs."""
    for form in ("json", "onnx"):
        out = f"exported.{form}"
        for _ in range(TRIES):
            served = fetch(f"{url}v1/model?format={form}")[2]
            subprocess.run([LETHE, "model", "export", url, "--out", out], check=True)
            with open(out, "rb") as file:
                if file.read() == served:
                    break
        else:
            raise AssertionError("an export is never what is served")
        state = subprocess.run([LETHE, "model", "export", "--config", config, "--format", form],
                               check=True, capture_output=True).stdout
        check(state[:16] == served[:16] and abs(len(state) - len(served)) < 100, "not the state")


def a_replay_is_exported():
    folder = "replayed"
    subprocess.run([LETHE, "generate", "--events", "2000", "--dimension", "20", "--out", "e.ndjson"],
                   check=True)
    subprocess.run([LETHE, "replay", "e.ndjson", "--config", f"{ROOT}/configs/quickstart.yaml",
                    "--out", folder], check=True, capture_output=True)
    subprocess.run([LETHE, "model", "export", folder, "--out", "replayed.onnx"], check=True)
    with open(f"{folder}/model.json", encoding="utf8") as file:
        model = json.load(file)
    with open(f"{folder}/summary.json", encoding="utf8") as file:
        head = json.load(file)["chains"][0]["head"]
    session = onnxruntime.InferenceSession("replayed.onnx")
    rows = np.random.default_rng(2).normal(size=(50, 20)) / 5
    probabilities = session.run(None, {"x": rows.astype(np.float32)})[1][:, 1]
    scores = rows @ np.array(model["weights"]) + model["intercept"]
    check(np.max(np.abs(probabilities - 1 / (1 + np.exp(-scores)))) <= 2e-6, "a replay differs")
    check(session.get_modelmeta().custom_metadata_map["lethe.receipt_sha256.0"] == head, "no head")
    json_again = subprocess.run([LETHE, "model", "export", folder], check=True,
                                capture_output=True).stdout
    with open(f"{folder}/model.json", "rb") as file:
        check(json_again == file.read(), "an export of model.json is not model.json")


def maps_of_features_are_part_of_an_export():
    """Each map alone and all together: numpy on model.json, and onnxruntime on the graph."""
    rows = np.vstack([np.random.default_rng(3).normal([3, -1, 0], [5, 0.1, 9], size=(300, 3)), [[3, -1, 0]]])
    with open("rows.ndjson", "w", encoding="utf8") as file:
        for i, row in enumerate(rows.tolist()):
            file.write(json.dumps({"type": "learn", "id": str(i), "x": row, "y": i % 2}) + "\n")
    with open("scale.json", "w", encoding="utf8") as file:
        json.dump({"public": True, "mean": [3, -1, 0], "deviation": [5, 0.1, 9]}, file)
    maps = ["scale: scale.json", "clip: 1.5", "normalise: l2", "fourier: {dimension: 40, gamma: 0.5}"]
    for chosen in [[], *([one] for one in maps), maps]:
        with open("maps.yaml", "w", encoding="utf8") as file:
            file.write("model: {dimension: 3, oversized: rescale, bias: true}\n"
                       "features: {" + ", ".join(chosen) + "}\n")
        subprocess.run([LETHE, "replay", "rows.ndjson", "--config", "maps.yaml", "--out", "mapped"],
                       check=True, capture_output=True)
        subprocess.run([LETHE, "model", "export", "mapped", "--out", "mapped.onnx"], check=True)
        with open("mapped/model.json", encoding="utf8") as file:
            model = json.load(file)
        check(("features" in model) == bool(chosen), "features in model.json")
        scores = (score.mapped(rows, model.get("features", {})) @ np.array(model["weights"])
                  + model["intercept"])
        session = onnxruntime.InferenceSession("mapped.onnx")
        probabilities = session.run(None, {"x": rows.astype(np.float32)})[1][:, 1]
        worst = np.max(np.abs(probabilities - 1 / (1 + np.exp(-scores))))
        check(worst <= 2e-5, f"with {chosen} onnxruntime differs by {worst}")


with Demo() as live:
    demo_config = re.search(r"--config (\S+)", live.said())[1]
    all_agree(live.url, "logistic")
    an_unchanged_model_is_not_sent_again(live.url)
    the_metadata_says_what_it_is(live.url)
    what_is_exported_is_what_is_served(live.url, demo_config)
    brokers = re.search(r"brokers=(\S+)", live.said())[1]
    for kind in ("squared", "huber"):
        with Daemon(f"""
model: {{loss: {kind}, dimension: 12, bias: true, lambda: 0.05, radius: 12}}
source: {{kafka: {{brokers: "{brokers}", topic: events}}}}
state: {{path: state-{kind}}}
http: {{listen: "127.0.0.1:0"}}
""", f"state-{kind}") as other:
            all_agree(other.url, kind)
a_replay_is_exported()
maps_of_features_are_part_of_an_export()
print("predictions agree everywhere")
