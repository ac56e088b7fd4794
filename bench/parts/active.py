"""Mode active, which keeps payloads, against mode passive."""
import os
import statistics

from parts.bed import row, table

TITLE = 'Mode active'
NOTE = 'Events per second of wall-clock time from a file, d = 100, state on disk; both modes in turn.'
DIMENSION = 100


def measure(bed):
    events = bed.size(1_200_000, 3_000)
    bed.say('active: a stream')
    streams = {'JSON': bed.path('active.ndjson'), 'binary float32': bed.path('active.lethe')}
    bed.lethe('generate', '--events', events, '--dimension', DIMENSION, '--deletions', 0,
              '--out', streams['JSON'])
    bed.lethe('convert', streams['JSON'], streams['binary float32'], '--float32')
    os.sync()  # or the disk would be busy with these files while others are timed
    configs = {mode: bed.write(f'{mode}.yaml', f'model: {{dimension: {DIMENSION}}}\n'
                                               f'forgetting: {{mode: {mode}}}\n')
               for mode in ('passive', 'active')}
    results = bed.in_turn({(form, mode): lambda path=path, config=config: events / bed.replay(path, config)[0]
                           for form, path in streams.items() for mode, config in configs.items()}, 'active:')
    rates = {case: statistics.median(runs) for case, runs in results.items()}
    for path in streams.values():
        os.remove(path)
    rows = [row(f'active, of the rate of passive, from {form}, d = {DIMENSION}',
                rates[form, 'active'] / rates[form, 'passive'], 'x', '>= 0.5') for form in streams]
    lines = [[form, f"{rates[form, 'passive']:,.0f}", f"{rates[form, 'active']:,.0f}",
              f"{rates[form, 'active'] / rates[form, 'passive']:.2f}"] for form in streams]
    return {'rows': rows, 'tables': [table('active', 'Events per second',
                                           ['form', 'passive', 'active', 'ratio'], lines)]}
