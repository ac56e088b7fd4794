"""What a deletion in mode rewind costs by its window, and what a long stream leaves in memory and on disk."""
from parts.bed import row, table

TITLE = 'Mode rewind'
NOTE = '''Processor time, so that other programs do not count, the lowest of the rounds; payloads in memory, without the commit. The run that a
deletion finds is 1.5 W events long. Ages are uniform over the run, or among the last 200 events (recent); hashed events have 15
features of 2^18. Mode retrain has learned so many events and keeps all of them. Memory and disk are of one shard with its state on
disk, two features, a retention of 20,000 events and 10,000 events in a second of event time, after so many events.'''
FEATURES = {'20': 20, '100': 100, '15 of 2^18': 0}
WINDOWS = (10_000, 100_000, 1_000_000)


def cost(bed):
    quick = {'LETHE_BENCH_EVENTS': '2000'} if bed.quick else {}
    found = bed.benchmarks('rewind', '^Forget/', min(3, bed.rounds), pick=min, **quick)

    def one(mode, dimension, events, recent):
        return next(entry for name, entry in found.items()
                    if name.startswith(f'Forget/{mode}/d:{dimension}/')
                    and f':{events}/recent:{recent}/' in name)

    lines, rows, kept = [], [], {}
    for features, dimension in FEATURES.items():
        for events in WINDOWS:
            pair = [one('rewind', dimension, events, recent) for recent in (0, 1)]
            kept[f'{features}, W = {events}'] = pair
            lines.append([features, f'rewind, W = {events:,}', *cells(pair)])
        pair = [one('retrain', dimension, 1_000_000, recent) for recent in (0, 1)]
        lines.append([features, 'retrain, 1,000,000', *cells(pair)])
        if dimension == 20:
            lines.append([features, 'retrain, 10,000,000',
                          *cells([one('retrain', dimension, 10_000_000, recent) for recent in (0, 1)])])
    rows.append(row('deletion of any age, rewind, W = 100,000, d = 20', one('rewind', 20, 100_000, 0)['cpu_time'],
                    'ms', '< 10'))
    rows.append(row('deletion of a recent event, rewind, W = 1,000,000, d = 20',
                    one('rewind', 20, 1_000_000, 1)['cpu_time'], 'ms', '< 0.1'))
    for features, dimension in FEATURES.items():
        entry = one('rewind', dimension, 1_000_000, 0)
        rows.append(row(f'nanoseconds of an event learned again, of the constant of the configuration, {features}',
                        1e6 * entry['cpu_time'] / entry['relearned'] / entry['constant_ns'], 'x'))
    return rows, kept, table('rewind', 'A deletion', [
        'features', 'mode', 'ms, any age', 'events again', 'ns an event', 'ms, recent', 'events again, recent', 'memory, MB'],
        lines)


def cells(pair):
    uniform, recent = pair
    return [f"{uniform['cpu_time']:.3g}", f"{uniform['relearned']:,.0f}",
            f"{1e6 * uniform['cpu_time'] / max(1, uniform['relearned']):.0f}", f"{recent['cpu_time']:.2g}",
            f"{recent['relearned']:,.0f}", f"{uniform['megabytes']:,.1f}"]


def growth(bed):
    """Memory and disk along one stream."""
    most = bed.size(100_000_000, 100_000)
    entry = next(iter(bed.benchmarks('rewind', '^Grow', 1, LETHE_BENCH_EVENTS=str(most)).values()))
    marks = sorted(int(name.split('_')[1]) for name in entry if name.startswith('memory_'))
    lines = [[f'{events:,}', f"{entry[f'memory_{events}']:.1f}", f"{entry[f'disk_{events}']:.1f}"]
             for events in marks]
    rows = []
    early = 5_000_000  # by then caches and buffers have their sizes
    if marks[-1] > early:
        for what in ('memory', 'disk'):
            rows.append(row(f'{what} after {marks[-1]:,} events, of that after {early:,}',
                            entry[f'{what}_{marks[-1]}'] / entry[f'{what}_{early}'], 'x', '<= 1.5'))
    return rows, table('rewind_growth', 'Memory and disk of a stream, MB', ['events', 'memory', 'disk'], lines)


def measure(bed):
    bed.say('rewind: deletions')
    rows, kept, costs = cost(bed)
    bed.say('rewind: memory and disk')
    more, sizes = growth(bed)
    return {'rows': rows + more, 'rewind': kept, 'tables': [costs, sizes]}
