#!/usr/bin/env python3
"""FATS, Algorithms 1 and 2: deleting one sample, exactly.

As printed, a round whose first local step used the deleted sample is done again from its beginning,
with clients drawn anew. Then the client of the deleted sample takes part too rarely: the result is
not distributed like a training without the sample. The repair keeps the clients of that round, and
its batches before the hit, and redraws the rest. Every history is enumerated, in fractions.
"""
from fractions import Fraction
from itertools import combinations, product


def clients(m, k):
    return [(draw, Fraction(1, m**k)) for draw in product(range(m), repeat=k)]


def batches(data, client, b):
    subsets = list(combinations(data[client], b))
    return [(subset, Fraction(1, len(subsets))) for subset in subsets]


def rounds(data, b, steps, drawn, kept):
    """All ways to go on in a round with these clients after the batches that were kept."""
    slots = [(client, i) for i in range(steps) for client in sorted(set(drawn))]
    ways = [((drawn, kept), Fraction(1))]
    for client, i in slots[len(kept):]:
        ways = [((drawn, taken + ((client, i, batch),)), p * q)
                for (_, taken), p in ways for batch, q in batches(data, client, b)]
    return ways


def train(data, k, b, steps, count, history=()):
    law = {history: Fraction(1)}
    while len(next(iter(law))) < count:
        longer = {}
        for past, p in law.items():
            for drawn, q in clients(len(data), k):
                for done, r in rounds(data, b, steps, drawn, ()):
                    longer[past + (done,)] = longer.get(past + (done,), 0) + p * q * r
        law = longer
    return law


def unlearn(data, left, k, b, steps, count, target, keeps_clients):
    law = {}
    for history, p in train(data, k, b, steps, count).items():
        for new, q in redo(history, left, k, b, steps, count, target, keeps_clients).items():
            law[new] = law.get(new, 0) + p * q
    return law


def redo(history, left, k, b, steps, count, target, keeps_clients):
    client, sample = target
    for r, (drawn, taken) in enumerate(history):
        hits = [n for n, (who, _, batch) in enumerate(taken) if who == client and sample in batch]
        if not hits:
            continue
        step = taken[hits[0]][1]
        if step == 0 and not keeps_clients:  # as printed: the round is drawn anew
            return train(left, k, b, steps, count, history[:r])
        kept = tuple(entry for entry in taken if entry[1] < step)
        law = {}
        for done, p in rounds(left, b, steps, drawn, kept):
            for whole, q in train(left, k, b, steps, count, history[:r] + (done,)).items():
                law[whole] = law.get(whole, 0) + p * q
        return law
    return {history: Fraction(1)}


def distances(m, n, k, b, steps, count):
    data = [tuple(range(n)) for _ in range(m)]
    left = [tuple(range(1, n))] + data[1:]
    honest = train(left, k, b, steps, count)
    result = []
    for keeps_clients in (False, True):
        law = unlearn(data, left, k, b, steps, count, (0, 0), keeps_clients)
        assert sum(law.values()) == 1
        result.append(sum(abs(law.get(h, 0) - honest.get(h, 0)) for h in law | honest) / 2)
    return result


for sizes in ((2, 2, 1, 1, 1, 1), (3, 3, 1, 2, 2, 2), (2, 3, 2, 1, 2, 1)):
    printed, repaired = distances(*sizes)
    m, n, k, b, steps, count = sizes
    print(f"{m} clients of {n} samples, {k} per round, batches of {b}, {steps} steps, {count} rounds:"
          f" total variation {printed} as printed, {repaired} repaired")
    assert printed > 0 and repaired == 0
assert distances(2, 2, 1, 1, 1, 1)[0] == Fraction(1, 8)
