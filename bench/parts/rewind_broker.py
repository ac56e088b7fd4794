"""Mode rewind from a real broker: throughput with deletions, and how long one takes until it is effective."""
import json
import math
import shutil
import statistics
import subprocess
import time

from parts.bed import Failed, row, table
from parts.daemon import Daemon, config

TITLE = 'Mode rewind from the broker'
NOTE = '''One `lethe run` in mode rewind with W = 100,000, one partition, d = 20, JSON, the broker on the same machine. Throughput: a backlog
without deletions, and with a deletion by subject after every 1,000 and every 100 events (people have two to four events in the
window); the clock runs from ready to the last commit, in turn, medians of the rounds. What waits is the newest deletions of the
backlog, in records between a request and the model that is clean of it, divided by the rate. Live: 150,000 events first, then so
many events in a second for a minute, and a deletion by subject every second; the time is from the timestamp of the request to the
moment at which HTTP shows its receipt, polled every 5 ms. Ages are uniform.'''
WINDOW = 100_000
SUBJECTS = 50_000
FIRST = 150_000
SHARES = {'none': 0, '0.1%': 1_000, '1%': 100}
GOALS = {'0.1%': '>= 0.9', '1%': '>= 0.5'}
MODE = f'forgetting: {{mode: rewind, retention: {2 * WINDOW}}}'


def quantile(values, part):
    """The smallest value that so many are at or below."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)] if ordered else float('nan')


def receipts(daemon):
    """The newest requests that are effective: position and time of each, as HTTP shows them."""
    found = json.loads(daemon.get('/v1/receipts?limit=500'))['receipts']
    return {one['uuid']: one for one in found if one['status'] != 'received'}


def run_backlog(bed, topic, records, number):
    """Records in a second, and the records that requests waited for."""
    name = f'rewind-{number}'
    with Daemon(bed, config(bed, name, topic, 20, more=MODE)) as daemon:
        begin = daemon.ready
        rate = records / (daemon.wait_for_records(records) - begin)
        waits = [one['effective']['offset'] - one['received']['offset']
                 for one in receipts(daemon).values() if one['outcome'] == 'forgotten']
        processor = daemon.processor_seconds()
    shutil.rmtree(bed.path(name))
    return {'rate': rate, 'waits': waits, 'processor_ns': 1e9 * processor / records}


def throughput(bed):
    topics = {}
    for share, every in SHARES.items():
        bed.say(f'rewind_broker: a topic with deletions: {share}')
        topics[share] = bed.broker.new_topic(events=bed.size(1_000_000, 5_000), subjects=SUBJECTS,
                                             delete_every=every, by_subject=every > 0)
    numbers = iter(range(10_000))
    runs = bed.in_turn({share: lambda topic=topic: run_backlog(bed, *topic, next(numbers))
                        for share, topic in topics.items()}, 'rewind_broker: backlog,')
    rows, lines = [], []
    rates = {share: statistics.median(one['rate'] for one in found) for share, found in runs.items()}
    for share, found in runs.items():
        waits = [1000 * wait / one['rate'] for one in found for wait in one['waits']]
        # Processor time is steadier on a machine that is busy with other things.
        processor = min(one['processor_ns'] for one in found)
        ratio, steady = rates[share] / rates['none'], min(
            one['processor_ns'] for one in runs['none']) / processor
        lines.append([share, f'{rates[share]:,.0f}', f'{ratio:.2f}', f'{processor:,.0f}', f'{steady:.2f}',
                      f'{quantile(waits, .5):.1f} / {quantile(waits, .99):.1f}' if waits else ''])
        if share in GOALS:
            rows.append(row(f'rate with {share} deletions by subject, of that without, rewind', ratio, 'x', GOALS[share]))
            rows.append(row(f'the same by processor time, {share}', steady, 'x'))
    for topic, _ in topics.values():
        bed.broker.remove_topic(topic)
    return rows, table('rewind_rate', 'From the broker', [
        'deletions', 'records/s', 'of none', 'ns of processor time', 'none, of it', 'until effective, p50 / p99, ms'], lines)


def watch(daemon, seconds, filling):
    """Seconds from each request's timestamp until its receipt was seen, by its UUID."""
    before = set(receipts(daemon))
    seen = {}
    end = time.time() + seconds + 10
    while time.time() < end and (filling.poll() is None or time.time() < end - seconds):
        now = time.time()
        for uuid, one in receipts(daemon).items():
            if uuid not in before and uuid not in seen:
                seen[uuid] = now - one['received']['timestamp'] / 1000
        time.sleep(0.005)
    if filling.wait(60):
        raise Failed('fill failed')
    return list(seen.values())


def live(bed):
    rows, lines = [], []
    seconds = bed.size(60, 5)
    first = bed.size(FIRST, 2_000)
    for rate in (10, 1_000):
        bed.say(f'rewind_broker: {rate:,} events in a second')
        topic, records = bed.broker.new_topic(events=first, subjects=SUBJECTS)
        name = f'rewind-live-{rate}'
        with Daemon(bed, config(bed, name, topic, 20, more=MODE)) as daemon:
            daemon.wait_for_records(records)
            words = [bed.broker.fill_program, bed.broker.address, topic, '--first', first, '--events', rate * seconds,
                     '--subjects', SUBJECTS, '--targets', first, '--delete-every', rate, '--by-subject', '--rate', rate]
            with subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL) as filling:
                took = watch(daemon, seconds, filling)
        bed.broker.remove_topic(topic)
        shutil.rmtree(bed.path(name))
        if not took:
            raise Failed('no deletion was seen')
        p50, p99 = (1000 * quantile(took, part) for part in (.5, .99))
        lines.append([f'{rate:,}', len(took), f'{p50:.0f}', f'{p99:.0f}'])
        rows.append(row(f'until effective, p99, {rate:,} events/s and a deletion every second, W = {WINDOW:,}', p99, 'ms',
                        '< 1000'))
    return rows, table('rewind_live', 'Milliseconds until effective', ['events/s', 'deletions', 'p50', 'p99'], lines)


def measure(bed):
    rows, rates = throughput(bed)
    more, lives = live(bed)
    return {'rows': rows + more, 'tables': [rates, lives]}
