"""What the parts share: the programs, a scratch folder, a broker, how to run and time a command."""
import json
import operator
import os
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BROKER_SCRIPT = os.path.join(ROOT, 'tests', 'broker', 'broker.sh')
COMPARISONS = {'>=': operator.ge, '<=': operator.le, '<': operator.lt}


class Skipped(Exception):
    """A part cannot be measured here, which is no failure."""


class Failed(Exception):
    """A command failed; says which, and what it said."""


def row(name, value, unit, target=None):
    """A figure. A target is a comparison and a number, such as '>= 3.5'."""
    met = None
    if target:
        comparison, bound = target.split()
        met = COMPARISONS[comparison](value, float(bound.replace(',', '')))
    return {'name': name, 'value': value, 'unit': unit, 'target': target, 'met': met}


def table(name, title, columns, rows):
    """A table of texts. The documentation shows it by its name."""
    return {'name': name, 'title': title, 'columns': columns, 'rows': rows}


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          **options)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}: exit {done.returncode}: "
                     f"{(done.stderr or done.stdout).strip()[-2000:]}")
    return done


def processor_seconds(pid):
    """User and system time of a process so far, with its children that have ended."""
    with open(f'/proc/{pid}/stat') as file:
        fields = file.read().rpartition(')')[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf('SC_CLK_TCK')


def folder_bytes(path):
    return sum(os.lstat(os.path.join(folder, name)).st_size
               for folder, _, names in os.walk(path) for name in names)


class Broker:
    """A real one, of its own or that of the tests; filled by the program `fill`."""

    def __init__(self, folder, is_own, fill):
        self.folder, self.is_own, self.fill_program = folder, is_own, fill
        self.address = run(['bash', BROKER_SCRIPT, 'url' if not is_own else 'start', folder]).stdout.strip()
        self.topics = 0

    def fill(self, topic, **options):
        words = []
        for name, value in options.items():
            if value is not False:
                words += ['--' + name.replace('_', '-')] + ([] if value is True else [value])
        return int(run([self.fill_program, self.address, topic, *words]).stdout)

    def new_topic(self, **options):
        self.topics += 1
        topic = f'bench-{os.getpid()}-{self.topics}'
        return topic, self.fill(topic, **options)

    def remove_topic(self, topic):
        run([self.fill_program, self.address, topic, '--remove'])

    def processor_seconds(self):
        """Of Java, which is a child of the `timeout` that was started."""
        with open(os.path.join(self.folder, 'pid')) as file:
            parent = int(file.read())
        children = run(['ps', '-o', 'pid=', '--ppid', parent]).stdout.split()
        return sum(processor_seconds(pid) for pid in [parent, *children])

    def remove(self):
        if self.is_own:
            run(['bash', BROKER_SCRIPT, 'remove', self.folder])


class Bed:
    def __init__(self, build, venv, scratch, quick, rounds):
        self.lethe_program = os.path.join(build, 'lethe')
        self.programs = os.path.join(build, 'bench', 'bin')
        self.venv, self.scratch, self.quick, self.rounds = venv, scratch, quick, rounds
        self.started_broker = None

    def path(self, name):
        return os.path.join(self.scratch, name)

    def size(self, full, quick):
        return quick if self.quick else full

    def say(self, text):
        print(f'bench: {time.strftime("%H:%M:%S")} {text}', file=sys.stderr, flush=True)

    @property
    def broker(self):
        if not self.started_broker:
            tests = os.environ.get('LETHE_BROKER_DIR')
            is_own = not (tests and os.path.exists(os.path.join(tests, 'pid')))
            if is_own and not shutil.which('java'):
                raise Skipped('no Java here, and so no broker')
            self.say('a broker')
            self.started_broker = Broker(self.path('broker') if is_own else tests, is_own,
                                         os.path.join(self.programs, 'fill'))
        return self.started_broker

    def close(self):
        if self.started_broker:
            self.started_broker.remove()

    def lethe(self, *words):
        return run([self.lethe_program, *words]).stdout

    def write(self, name, text):
        path = self.path(name)
        with open(path, 'w') as file:
            file.write(text)
        return path

    def replay(self, stream, config):
        """Wall-clock seconds and the summary of a replay with a new state on disk."""
        state = self.path('replayed')
        start = time.perf_counter()
        out = self.lethe('replay', stream, '--config', config, '--state', state, '--json')
        seconds = time.perf_counter() - start
        shutil.rmtree(state)
        return seconds, json.loads(out)

    def in_turn(self, contenders, what='', rounds=None):
        """Runs every contender once in each round; the results of each, by name."""
        results = {name: [] for name in contenders}
        rounds = rounds or self.rounds
        for number in range(rounds):
            for name, contender in contenders.items():
                results[name].append(contender())
            self.say(f'{what} round {number + 1} of {rounds}')
        return results

    def benchmarks(self, program, filter, rounds=1, pick=statistics.median, **environment):
        """Runs a google-benchmark program; name to its figures, the median of the rounds or as picked."""
        out = run([os.path.join(self.programs, program), f'--benchmark_filter={filter}',
                   '--benchmark_format=json', f'--benchmark_repetitions={rounds}',
                   '--benchmark_enable_random_interleaving=' + ('true' if rounds > 1 else 'false')],
                  env={**os.environ, 'TMPDIR': self.scratch, **environment}).stdout
        found = {}
        for entry in json.loads(out)['benchmarks']:
            if entry['run_type'] != 'iteration':
                continue
            if entry.get('error_occurred'):
                raise Failed(f"{entry['name']}: {entry['error_message']}")
            found.setdefault(entry['run_name'], []).append(entry)
        return {name: {key: pick(entry[key] for entry in entries)
                       for key, value in entries[0].items()
                       if isinstance(value, (int, float)) and not isinstance(value, bool)}
                for name, entries in found.items()}
