"""Where it was measured: the machine, and the versions of what was used."""
import os
import platform
import re
import subprocess

from parts.bed import BROKER_SCRIPT, ROOT


def said(command, pattern):
    """What a command says, as far as it matches; '?' where it cannot be asked."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return '?'
    found = re.search(pattern, done.stdout + done.stderr)
    return found.group(1) if found else '?'


def first(path, pattern):
    with open(path) as file:
        found = re.search(pattern, file.read())
    return found.group(1) if found else '?'


def machine():
    memory = int(first('/proc/meminfo', r'MemTotal:\s+(\d+)')) / 2**20
    processor = first('/proc/cpuinfo', r'model name\s*: (.*)')
    files = said(['findmnt', '-no', 'FSTYPE', '-T', '/tmp'], r'(\S+)')
    return (f'{os.cpu_count()} x {processor}, {memory:.0f} GiB, {files}, '
            f'{platform.system()} {platform.release()}')


def package(name):
    return said(['dpkg-query', '-W', '-f', '${Version}', name], r'([\w.]+)')


def versions(build):
    return {'Lethe': said(['git', '-C', ROOT, 'describe', '--always', '--dirty'], r'(\S+)'),
            'gcc': said(['g++', '-dumpfullversion'], r'(\S+)'),
            'jemalloc': package('libjemalloc-dev'),
            'librdkafka': package('librdkafka-dev'), 'RocksDB': package('librocksdb-dev'),
            'Apache Kafka': first(BROKER_SCRIPT, r'(?m)^version=(.*)$'),
            'Java': said(['java', '-version'], r'"([^"]+)"'), 'Python': platform.python_version()}
