"""From a real broker into durable state, against a consumer that does nothing but count."""
import statistics

from parts.bed import row, table
from parts.cost import FORMS, environment

TITLE = 'From the broker'
NOTE = '''One partition, the broker on the same machine. The bare consumer is librdkafka's callback, which only counts; the pipeline is all
that `lethe run` does for a shard, with a new state. In turn, on the same topic, the clock stopped at the last message. Each run is a
process of its own, as a daemon is: in the heap that the other has left behind it would be slower.
Processor time is that of the process, librdkafka's threads included, without the broker. Medians of three times as many rounds as
elsewhere, because a run takes half a second only.'''
CASES = (('JSON', 20, '>= 0.55'), ('JSON', 100, '>= 0.55'), ('binary float32', 20, None),
         ('binary float32', 100, '>= 0.7'))
CONTENDERS = ('BareConsumer', 'Pipeline')


def once(bed, contender, form, dimension):
    case = f'{contender}/form:{FORMS[form]}/d:{dimension}/one_deletion_in:0/'
    (figures,) = bed.benchmarks('pipeline', case, LETHE_BROKER=bed.broker.address,
                                LETHE_BENCH_TOPICS='bench', **environment(bed)).values()
    return figures


def medians(runs):
    return {name: statistics.median(run[name] for run in runs) for name in ('per_s', 'processor_ns')}


def measure(bed):
    for form, dimension, _ in CASES:
        bed.say(f'broker: a topic of {form}, dimension {dimension}')
        once(bed, 'BareConsumer', form, dimension)
    results = bed.in_turn({(contender, form, dimension): lambda case=(contender, form, dimension): once(bed, *case)
                           for form, dimension, _ in CASES for contender in CONTENDERS}, 'broker:',
                          rounds=3 * bed.rounds)  # runs of half a second, which differ by a fifth
    rows, lines, processor = [], [], {}
    for form, dimension, target in CASES:
        bare, ours = (medians(results[contender, form, dimension]) for contender in CONTENDERS)
        ratio = ours['per_s'] / bare['per_s']
        rows.append(row(f'from the broker, {form}, of a bare consumer, d = {dimension}', ratio, 'x', target))
        lines.append([dimension, form, f"{bare['per_s']:,.0f}", f"{ours['per_s']:,.0f}", f'{ratio:.2f}',
                      f"{bare['processor_ns']:,.0f}", f"{ours['processor_ns']:,.0f}"])
        processor[f'{form}, d = {dimension}'] = ours['processor_ns']
    return {'rows': rows, 'processor_ns': processor, 'tables': [table(
        'broker', 'Events per second', ['d', 'form', 'bare consumer, events/s', 'Lethe, events/s', 'ratio',
                                        'bare, ns', 'Lethe, ns'], lines)]}
