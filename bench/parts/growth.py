"""What grows with the number of events: a daemon learns them, is killed, starts again, forgets."""
import shutil

from parts.bed import Failed, folder_bytes, row, table
from parts.daemon import Daemon, config, quantile

TITLE = 'Growth with the number of events'
NOTE = '''One `lethe run` in mode passive on a topic of so many binary events, d = 20, each with its own id and one of so many
subjects that each has 100 events. It learns them flat out (processor time and rate), is killed with `kill -9`, starts again
(from the start of the process to ready), is stopped (bytes on disk), and goes on with a backlog of 600,000 events in which one
record in 1,000 is a deletion by id, then of as many and one in 2,000 by subject. Of deletions the commits are timed, linear
within the buckets of `lethe_commit_duration_seconds`. Memory is the most that the process had up to the kill.'''
EVENTS_PER_SUBJECT = 100


class Growing:
    """A topic and the state that goes with it."""

    def __init__(self, bed, events):
        self.bed, self.events = bed, events
        self.stream = {'float32': True, 'dimension': 20, 'subjects': max(1, events // EVENTS_PER_SUBJECT)}
        self.topic, self.records = bed.broker.new_topic(events=events, **self.stream)
        self.learned = events
        self.config = config(bed, f'growth-{events}', self.topic, 20)

    def learn(self):
        with Daemon(self.bed, self.config) as daemon:
            before = daemon.processor_seconds()
            end = daemon.wait_for_records(self.records)
            return {'learn_ns': 1e9 * (daemon.processor_seconds() - before) / self.events,
                    'rate': self.events / (end - daemon.ready), 'memory': daemon.memory_bytes()}

    def start_again(self):
        with Daemon(self.bed, self.config) as daemon:
            daemon.wait_for_records(self.records)
            if daemon.total('lethe_events_total') != self.records:
                raise Failed('an event was learned twice')
            daemon.stop()
            found = {'start_s': daemon.ready - daemon.started}
        found['disk'] = folder_bytes(self.bed.path(f'growth-{self.events}')) / self.events
        return found

    def forget(self, events, every, by_subject):
        self.records += self.bed.broker.fill(self.topic, first=self.learned, events=events,
                                             delete_every=every, by_subject=by_subject,
                                             targets=self.events, **self.stream)
        self.learned += events
        with Daemon(self.bed, self.config) as daemon:
            daemon.wait_for_records(self.records)
            return daemon.deletion_times()

    def remove(self):
        self.bed.broker.remove_topic(self.topic)
        shutil.rmtree(self.bed.path(f'growth-{self.events}'))


def grow(bed, events):
    bed.say(f'growth: {events:,} events')
    growing = Growing(bed, events)
    found = growing.learn()  # and is killed
    found.update(growing.start_again())
    for name, tail, every in (('id', bed.size(600_000, 20_000), 1_000),
                              ('subject', bed.size(600_000, 20_000), 2_000)):
        times = growing.forget(tail, every, name == 'subject')
        found[f'{name}_p50'], found[f'{name}_p99'] = (1000 * quantile(times, part) for part in (.5, .99))
        found[f'{name}_buckets'] = [[bound, count] for bound, count in times if bound != float('inf')]
    growing.remove()
    return found


def measure(bed):
    sizes = bed.size((10_000, 100_000, 1_000_000, 10_000_000), (2_000, 10_000))
    found = {events: grow(bed, events) for events in sizes}
    small, large = sizes[0], sizes[-1]
    most = found[large]
    rows = [row(f'deletion, {part}, at {events:,} events', found[events][f'id_{part}'], 'ms', target)
            for events in (small, large) for part, target in (('p50', '< 1'), ('p99', '< 10'))]
    rows += [row(f'deletion of a subject with {EVENTS_PER_SUBJECT} of {large:,} events, p99', most['subject_p99'],
                 'ms', '< 20'),
             row(f'disk per event, with id and subject, at {large:,}', most['disk'], 'B', '<= 16'),
             row(f'memory at {large:,} ids', most['memory'] / 1e6, 'MB', f'<= {20 * large / 1e6 + 100:.0f}'),
             row(f'start after kill -9 at {large:,}', most['start_s'], 's', '< 1.5')]
    lines = [[f'{events:,}', f"{one['learn_ns']:,.0f}", f"{one['rate']:,.0f}",
              f"{one['id_p50']:.2f} / {one['id_p99']:.1f}",
              f"{one['subject_p50']:.1f} / {one['subject_p99']:.1f}", f"{one['disk']:.1f}",
              f"{one['memory'] / 1e6:.0f}", f"{one['start_s']:.2f}"] for events, one in found.items()]
    return {'rows': rows, 'growth': found, 'tables': [table(
        'growth', 'By number of events',
        ['events', 'a learn, ns of processor time', 'events/s', 'deletion by id, p50 / p99, ms',
         'by subject (100 events), ms', 'disk, B per event', 'memory, MB', 'start after kill -9, s'], lines)]}
