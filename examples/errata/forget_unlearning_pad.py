#!/usr/bin/env python3
"""Forget Unlearning, Theorem 4.3: requests that depend on released models.

As printed: if deletions are eps_dd-private for requests that do not look at the models, and
retained records are eps_dp-private in every model, then for a requester who has seen p models
deletions are (eps_dd + p eps_dp)-private. A one-time pad shows that this is too good. The first
model carries a pad bit and a noisy sum of all records; the deletion publishes the deleted bit XOR
the pad, erases the pad, and publishes the noisy sum again. A person who does not look learns nothing.
A person who has seen the pad writes it into ten new records, and the noisy sum gives it back. What
holds: the deletion bound must be true given every model that the requester has seen; our `noisy`
mode takes the divergence at the first model that shows the event, after which nothing touches the
event again.
"""
import math
import random

Q, EPS_DD, EPS_DP, SEEN, RECORDS, DRAWS = 2, 0.0, 0.1, 1, 10, 100_000


def phi(x):
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


draw = random.Random(1)
noise = math.sqrt(Q / (2 * EPS_DP))  # one record changes the sum by 1: Renyi order q, eps_dp


def attack(secret, adaptive):
    """What somebody says of the deleted bit who sees only what comes after the deletion."""
    pad = draw.getrandbits(1)
    added = RECORDS * (pad if adaptive else draw.getrandbits(1))
    published, total = secret ^ pad, added + draw.gauss(0, noise)
    return published ^ (total > RECORDS / 2)


def advantage(adaptive):
    hits = [sum(attack(secret, adaptive) for _ in range(DRAWS)) / DRAWS for secret in (0, 1)]
    return hits[1] - hits[0]


blind, seen = advantage(False), advantage(True)
exact = 2 * phi(RECORDS / (2 * noise)) - 1
claimed = EPS_DD + SEEN * EPS_DP
# One of the two secrets is at least half as far from the reference; Renyi >= KL >= 2 TV^2.
needed = 2 * (exact / 2) ** 2
print(f"one-time pad: total variation {blind:.3f} for requests that do not look, {seen:.3f} for"
      f" those that do (exactly {exact:.3f})")
print(f"  as printed: eps at most {claimed:.2f}; what is visible needs at least {needed:.2f}")
assert abs(blind) < 0.02 and abs(seen - exact) < 0.02
assert needed > claimed, "the printed bound was expected to fail"

# Our form. An event leaves a shift of at most e in a model that is published with noise sigma and
# is from then on the state; what comes after depends on it in any way the requester likes.
e, sigma, contraction = 0.5, 1.0, 0.9
promised = 2 * phi(e / (2 * sigma)) - 1


def adaptive_run(shift):
    first = state = shift + draw.gauss(0, sigma)
    evidence = [first]
    for _ in range(5):  # events and requests that answer to the last model
        state = contraction * state + (1.0 if state > 0 else -0.5) + 3 * math.sin(first)
        state += draw.gauss(0, 0.3)
        evidence.append(state)
    return evidence


threshold = e / 2
hits = [sum(adaptive_run(shift)[0] > threshold for _ in range(DRAWS)) / DRAWS for shift in (0, e)]
late = [sum(adaptive_run(shift)[-1] > 4 for _ in range(DRAWS)) / DRAWS for shift in (0, e)]
print(f"  our form:   advantage at most {promised:.3f}; the best test reaches {hits[1] - hits[0]:.3f},"
      f" one on the last model {abs(late[1] - late[0]):.3f}")
slack = 4 * math.sqrt(0.5 / DRAWS)
assert hits[1] - hits[0] <= promised + slack and abs(late[1] - late[0]) <= promised + slack
