#!/usr/bin/env python3
"""Measures Lethe: `./dev bench` runs every part and writes bench/results.md, build/results.json, the picture and
the tables of docs/performance.md; `./dev bench PART...` runs some and prints what they found."""
import argparse
import importlib
import json
import os
import signal
import sys
import tempfile
import time

from parts import NAMES, machine, report
from parts.bed import ROOT, Bed, Failed, Skipped


def run_part(bed, name):
    part = importlib.import_module(f'parts.{name}')
    start = time.time()
    try:
        found = part.measure(bed)
    except Skipped as why:
        found = {'skipped': str(why), 'rows': [], 'tables': []}
        bed.say(f'{name}: skipped: {why}')
    except Failed as why:
        found = {'failed': str(why), 'rows': [], 'tables': []}
        bed.say(f'{name}: FAILED: {why}')
    seconds = time.time() - start
    bed.say(f'{name}: {seconds:.0f} s')
    return {'title': part.TITLE, 'note': part.NOTE, **found, 'seconds': seconds}


def run_parts(arguments):
    rounds = 1 if arguments.quick else arguments.rounds
    results = {'command': ' '.join(['./dev bench', *arguments.parts] + (['--quick'] if arguments.quick else [])
                                   + ([f'--rounds {rounds}'] if rounds not in (1, 5) else [])),
               'quick': arguments.quick, 'rounds': rounds, 'began': time.strftime('%Y-%m-%d %H:%M'),
               'machine': machine.machine(), 'versions': machine.versions(arguments.build),
               'load': [os.getloadavg()[0]], 'parts': {}}
    with tempfile.TemporaryDirectory(prefix='lethe-bench-') as scratch:
        bed = Bed(arguments.build, arguments.venv, scratch, arguments.quick, rounds)
        if results['load'][0] > 1 and not arguments.quick:
            bed.say(f"the machine is busy (load {results['load'][0]:.1f}): read the figures with care")
        try:
            for name in arguments.parts or NAMES:
                results['parts'][name] = run_part(bed, name)
        finally:
            bed.close()
    results['load'].append(os.getloadavg()[0])
    return results


def main():
    parser = argparse.ArgumentParser(prog='./dev bench', description=__doc__)
    parser.add_argument('parts', nargs='*', metavar='PART',
                        help=f"{', '.join(NAMES)}; report: only writes the files anew from results.json")
    parser.add_argument('--build', default=os.path.join(ROOT, 'build', 'release'), help='where the programs are')
    parser.add_argument('--venv', default=os.path.join(ROOT, 'build', 'peers'),
                        help='where the peers are installed, once')
    parser.add_argument('--rounds', type=int, default=5, help='medians are of so many (5)')
    parser.add_argument('--quick', action='store_true', help='tiny streams, one round: does it work?')
    parser.add_argument('--keep', action='store_true',
                        help='put parts that are run alone into the kept results')
    parser.add_argument('--out', help='a folder for results.md and results.json, instead of the kept ones')
    arguments = parser.parse_args()
    for part in arguments.parts:
        if part not in (*NAMES, 'report'):
            programs = os.listdir(os.path.join(arguments.build, 'bench', 'bin'))
            parser.error(f"no part '{part}'; there are {', '.join(NAMES)}, report, and the programs "
                         f"{', '.join(sorted(programs))}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the broker goes with it
    kept = os.path.join(arguments.out or os.path.join(ROOT, 'build'), 'results.json')
    if 'report' in arguments.parts:
        if not os.path.exists(kept):
            parser.error(f'there is no {kept}: a run of all parts writes it')
        with open(kept) as file:
            results = json.load(file)
    else:
        results = run_parts(arguments)
        results = json.loads(json.dumps(results))  # as it will be read back
    if arguments.keep and arguments.parts and os.path.exists(kept) and 'report' not in arguments.parts:
        with open(kept) as file:
            older = json.load(file)
        older['parts'].update({name: {**part, 'command': results['command'], 'began': results['began']}
                               for name, part in results['parts'].items()})
        results = older
    is_kept = not arguments.parts or arguments.keep or 'report' in arguments.parts
    if arguments.out or (is_kept and not results['quick']):
        report.write(results, kept, arguments.out or os.path.join(ROOT, 'bench'), with_docs=not arguments.out)
    print(report.markdown(results))
    return 1 if any('failed' in part for part in results['parts'].values()) else 0


if __name__ == '__main__':
    sys.exit(main())
