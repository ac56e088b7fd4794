"""How long it takes until the bytes of deleted events are off the disk."""
from parts.bed import row, table

TITLE = 'Erasure from the disk'
NOTE = '''Milliseconds from a durable deletion until its bytes are off the disk, mean of 3, in a state made without a broker. Mode active
keeps payloads, passive none.'''
WHICH = {'10, scattered': 1, 'the last 100': 2, '1%, scattered': 0}


def measure(bed):
    passive = bed.size((100_000, 1_000_000, 10_000_000), (10_000,))
    cases = [('passive', 20, events) for events in passive]
    cases += [('active', 100, events) for events in bed.size((1_000_000, 10_000_000), (10_000,))]
    lines, found = [], {}
    for mode, dimension, events in cases:
        bed.say(f'erasure: {mode}, {events:,} events')
        times = bed.benchmarks('erase', f'BM_Erase/{mode}/d:{dimension}/events:{events}/')
        for name, entry in times.items():
            which = next(text for text, number in WHICH.items() if f'/which:{number}/' in name)
            found[mode, events, which] = entry['real_time']
        lines.append([mode, dimension, f'{events:,}',
                      *(f'{found[mode, events, which]:,.0f}' for which in WHICH)])
    most = cases[-1][2]
    return {'rows': [row(f'erasure of 1%, passive, at {most:,}', found['passive', most, '1%, scattered'] / 1000,
                         's', '< 1'),
                     row(f'erasure of 10 scattered events, active, d = 100, at {most:,}',
                         found['active', most, '10, scattered'] / 1000, 's', '< 2')],
            'tables': [table('erasure', 'Milliseconds', ['mode', 'd', 'events', *WHICH], lines)]}
