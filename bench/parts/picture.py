"""Where the time goes, as a picture: processor time per event, stage by stage."""
from parts.cost import STAGES

CLIENT = 'Kafka client and hand-over'
COLOURS = {'read': '#8c8c8c', 'decode': '#2f6fb3', 'learn': '#d98c1f', 'state': '#3d8f5f', CLIENT: '#8f5fa8'}
CASES = (('JSON', 20), ('JSON', 100), ('binary float32', 20), ('binary float32', 100))
LEFT, WIDTH, BAR, GAP = 230, 560, 22, 10


def bars(results):
    """Name to stages; from a file as measured stage by stage, and from the broker with what is left
    of its total for the client."""
    stages = results['parts'].get('cost', {}).get('stages')
    totals = results['parts'].get('broker', {}).get('processor_ns', {})
    if not stages:
        return {}
    found = {}
    for form, dimension in CASES:
        case = f'{form}, d = {dimension}'
        parts = {stage: stages[f'{case}, {stage}'] for stage in STAGES}
        found[f'file, {case}'] = parts
        if case in totals:
            inside = {stage: value for stage, value in parts.items() if stage != 'read'}
            found[f'broker, {case}'] = {**inside, CLIENT: max(totals[case] - sum(inside.values()), 0)}
    return found


def text(x, y, words, anchor='start', weight='normal'):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-weight="{weight}">{words}</text>'


def draw(results):
    found = bars(results)
    if not found:
        return None
    most = max(sum(parts.values()) for parts in found.values())
    scale = WIDTH / most
    height = 84 + len(found) * (BAR + GAP)
    # A background of its own: readable on a light page and on a dark one.
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 90} {height}" '
             'font-family="sans-serif" font-size="13" fill="#222" role="img">',
             '<title>Processor time per event, by stage</title>',
             f'<rect width="100%" height="100%" rx="6" fill="#fff"/>',
             text(16, 26, 'Nanoseconds of processor time per event, all threads of Lethe', weight='bold')]
    x = 16
    for stage, colour in COLOURS.items():
        lines += [f'<rect x="{x}" y="40" width="12" height="12" fill="{colour}"/>', text(x + 17, 51, stage)]
        x += 40 + 7 * len(stage)
    for number, (name, parts) in enumerate(found.items()):
        y = 72 + number * (BAR + GAP)
        lines.append(text(LEFT - 10, y + 16, name, 'end'))
        x = LEFT
        for stage, value in parts.items():
            width = value * scale
            lines.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" '
                         f'fill="{COLOURS[stage]}"><title>{stage}: {value:,.0f} ns</title></rect>')
            if width > 42:
                lines.append(f'<g fill="#fff">{text(x + width / 2, y + 16, f"{value:,.0f}", "middle")}</g>')
            x += width
        lines.append(text(x + 6, y + 16, f'{sum(parts.values()):,.0f}'))
    return '\n'.join([*lines, '</svg>\n'])
