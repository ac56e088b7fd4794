#!/usr/bin/env python3
"""Two builds of lethe against each other: processor time of a replay with durable state.

    bench/versus.py OLD NEW STREAM CONFIG [ROUNDS]

The programs run in turn, so that what disturbs one disturbs the other; the figure is the median of
NEW / OLD over the rounds. Processor time (user and system) does not count what other programs did,
but a busy machine still disturbs it by a few percent: use many rounds, and repeat the command.
"""
import os
import statistics
import sys
import tempfile


def seconds(program, stream, config):
    with tempfile.TemporaryDirectory(prefix='lethe-versus-') as folder:
        child = os.fork()
        if child == 0:
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            words = [program, 'replay', stream, '--config', config, '--state', os.path.join(folder, 'state')]
            os.execv(program, words)
        _, status, used = os.wait4(child, 0)
        if status != 0:
            sys.exit(f'{program} failed')
    return used.ru_utime + used.ru_stime


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    programs, (stream, config) = sys.argv[1:3], sys.argv[3:5]
    times = [[], []]
    for i in range(int(sys.argv[5]) if len(sys.argv) == 6 else 21):
        for which in (0, 1) if i % 2 == 0 else (1, 0):
            times[which].append(seconds(programs[which], stream, config))
    ratios = sorted(new / old for old, new in zip(*times))
    old, new = (statistics.median(one) for one in times)
    print(f'old {old:.3f} s, new {new:.3f} s, ratio {statistics.median(ratios):.3f} '
          f'({ratios[len(ratios) // 4]:.3f} to {ratios[-1 - len(ratios) // 4]:.3f})')


if __name__ == '__main__':
    main()
