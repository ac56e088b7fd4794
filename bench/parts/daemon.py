"""A `lethe run`, watched from outside."""
import datetime
import os
import re
import signal
import subprocess
import time
import urllib.request

from parts.bed import Failed, processor_seconds

PATIENCE_S = 300


def config(bed, name, topic, dimension, partitions='all', more=''):
    """A configuration file, with a state of its own. Short pauses, so that the last commit is soon."""
    return bed.write(f'{name}.yaml', f'''
model: {{dimension: {dimension}}}
source: {{kafka: {{brokers: "{bed.broker.address}", topic: {topic}, partitions: {partitions}}}}}
state: {{path: {bed.path(name)}, commit_every: 10ms}}
http: {{listen: "127.0.0.1:0"}}
{more}''')


class Daemon:
    def __init__(self, bed, config_path):
        self.log = config_path + '.log'
        self.started = time.time()
        with open(self.log, 'w') as log:
            self.process = subprocess.Popen([bed.lethe_program, 'run', '--config', config_path],
                                            stderr=log)
        try:
            self.url = self.wait_for_log(r'msg=listening url=(\S+)')
            ready = self.wait_for_log(r'time=(\S+)Z .*msg=ready')
        except BaseException:
            self.kill()
            raise
        self.ready = datetime.datetime.fromisoformat(ready + '+00:00').timestamp()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def wait_for_log(self, pattern):
        deadline = time.time() + PATIENCE_S
        while time.time() < deadline:
            with open(self.log) as file:
                found = re.search(pattern, file.read())
            if found:
                return found.group(1)
            if self.process.poll() is not None:
                break
            time.sleep(0.005)
        with open(self.log) as file:
            raise Failed(f'no {pattern} in the log of lethe run: {file.read()[-2000:]}')

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return answer.read().decode()

    def metrics(self):
        """Series, as they are written, to values."""
        lines = [line.rsplit(' ', 1) for line in self.get('/metrics').splitlines() if line[0] != '#']
        return {series: float(value) for series, value in lines}

    def total(self, name):
        return sum(value for series, value in self.metrics().items()
                   if re.match(name + r'(\{|$)', series))

    def wait_for_records(self, count):
        """Until so many were committed; returns when that was seen, to about a tenth of a second."""
        deadline = time.time() + PATIENCE_S
        while True:
            totals = re.search(r'"totals":\{"records":(\d+)', self.get('/v1/status'))
            if totals and int(totals.group(1)) >= count:
                break
            if time.time() > deadline or self.process.poll() is not None:
                raise Failed(f'lethe run did not get to record {count}, see its log')
            time.sleep(0.02)
        return time.time()

    def processor_seconds(self):
        return processor_seconds(self.process.pid)

    def memory_bytes(self):
        """The most that it ever had."""
        with open(f'/proc/{self.process.pid}/status') as file:
            return 1024 * int(re.search(r'VmHWM:\s+(\d+)', file.read()).group(1))

    def deletion_times(self):
        """Cumulative counts of what the commits of deletions took, by upper bound."""
        buckets = {}
        for series, value in self.metrics().items():
            found = re.match(r'lethe_commit_duration_seconds_bucket\{.*kind="deletion".*le="([^"]+)"',
                             series)
            if found:
                bound = float(found.group(1).replace('+Inf', 'inf'))
                buckets[bound] = buckets.get(bound, 0) + value
        return sorted(buckets.items())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(PATIENCE_S):
            raise Failed(f'lethe run ended with {self.process.returncode}, see {os.path.basename(self.log)}')

    def kill(self):
        self.process.kill()
        self.process.wait()


def quantile(buckets, part):
    """Of a histogram, linear within a bucket; seconds."""
    total = buckets[-1][1]
    if total == 0:
        raise Failed('no deletion was measured')
    below, count_below = 0.0, 0
    for bound, count in buckets:
        if count >= part * total:
            if bound == float('inf'):
                return bound
            return below + (bound - below) * (part * total - count_below) / (count - count_below)
        below, count_below = bound, count
