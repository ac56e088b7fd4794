#!/usr/bin/env python3
"""Runs Vowpal Wabbit on a stream with several settings: `vw_sweep.py STREAM.vw CLASSES RUNS`. Prints one JSON object with the
accuracy and log loss of its defaults and of the best of RUNS settings, by log loss. Runs in the virtual environment of the peers."""
import itertools
import json
import math
import random
import sys
import tempfile
import time

from vowpalwabbit import Workspace

STEPS = (0.01, 0.03, 0.1, 0.3, 0.5, 1, 2, 5, 10)
RULES = ('', '--power_t 0', '--power_t 0.25', '--adaptive', '--adaptive --power_t 0.25', '--normalized', '--sgd --power_t 0',
         '--sgd', '--ftrl', '--coin')
PENALTIES = ('', '--l2 1e-8', '--l2 1e-6')


def settings(runs):
    """The defaults, and then a random choice without repeats."""
    every = [f'-l {step} {rule} {penalty}' for step, rule, penalty in itertools.product(STEPS, RULES, PENALTIES)
             if not ('--coin' in rule and step != 1)]
    random.Random(1).shuffle(every)
    return ['', *every[:runs - 1]]


def labels(stream):
    with open(stream) as lines:
        return [float(line.partition(' ')[0]) for line in lines]


def run(stream, classes, words, folder, truth):
    """Progressive accuracy and log loss, and seconds."""
    kind = '--link logistic' if classes == 2 else f'--oaa {classes} --probabilities'
    found = f'{folder}/predictions'
    start = time.perf_counter()
    Workspace(f'-d {stream} --cache_file {folder}/cache --loss_function logistic -b 18 --quiet --no_stdin {kind} -p {found} {words}'
              ).finish()
    seconds = time.perf_counter() - start
    right = loss = 0
    with open(found) as lines:
        for y, line in zip(truth, lines):
            if classes == 2:
                p = float(line)
                right += (p > 0.5) == (y > 0)
                p = p if y > 0 else 1 - p
            else:
                shares = [float(word.rpartition(':')[2]) for word in line.split()]
                right += shares.index(max(shares)) == int(y) - 1
                p = shares[int(y) - 1]
            loss -= math.log(max(p, 1e-9)) if p == p else math.inf
    return {'accuracy': right / len(truth), 'log_loss': loss / len(truth), 'seconds': seconds, 'settings': words}


def main():
    stream, classes, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    truth = labels(stream)
    with tempfile.TemporaryDirectory() as folder:
        done = [run(stream, classes, words, folder, truth) for words in settings(runs)]
    best = min(done, key=lambda one: one['log_loss'])
    print(json.dumps({'defaults': done[0], 'tuned': best, 'runs': len(done),
                      'most_accurate': max(done, key=lambda one: one['accuracy']),
                      'seconds': sum(one['seconds'] for one in done)}))


if __name__ == '__main__':
    main()
