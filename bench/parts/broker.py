"""From a real broker into durable state, against a consumer that does nothing but count."""
from parts.bed import row, table
from parts.cost import FORMS, environment

TITLE = 'From the broker'
NOTE = '''One partition, the broker on the same machine. The bare consumer is librdkafka's callback, which only counts; the pipeline is all
that `lethe run` does for a shard, with a new state. In turn, on the same topic, the clock stopped at the last message.
Processor time is that of the process, librdkafka's threads included, without the broker.'''
CASES = (('JSON', 20, '>= 0.55'), ('JSON', 100, '>= 0.55'), ('binary float32', 20, None),
         ('binary float32', 100, '>= 0.7'))


def measure(bed):
    address = bed.broker.address
    bed.say('broker: bare consumer and pipeline')
    found = bed.benchmarks('pipeline', '(BareConsumer|Pipeline)/.*one_deletion_in:0/', bed.rounds,
                           LETHE_BROKER=address, **environment(bed))
    rows, lines, processor = [], [], {}
    for form, dimension, target in CASES:
        case = f'form:{FORMS[form]}/d:{dimension}/one_deletion_in:0/iterations:1/manual_time'
        bare, ours = found[f'BM_BareConsumer/{case}'], found[f'BM_Pipeline/{case}']
        ratio = ours['per_s'] / bare['per_s']
        rows.append(row(f'from the broker, {form}, of a bare consumer, d = {dimension}', ratio, 'x', target))
        lines.append([dimension, form, f"{bare['per_s']:,.0f}", f"{ours['per_s']:,.0f}", f'{ratio:.2f}',
                      f"{bare['processor_ns']:,.0f}", f"{ours['processor_ns']:,.0f}"])
        processor[f'{form}, d = {dimension}'] = ours['processor_ns']
    return {'rows': rows, 'processor_ns': processor, 'tables': [table(
        'broker', 'Events per second', ['d', 'form', 'bare consumer, events/s', 'Lethe, events/s', 'ratio',
                                        'bare, ns', 'Lethe, ns'], lines)]}
