#!/usr/bin/env python3
"""Lethe against other online learners: the same stream, the same loss, in turn, on one machine.

Each learner reads a file and learns one event at a time; Lethe also keeps its state on disk, exactly
once, and could forget every event again. The figures are events per second of wall-clock time over
the whole file, medians of the rounds, and ratios within this run. `./dev bench peers` runs it.
"""
import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

VW = """
import sys, time
from vowpalwabbit import Workspace
start = time.perf_counter()
learner = Workspace(sys.argv[1])
learner.finish()
print(time.perf_counter() - start)
"""

RIVER = """
import json, sys, time
from river import linear_model, optim
learner = linear_model.LogisticRegression(optimizer=optim.SGD(float(sys.argv[3])), l2=0.01)
right = count = 0
start = time.perf_counter()
with open(sys.argv[1]) as lines:
    for line in lines:
        event = json.loads(line)
        x = dict(enumerate(event['x']))
        y = event['y'] > 0
        right += learner.predict_one(x) == y
        learner.learn_one(x, y)
        count += 1
        if count == int(sys.argv[2]):
            break
print(time.perf_counter() - start, right / count)
"""

SKLEARN = """
import json, sys, time
import numpy as np
from sklearn.linear_model import SGDClassifier
learner = SGDClassifier(loss='log_loss', alpha=0.01, learning_rate='constant', eta0=float(sys.argv[3]))
right = count = 0
start = time.perf_counter()
with open(sys.argv[1]) as lines:
    for line in lines:
        event = json.loads(line)
        x = np.array([event['x']])
        y = np.array([event['y']])
        if count:
            right += learner.predict(x)[0] == y[0]
        learner.partial_fit(x, y, classes=(-1, 1))
        count += 1
        if count == int(sys.argv[2]):
            break
print(time.perf_counter() - start, right / count)
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f'{command}: {done.stderr or done.stdout}')
    return done.stdout


class Bench:
    def __init__(self, lethe, python, folder, quick):
        self.lethe, self.python, self.folder, self.quick = lethe, python, folder, quick

    def path(self, name):
        return os.path.join(self.folder, name)

    def make_streams(self, dimension):
        self.events = 20_000 if self.quick else 1_000_000 if dimension < 50 else 300_000
        self.json = self.path(f'{dimension}.ndjson')
        run(self.lethe, 'generate', '--events', str(self.events), '--dimension', str(dimension),
            '--deletions', '0', '--out', self.json)
        self.binary = self.path(f'{dimension}.lethe')
        run(self.lethe, 'convert', self.json, self.binary, '--float32')
        self.text = self.path(f'{dimension}.vw')
        with open(self.json) as lines, open(self.text, 'w') as out:
            for line in lines:
                event = json.loads(line)
                features = ' '.join(f'{i}:{x}' for i, x in enumerate(event['x']))
                out.write(f"{event['y']} | {features}\n")
        self.config = self.path('lethe.yaml')
        with open(self.config, 'w') as out:
            out.write(f'model: {{dimension: {dimension}}}\nlearning: {{eta: 0.5}}\n')
        self.dimension = dimension
        # A pass that writes the cache; the ones that are measured read it.
        self.cache = self.path(f'{dimension}.cache')
        self.vw(self.text, f'--cache_file {self.cache} -k')

    def lethe_file(self, stream):
        state = self.path('state')
        shutil.rmtree(state, ignore_errors=True)
        start = time.perf_counter()
        out = run(self.lethe, 'replay', stream, '--config', self.config, '--state', state, '--json')
        return self.events / (time.perf_counter() - start), json.loads(out)['accuracy']

    def vw(self, source, more=''):
        # Plain gradient descent with a constant step, as the others; progressive errors.
        arguments = (f'-d {source} {more} --loss_function logistic --binary --sgd --power_t 0 -l 0.5 '
                     f'--l2 0.01 --noconstant -b 18 --no_stdin')
        done = subprocess.run([self.python, '-c', VW, arguments], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        errors = [line.split('=')[1] for line in done.stderr.splitlines()
                  if line.startswith('average loss')]
        return self.events / float(done.stdout.split()[-1]), 1 - float(errors[-1])

    def peer(self, script, events):
        events = min(events, self.events)
        seconds, accuracy = run(self.python, '-c', script, self.json, str(events), '0.5').split()
        return events / float(seconds), float(accuracy)

    def contenders(self):
        slow = 2_000 if self.quick else 20_000
        return {
            'lethe, JSON, state on disk': lambda: self.lethe_file(self.json),
            'lethe, binary float32, state on disk': lambda: self.lethe_file(self.binary),
            'VW, text': lambda: self.vw(self.text),
            'VW, binary cache': lambda: self.vw(self.text, f'--cache_file {self.cache}'),
            'River': lambda: self.peer(RIVER, slow),
            'scikit-learn, one by one': lambda: self.peer(SKLEARN, slow // 10),
        }


def measure(bench, dimension, rounds):
    bench.make_streams(dimension)
    rates, accuracy = {}, {}
    for number in range(rounds):
        for name, contender in bench.contenders().items():
            rate, accuracy[name] = contender()
            rates.setdefault(name, []).append(rate)
            print(f'd = {dimension}, round {number + 1}: {name}: {rate:,.0f}/s', file=sys.stderr)
    medians = {name: statistics.median(values) for name, values in rates.items()}
    return [{'dimension': dimension, 'learner': name, 'events_per_second': rate,
             'to_vw_text': rate / medians['VW, text'],
             'lowest': min(rates[name]), 'highest': max(rates[name]),
             'accuracy': accuracy[name]} for name, rate in medians.items()]


def versions(python):
    listed = json.loads(run(python, '-m', 'pip', 'list', '--format', 'json'))
    return {package['name']: package['version'] for package in listed
            if package['name'] in ('vowpalwabbit', 'river', 'scikit-learn', 'numpy')}


def machine():
    with open('/proc/cpuinfo') as lines:
        model = next((line.split(':')[1].strip() for line in lines if 'model name' in line), '?')
    return f'{os.cpu_count()} x {model}, {platform.system()} {platform.release()}'


def markdown(result):
    lines = ['# Lethe against other online learners', '', f"`{result['command']}`, {result['machine']}; "
             f"median of {result['rounds']} rounds in turn. " +
             ', '.join(f'{name} {version}' for name, version in result['versions'].items()) + '.', '',
             'Events per second of wall-clock time from a file. Logistic loss, constant step, every event once and in',
             'order. Lethe keeps exactly-once state on disk; the others keep none. Load at the start and at the end: '
             f"{result['load'][0]:.1f}, {result['load'][1]:.1f}.", '']
    for dimension in sorted({row['dimension'] for row in result['rows']}):
        lines += [f'## d = {dimension}', '',
                  '| learner | events/s | lowest to highest | to VW, text | progressive accuracy |',
                  '|---|---|---|---|---|']
        for row in result['rows']:
            if row['dimension'] == dimension:
                lines.append(f"| {row['learner']} | {row['events_per_second']:,.0f} | "
                             f"{row['lowest']:,.0f} to {row['highest']:,.0f} | {row['to_vw_text']:.3g} | "
                             f"{row['accuracy']:.4f} |")
        lines.append('')
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--lethe', required=True, help='the program')
    parser.add_argument('--venv', required=True, help='where the peers are installed, once')
    parser.add_argument('--out', required=True, help='results.md and results.json go here')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--quick', action='store_true', help='small streams, one round: does it work?')
    arguments = parser.parse_args()
    python = os.path.join(arguments.venv, 'bin', 'python')
    if not os.path.exists(python):
        run(sys.executable, '-m', 'venv', arguments.venv)
    run(python, '-m', 'pip', 'install', '-q', 'vowpalwabbit', 'river', 'scikit-learn')
    rounds = 1 if arguments.quick else arguments.rounds
    load = [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.lethe, python, folder, arguments.quick)
        rows = [row for dimension in (20, 100) for row in measure(bench, dimension, rounds)]
    load.append(os.getloadavg()[0])
    result = {'command': './dev bench peers' + (' --quick' if arguments.quick else ''),
              'machine': machine(), 'versions': versions(python), 'rounds': rounds, 'load': load,
              'rows': rows}
    os.makedirs(arguments.out, exist_ok=True)
    with open(os.path.join(arguments.out, 'results.json'), 'w') as out:
        json.dump(result, out, indent=1)
    text = markdown(result)
    with open(os.path.join(arguments.out, 'results.md'), 'w') as out:
        out.write(text)
    print(text)


if __name__ == '__main__':
    main()
