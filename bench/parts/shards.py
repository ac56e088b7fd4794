"""How the rate grows with partitions in one process, and in two, and what the broker takes."""
import shutil
import statistics
import time

from parts.bed import row, table
from parts.daemon import Daemon, config

TITLE = 'Shards and processes'
NOTE = '''`lethe run` on a topic with a backlog of JSON events, d = 20, from ready to the last commit. The broker runs on the same
machine: its share is that of the processor time of both.'''
CASES = {'one shard': (1, 1), 'two shards': (2, 1), 'four shards': (4, 1), 'two shards, two processes': (2, 2)}


def run_once(bed, topic, events, processes):
    names = [f'shards-{number}' for number in range(processes)]
    daemons = []
    broker_before = bed.broker.processor_seconds()
    try:
        for number, name in enumerate(names):
            partitions = 'all' if processes == 1 else f'{{ordinal: {number}, of: {processes}}}'
            daemons.append(Daemon(bed, config(bed, name, topic, 20, partitions)))
        # A process has its own partitions only, so none has all records.
        while sum(daemon.total('lethe_events_total') for daemon in daemons) < events:
            time.sleep(0.05)
        end = max(daemon.wait_for_records(0) for daemon in daemons)
        ours = sum(daemon.processor_seconds() for daemon in daemons)
        broker = bed.broker.processor_seconds() - broker_before
        start = min(daemon.ready for daemon in daemons)
        for daemon in daemons:
            daemon.stop()
    finally:
        for daemon in daemons:
            daemon.kill()
        for name in names:
            shutil.rmtree(bed.path(name), ignore_errors=True)
    return {'rate': events / (end - start), 'ours_ns': 1e9 * ours / events,
            'broker_ns': 1e9 * broker / events}


def measure(bed):
    events = bed.size(2_000_000, 10_000)
    topics = {}
    for partitions in sorted({partitions for partitions, _ in CASES.values()}):
        bed.say(f'shards: a topic of {partitions}')
        topics[partitions], _ = bed.broker.new_topic(events=events, partitions=partitions)
    results = bed.in_turn({
        name: lambda partitions=partitions, processes=processes: run_once(bed, topics[partitions], events,
                                                                          processes)
        for name, (partitions, processes) in CASES.items()}, 'shards:')
    for topic in topics.values():
        bed.broker.remove_topic(topic)
    medians = {name: {key: statistics.median(run[key] for run in runs) for key in runs[0]}
               for name, runs in results.items()}
    one = medians['one shard']['rate']
    lines = [[name, f"{found['rate']:,.0f}", f"{found['rate'] / one:.2f}", f"{found['ours_ns']:,.0f}",
              f"{found['broker_ns']:,.0f}",
              f"{100 * found['broker_ns'] / (found['ours_ns'] + found['broker_ns']):.0f}%"]
             for name, found in medians.items()]
    rows = [row(f'{name}, to one', found['rate'] / one, 'x') for name, found in medians.items()
            if name != 'one shard']
    return {'rows': rows, 'tables': [table(
        'shards', 'Events per second', ['', 'events/s', 'to one shard', 'Lethe, ns of processor time',
                                        'broker, ns', "the broker's share"], lines)], 'shards': medians}
