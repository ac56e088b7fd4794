"""What an event costs from a file into the state, stage by stage, against its dimension."""
from parts.bed import row, table

TITLE = 'Cost of an event, by dimension'
NOTE = '''Nanoseconds of processor time per event, all threads, from a file in the page cache, the way of a replay: to read it, to decode and
check it, to learn it with its ledger and its loss, to remember it (keyed hashes, duplicates, the commit with model and offset, the
flush). The lowest of the rounds, because whatever disturbs only ever adds; a stage is a difference of two such, so small ones are
rough. State is compared with what comes before learning: reading, decoding and checking. A deletion is the time until it is
durable, with its noise, its receipt and a synced commit, in a state of 20,000 events.'''
STAGES = ('read', 'decode', 'learn', 'state')
FORMS = {'JSON': 0, 'binary float32': 1}
DIMENSIONS = (6, 20, 100, 1000)


def environment(bed):
    return {'LETHE_BENCH_EVENTS': '2000'} if bed.quick else {}


def measure(bed):
    bed.say('cost: stages')
    # Twice as often as elsewhere, since a stage is a small difference of two large figures.
    found = bed.benchmarks('stages', 'BM_Stage', 2 * bed.rounds, pick=min, **environment(bed))
    stages = {}
    for form, number in FORMS.items():
        for dimension in DIMENSIONS:
            before = 0
            for index, stage in enumerate(STAGES):
                entry = next(entry for name, entry in found.items()
                             if name.startswith(f'BM_Stage/form:{number}/d:{dimension}/stage:{index}/'))
                total = entry['cpu_time'] / entry['events']
                stages[f'{form}, d = {dimension}, {stage}'] = max(total - before, 0)
                before = total
    bed.say('cost: deletions')
    deletions = bed.benchmarks('stages', 'BM_Delete', bed.rounds, **environment(bed))
    lines = []
    for dimension in DIMENSIONS:
        deletion = next(entry for name, entry in deletions.items()
                        if name.startswith(f'BM_Delete/d:{dimension}/'))['real_time'] / 1000
        for form in FORMS:
            parts = [stages[f'{form}, d = {dimension}, {stage}'] for stage in STAGES]
            lines.append([dimension, form, *(f'{part:,.0f}' for part in parts), f'{sum(parts):,.0f}',
                          f'{deletion:.2f}'])
    decoded = stages['JSON, d = 100, read'] + stages['JSON, d = 100, decode']
    share = 100 * stages['JSON, d = 100, state'] / decoded
    return {'rows': [row('state, of what JSON costs from the file to numbers that are checked, d = 100', share, '%',
                         '<= 30')],
            'tables': [table('cost', 'By dimension', ['d', 'form', *(f'{stage}, ns' for stage in STAGES),
                                                      'all, ns', 'a deletion, ms'], lines)],
            'stages': stages}
