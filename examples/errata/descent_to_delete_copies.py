#!/usr/bin/env python3
"""Descent-to-Delete, Theorem 4.5: the best of several copies.

As printed, C copies are kept, the one with the smallest loss is chosen before noise is added, and
the choice is said not to matter. It does: copies that are almost equally good are far apart, and
which of them wins is decided by the last bits of the optimisation error, which is what differs
between a model that was unlearned and one that was trained anew. One copy is sound, and so is noise
on every copy before the choice.

Nine events of -1 and +1, cost (z - x)^2 / 2, descent that halves the distance, K = 3 parts of 3
slots, one event deleted and added again fifteen times, then deleted.
"""
import math

import numpy as np

SLOTS, PARTS, STEPS, EPSILON, DELTA, RUNS = 9, 3, 5, 1.0, 1e-6, 4000
BASE = np.array([1.0] * 4 + [-1.0] * 4)  # the ninth event, number 8, comes and goes
VALUES = np.append(BASE, 1.0)
N = len(VALUES)
GAMMA, LIPSCHITZ, DIAMETER, START = 0.5, 2.0, 2.0, 1.0
A = PARTS * N**2 * STEPS / SLOTS**2
SIGMA = (4 * math.sqrt(2) * LIPSCHITZ * GAMMA**A / (N * (1 - GAMMA**A))
         / (math.sqrt(math.log(2 / DELTA) + EPSILON) - math.sqrt(math.log(2 / DELTA))))


def training_steps():
    return math.ceil(A + math.log(DIAMETER / LIPSCHITZ * SLOTS * (1 + 10 * math.log(2 / DELTA)), 2))


def update_steps(i, parts):
    """As printed, for the i-th update when `parts` parts changed."""
    term = 10 * math.log(2 * i / DELTA)
    steps = term * (STEPS + SLOTS**2 / (PARTS * N**2) * math.log(1 + i * term, 2))
    return np.ceil(PARTS * N * steps / (SLOTS * np.maximum(parts, 1)))


def descend(models, slots, steps):
    means = VALUES[slots].reshape(*slots.shape[:-1], PARTS, -1).mean(-1)
    return means + (models - means) * GAMMA ** steps


def trained(draw, shape, events):
    slots = draw.integers(0, events, (*shape, SLOTS))
    return slots, descend(np.full((*shape, PARTS), START), slots, training_steps())


def unlearned(draw, shape):
    slots, models = trained(draw, shape, N)
    for i in range(1, 32):
        before = slots.copy()
        if i % 2 == 1:  # event 8 leaves: its slots are drawn again from the others
            slots = np.where(slots == 8, draw.integers(0, 8, slots.shape), slots)
        else:  # it comes back, to as many slots as it would have had
            count = draw.binomial(SLOTS, 1 / N, shape)
            order = np.argsort(draw.random(slots.shape), -1)
            slots = np.where(order < count[..., None], 8, slots)
        changed = (slots != before).reshape(*shape, PARTS, -1).any(-1)
        steps = update_steps(i, changed.sum(-1))[..., None]
        models = np.where(changed, descend(models, slots, steps), models)
    return slots, models


def best(models):
    """The average of the copy with the smallest loss on the eight events that are left."""
    averages = models.mean(-1)
    losses = averages**2  # their mean is 0
    return np.take_along_axis(averages, losses.argmin(-1)[..., None], -1)[..., 0]


def positive(draw, copies):
    """How often the published model is positive: unlearned, and trained anew."""
    shares = []
    for _, models in (unlearned(draw, (RUNS, copies)), trained(draw, (RUNS, copies), N - 1)):
        shares.append(np.mean(best(models) + SIGMA * draw.normal(size=RUNS) > 0))
    return shares


draw = np.random.default_rng(1)
print(f"noise sigma {SIGMA:.1e}, promised: delta {DELTA:.0e} at epsilon {EPSILON:.0f}")
p, q = positive(draw, copies=10)
delta = p - math.exp(EPSILON) * q
print(f"  as printed, 10 copies: P(model > 0) {p:.3f} unlearned, {q:.3f} trained anew:"
      f" delta at least {delta:.2f}")
assert delta > 0.25, "the printed rule was expected to fail"
p, q = positive(draw, copies=1)
error = 4 * math.sqrt(0.5 / RUNS)
print(f"  one copy:              P(model > 0) {p:.3f} and {q:.3f} (standard error {error / 4:.3f})")
assert abs(p - q) < error
# The same slots in both worlds: how far the two models are apart, against what the noise is for.
slots, models = unlearned(draw, (RUNS, 1))
again = descend(np.full(models.shape, START), slots, training_steps())
apart = np.abs(models.mean(-1) - again.mean(-1)).max()
covered = 8 * LIPSCHITZ * GAMMA**A / (N * (1 - GAMMA**A))
print(f"  one copy, same slots:  models differ by at most {apart:.1e}; the noise covers {covered:.1e}")
assert apart <= covered
