"""Other online learners on the same stream, with the same loss and step, in turn."""
import json
import os
import statistics
import subprocess
import sys

from parts.bed import Failed, Skipped, row, run, table

TITLE = 'Other learners'
NOTE = '''Events per second of wall-clock time, from a file. Logistic loss, constant step 0.5, L2 0.01, no intercept; every event
once and in order. Lethe keeps exactly-once state on disk, the others keep none. River and scikit-learn see only the
first events of the stream, because they are slow: the last column is Lethe's accuracy on as many. VW:
`--loss_function logistic --binary --sgd --power_t 0 -l 0.5 --l2 0.01 --noconstant -b 18`, timed inside of its process;
Lethe is timed from outside, its start included.'''
PACKAGES = ('vowpalwabbit', 'river', 'scikit-learn')
STEP = '0.5'

VW = '''
import sys, time
from vowpalwabbit import Workspace
start = time.perf_counter()
learner = Workspace(sys.argv[1])
learner.finish()
print(time.perf_counter() - start)
'''

RIVER = '''
import json, sys, time
from river import linear_model, optim
learner = linear_model.LogisticRegression(optimizer=optim.SGD(float(sys.argv[2])), l2=0.01, intercept_lr=0)
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
print(time.perf_counter() - start, right / count)
'''

SKLEARN = '''
import json, sys, time
import numpy as np
from sklearn.linear_model import SGDClassifier
learner = SGDClassifier(loss='log_loss', alpha=0.01, learning_rate='constant', eta0=float(sys.argv[2]),
                        fit_intercept=False)
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
print(time.perf_counter() - start, right / count)
'''


def install(venv):
    """A Python with the peers, made once; returns its path and the versions."""
    python = os.path.join(venv, 'bin', 'python')
    try:
        if not os.path.exists(python):
            run([sys.executable, '-m', 'venv', venv])
        probe = [python, '-c', 'import vowpalwabbit, river, sklearn']
        if subprocess.run(probe, capture_output=True, check=False).returncode:
            run([python, '-m', 'pip', 'install', '-q', '--retries', '1', '--timeout', '10', *PACKAGES])
    except Failed as failure:
        raise Skipped(f'the peers cannot be installed: {str(failure).splitlines()[-1]}') from failure
    listed = json.loads(run([python, '-m', 'pip', 'list', '--format', 'json']).stdout)
    return python, {package['name']: package['version'] for package in listed
                    if package['name'] in (*PACKAGES, 'numpy')}


def vw_line(line):
    """An event in the text form of VW. Not by a JSON parser, which would take longer than all learners."""
    values, _, rest = line.partition('"x":[')[2].partition(']')
    label = rest.partition('"y":')[2].rstrip('}\n')
    return f"{label} | {' '.join(f'{i}:{x}' for i, x in enumerate(values.split(',')))}\n"


class Streams:
    """One stream in the form of each learner, and its beginning."""

    def __init__(self, bed, dimension):
        self.bed = bed
        self.events = bed.size(3_000_000 if dimension < 50 else 2_000_000, 20_000)
        self.few = {'River': bed.size(50_000, 2_000), 'scikit-learn': bed.size(3_000, 200)}
        self.json, self.binary = bed.path(f'{dimension}.ndjson'), bed.path(f'{dimension}.lethe')
        bed.lethe('generate', '--events', self.events, '--dimension', dimension, '--deletions', 0,
                  '--out', self.json)
        bed.lethe('convert', self.json, self.binary, '--float32')
        self.text, self.cache = bed.path(f'{dimension}.vw'), bed.path(f'{dimension}.cache')
        with open(self.json) as lines, open(self.text, 'w') as out:
            out.writelines(vw_line(line) for line in lines)
        os.sync()  # or the disk would be busy with these files while others are timed
        self.config = bed.write('peers.yaml', f'model: {{dimension: {dimension}}}\n'
                                              f'learning: {{eta: {STEP}}}\n')

    def beginning(self, count):
        path = self.bed.path(f'first-{count}.ndjson')
        with open(self.json) as lines, open(path, 'w') as out:
            for _ in range(count):
                out.write(next(lines))
        return path

    def remove(self):
        for path in (self.json, self.binary, self.text, self.cache):
            os.remove(path)


