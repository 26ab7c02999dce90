"""Boosted trees of the own market, trained again each week on the outcomes so far. Packages: numpy, lightgbm.

The inputs are EWMAs, variances, past moves, counts of ticks, and the profile of the clock over 28 days.
"""

import lightgbm
import numpy as np
from market import Grid, Logistic, size
from tickmark_model import serve

TREES = {
    "objective": "binary", "learning_rate": 0.03, "num_leaves": 15, "min_data_in_leaf": 100, "feature_fraction": 0.7, "bagging_fraction": 0.8,
    "bagging_freq": 1, "lambda_l2": 5.0, "verbosity": -1, "num_threads": 1, "seed": 1, "deterministic": True,
}  # fmt: skip
DAY_US = 86_400_000_000
LEAST_OUTCOMES = 400
EWMAS = {1: (10, 30, 60, 120, 300), 10: (120, 300, 600, 1800, 3600), 60: (3600, 14_400, 86_400, 432_000)}
SPANS = (10, 60, 300, 1800)
grids = {1: Grid(1, keep=1900), 10: Grid(10, keep=8640), 60: Grid(60, keep=28 * 1440)}
asked, x, y = {}, [], []
state = {"week": None, "trees": None, "day": None, "profile": np.ones(1440)}
line = Logistic(1)
times = np.zeros(0)


def on_ticks(times_us, prices):
    global times
    times = np.append(times, times_us)
    times = times[np.searchsorted(times, times[-1] - SPANS[-1] * 1e6) :]
    for grid in grids.values():
        grid.add(times_us, prices)


def profile_of(day):
    """Mean square of each minute of the day over that of the day, smoothed over half an hour."""
    minutes = grids[60]
    if day != state["day"] and len(minutes.bins) > 1440:
        place = minutes.bins % 1440
        sums = np.bincount(place, minutes.returns**2, 1440)
        shape = (sums + sums.mean()) / (np.bincount(place, minlength=1440) + 1)
        wide = np.convolve(np.tile(shape, 3), np.ones(31) / 31, "same")[1440:2880]
        state.update(day=day, profile=wide / wide.mean())
    return state["profile"]


def features_of(window):
    now = window["time_us"]
    for grid in grids.values():
        grid.settle()
    columns = [size(grids[seconds].ewma(life), window) for seconds, lives in EWMAS.items() for life in lives]
    columns += [size(grids[10].variance(span // 10), window) for span in (300, 1800, 7200, 86_400)]
    counts = [np.log1p(len(times) - np.searchsorted(times, now - span * 1e6)) for span in SPANS]
    past = [abs(grids[seconds].returns[-bins:].sum()) * 1e4 / window["threshold_bps"] for seconds, bins in ((1, 10), (1, 60), (10, 30), (10, 180))]
    minute, ahead = now // 60_000_000 % 1440, max(1, window["horizon_ms"] // 60_000)
    profile = profile_of(now // DAY_US)
    means = [profile[np.arange(minute + since, minute + until) % 1440].mean() for since, until in ((0, ahead), (-60, 0))]
    clock = [np.log(means[0]), np.log(means[0] / means[1]), size(grids[60].variance(28 * 1440) * means[0], window), minute / 60, now // DAY_US % 7]
    return [*columns, *counts, counts[0] - counts[-1], counts[1] - counts[-1], *past, *clock, np.log(window["horizon_ms"]), np.log(window["threshold_bps"])]


def probability_of(window):
    found = features_of(window)
    asked[window["id"]] = found
    week = window["time_us"] // (7 * DAY_US)
    if week != state["week"] and len(y) >= LEAST_OUTCOMES:
        rounds = 60 if len(y) < 3000 else 150
        state.update(week=week, trees=lightgbm.train(TREES, lightgbm.Dataset(np.array(x), np.array(y)), rounds))
    return state["trees"].predict(np.array([found]), num_threads=1)[0] if state["trees"] else line.probability(found[7:8])


def on_outcome(id, moved, move_bps):
    found = asked.pop(id)
    x.append(found)
    y.append(float(moved))
    if not state["trees"]:
        line.learn(found[7:8], moved)


serve(probability_of, keep=1, on_ticks=on_ticks, on_outcome=on_outcome)
