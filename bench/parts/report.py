"""Results as text: bench/results.md, and what docs/performance.md shows of them."""
import json
import os
import re

from parts import picture
from parts.bed import ROOT

PAGE = os.path.join(ROOT, 'docs', 'performance.md')
PICTURE = os.path.join(ROOT, 'docs', 'performance.svg')


def grid(columns, rows):
    lines = [columns, ['---'] * len(columns), *rows]
    return '\n'.join('| ' + ' | '.join(map(str, line)) + ' |' for line in lines)


def figure(row):
    value = row['value']
    text = f'{value:,.0f}' if abs(value) >= 100 else f'{value:.3g}'
    return f"{text} {row['unit']}" if row['unit'] not in ('x', '%') else text + ('%' if row['unit'] == '%' else '')


def targets(results):
    """Every figure that has a target, and whether it was met."""
    lines = []
    for part in results['parts'].values():
        for row in part['rows']:
            if row['target']:
                met = 'not judged' if results['quick'] else 'yes' if row['met'] else '**no**'
                unit = '' if row['unit'] == 'x' else row['unit'] if row['unit'] == '%' else ' ' + row['unit']
                lines.append([row['name'], row['target'] + unit, figure(row), met])
    return grid(['figure', 'target', 'measured', 'met'], lines)


def sizing(results):
    """What a million events need, from the largest state that was measured."""
    growth = results['parts'].get('growth', {}).get('growth')
    if not growth:
        return None
    (small, first), (large, last) = [(int(events), one) for events, one in growth.items()][::len(growth) - 1]
    memory = (last['memory'] - first['memory']) / (large - small)
    lines = [['disk, mode passive', f"{last['disk']:.1f} MB"],
             ['memory', f'{memory:.1f} MB, and {first["memory"] / 1e6:.0f} MB to begin with'],
             ['processor time, binary, d = 20, with the Kafka client', f"{last['learn_ns'] / 1000:.2f} s"],
             ['time to catch up on a machine of two cores that the broker shares', f"{1e6 / last['rate']:.2f} s"],
             ['start after a crash', f"{1000 * (last['start_s'] - first['start_s']) / (large - small) * 1e6:.0f} ms, "
                                     f"and {1000 * first['start_s']:.0f} ms to begin with"]]
    return grid(['for each million events', ''], lines)


def about(results):
    versions = dict(results['versions'])
    for part in results['parts'].values():
        versions.update(part.get('versions', {}))
    return (f"`{results['command']}` on {results['began']}, {results['machine']}. "
            + ', '.join(f'{name} {version}' for name, version in versions.items())
            + f". Medians of {results['rounds']} rounds in turn where not said otherwise. Load at the start and at the end: "
            + ', '.join(f'{load:.1f}' for load in results['load'])
            + f". It took {sum(part['seconds'] for part in results['parts'].values()) / 60:.0f} minutes.")


def markdown(results):
    text = ['# Results', about(results), '## Targets', targets(results)]
    for name, part in results['parts'].items():
        text += [f"## {part['title']}", f'`./dev bench {name}`' + (
            f", on its own on {part['began']}" if 'began' in part else '') + f": {part['seconds']:.0f} s.", part['note']]
        for reason in ('skipped', 'failed'):
            if reason in part:
                text.append(f'{reason.capitalize()}: {part[reason]}')
        for table in part['tables']:
            text += [f"### {table['title']}", grid(table['columns'], table['rows'])]
    return '\n\n'.join(text) + '\n'


def blocks(results):
    """What stands between markers of the page, by name."""
    found = {'about': about(results), 'targets': targets(results), 'sizing': sizing(results)}
    for part in results['parts'].values():
        for table in part['tables']:
            found[table['name']] = grid(table['columns'], table['rows'])
    return {name: text for name, text in found.items() if text}


def fill_page(results):
    with open(PAGE) as file:
        text = file.read()
    for name, block in blocks(results).items():
        text = re.sub(rf'(<!-- begin {name} -->\n).*?(<!-- end {name} -->)',
                      lambda found, block=block: f'{found.group(1)}\n{block}\n\n{found.group(2)}', text, flags=re.S)
    with open(PAGE, 'w') as file:
        file.write(text)


def write(results, kept, folder, with_docs):
    os.makedirs(folder, exist_ok=True)
    with open(kept, 'w') as file:
        json.dump(results, file, indent=1)
        file.write('\n')
    with open(os.path.join(folder, 'results.md'), 'w') as file:
        file.write(markdown(results))
    drawn = picture.draw(results)
    if drawn:
        with open(PICTURE if with_docs else os.path.join(folder, 'performance.svg'), 'w') as file:
            file.write(drawn)
    if with_docs:
        fill_page(results)
