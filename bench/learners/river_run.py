#!/usr/bin/env python3
"""Runs River on a recorded stream: `river_run.py STREAM.ndjson CLASSES`. Prints accuracy, log loss and seconds as JSON, of its
defaults. Runs in the virtual environment of the peers."""
import json
import math
import sys
import time

from river import linear_model


def main():
    stream, classes = sys.argv[1], int(sys.argv[2])
    learner = linear_model.LogisticRegression() if classes == 2 else linear_model.SoftmaxRegression()
    right = count = loss = seconds = 0
    with open(stream) as lines:
        for line in lines:
            event = json.loads(line)
            if event['type'] != 'learn':
                continue
            x = event['f'] if 'f' in event else dict(enumerate(event['x']))
            y = event['y'] > 0 if classes == 2 else event['y']
            start = time.perf_counter()
            shares = learner.predict_proba_one(x)
            learner.learn_one(x, y)
            seconds += time.perf_counter() - start
            count += 1
            p = shares.get(y, 0 if shares else 1 / classes)
            right += bool(shares) and max(shares, key=shares.get) == y
            loss -= math.log(max(p, 1e-9))
    print(json.dumps({'accuracy': right / count, 'log_loss': loss / count, 'seconds': seconds}))


if __name__ == '__main__':
    main()