def lethe(streams, stream):
    seconds, summary = streams.bed.replay(stream, streams.config)
    return streams.events / seconds, summary['accuracy']


def vw(streams, python, more):
    # Plain gradient descent with a constant step, as the others; progressive errors.
    arguments = (f'-d {streams.text} {more} --loss_function logistic --binary --sgd --power_t 0 '
                 f'-l {STEP} --l2 0.01 --noconstant -b 18 --no_stdin')
    done = run([python, '-c', VW, arguments])
    errors = [line.split('=')[1] for line in done.stderr.splitlines() if line.startswith('average loss')]
    return streams.events / float(done.stdout.split()[-1]), 1 - float(errors[-1])


def script(python, code, stream, events):
    seconds, accuracy = map(float, run([python, '-c', code, stream, STEP]).stdout.split())
    return events / seconds, accuracy


def compare(bed, python, dimension):
    bed.say(f'peers: streams of dimension {dimension}')
    streams = Streams(bed, dimension)
    beginnings = {name: streams.beginning(count) for name, count in streams.few.items()}
    vw(streams, python, f'--cache_file {streams.cache} -k')  # writes the cache that is measured
    results = bed.in_turn({
        'Lethe, JSON': lambda: lethe(streams, streams.json),
        'Lethe, binary float32': lambda: lethe(streams, streams.binary),
        'VW, text': lambda: vw(streams, python, ''),
        'VW, binary cache': lambda: vw(streams, python, f'--cache_file {streams.cache}'),
        'River': lambda: script(python, RIVER, beginnings['River'], streams.few['River']),
        'scikit-learn': lambda: script(python, SKLEARN, beginnings['scikit-learn'],
                                       streams.few['scikit-learn']),
    }, f'peers: dimension {dimension},')
    ours = {name: bed.replay(path, streams.config)[1]['accuracy'] for name, path in beginnings.items()}
    lines = []
    rates = {name: statistics.median(rate for rate, _ in runs) for name, runs in results.items()}
    for name, runs in results.items():
        whole = results['Lethe, JSON'][0][1]
        lines.append([name, f'{rates[name]:,.0f}',
                      f'{min(rate for rate, _ in runs):,.0f} to {max(rate for rate, _ in runs):,.0f}',
                      f"{rates['Lethe, JSON'] / rates[name]:.3g}", f'{streams.few.get(name, streams.events):,}',
                      f'{runs[0][1]:.4f}', f'{ours.get(name, whole):.4f}'])
    streams.remove()
    return rates, lines


def measure(bed):
    python, versions = install(bed.venv)
    rows, tables = [], []
    for dimension, to_text in ((20, '>= 3.5'), (100, '>= 4')):
        rates, lines = compare(bed, python, dimension)
        ours = rates['Lethe, JSON']
        rows += [row(f'from JSON, to VW from text, d = {dimension}', ours / rates['VW, text'], 'x', to_text),
                 row(f'from JSON, to River, d = {dimension}', ours / rates['River'], 'x', '>= 10'),
                 row(f'from JSON, to scikit-learn one by one, d = {dimension}',
                     ours / rates['scikit-learn'], 'x', '>= 500'),
                 row(f'from binary, to VW from its cache, d = {dimension}',
                     rates['Lethe, binary float32'] / rates['VW, binary cache'], 'x',
                     '>= 5' if dimension == 100 else None)]
        tables.append(table(f'peers-{dimension}', f'd = {dimension}',
                            ['learner', 'events/s', 'lowest to highest', 'Lethe, JSON, to it', 'events',
                             'progressive accuracy', "Lethe's on these"], lines))
    return {'rows': rows, 'tables': tables, 'versions': versions}
