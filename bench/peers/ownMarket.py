"""What a quant would fit to one market: boosted trees, and a HAR with hours. For `npm run bench -- ownMarket`.

Reads a JSON line from standard input: {"times": file of float64 seconds, "prices": file of float64, "cells": [{"horizonS": H,
"rows": [[seconds, threshold, move], ...], "tested": [[seconds, threshold, move], ...]}]}, thresholds and moves in log price.
`rows` are windows to learn from, whose outcomes may overlap; `tested` are the later ones. Writes for each cell {"lightgbm": [...],
"har": [...]}, a probability for each tested window, made only from what was over at its last tick.
"""

import json
import sys

try:
    import lightgbm
    import numpy as np
    from scipy.ndimage import gaussian_filter1d
    from scipy.signal import lfilter
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)

DAY = 86_400
MINUTE = 60
# A longer pause is no time of the market.
PAUSE = 1800
# Seconds of a bin: mean lives of the EWMAs, in seconds.
EWMAS = {
    1: (10, 30, 60, 120, 300),
    10: (120, 300, 600, 1800, 3600),
    60: (3600, 4 * 3600, DAY, 5 * DAY),
}
SPANS = (10, 60, 300, 1800)
PROFILE_DAYS = 28
PROFILE_WIDTH = 15
FIT_DAYS = 20
HAR_MINUTES = (5, 30, 120, 1440)
# Trees are trained again before each four weeks.
BLOCK = 28 * DAY
TREES = {
    "objective": "binary",
    "learning_rate": 0.03,
    "num_leaves": 15,
    "min_data_in_leaf": 200,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "verbosity": -1,
    "num_threads": 1,
    "seed": 1,
}
MOST_ROUNDS = 400
PATIENCE = 40
# The last days before a block tell when to stop.
STOP_SHARE = 0.2


class Grid:
    """The last price of each bin of time with a tick; `place` counts the bins of open market."""

    def __init__(self, times, prices, seconds):
        self.seconds = seconds
        bins = np.floor_divide(times, seconds).astype(np.int64)
        last = np.append(np.flatnonzero(np.diff(bins)), len(bins) - 1)
        self.bins, log = bins[last], np.log(prices[last])
        steps = np.diff(self.bins, prepend=self.bins[0])
        pause = PAUSE // seconds
        self.most = pause
        self.place = np.cumsum(np.minimum(steps, pause))
        self.squares = np.zeros(self.place[-1] + 1)
        moves = np.diff(log, prepend=log[0])
        moves[steps > pause] = 0
        self.squares[self.place] = moves**2
        self.sums = np.concatenate(([0.0], np.cumsum(self.squares)))

    def at(self, seconds):
        """Places of the last bins that are over at these times."""
        ended = np.floor_divide(seconds, self.seconds).astype(np.int64) - 1
        found = np.maximum(np.searchsorted(self.bins, ended, side="right") - 1, 0)
        return self.place[found] + np.clip(ended - self.bins[found], 0, self.most)

    def variance(self, places, span):
        """Mean square of a second over the `span` seconds up to the places; of less at the beginning."""
        to = np.minimum(places + 1, len(self.squares))
        since = np.maximum(to - span // self.seconds, 0)
        return (self.sums[to] - self.sums[since]) / np.maximum(1, to - since) / self.seconds

    def ewma(self, life):
        keep = np.exp(-self.seconds / life)
        return lfilter([1 - keep], [1, -keep], self.squares) / self.seconds


class Clock:
    """Mean variance of each minute of the day over its day's, from the 28 days before each day, and their level."""

    def __init__(self, times, prices):
        minutes = np.floor_divide(times, MINUTE).astype(np.int64)
        last = np.append(np.flatnonzero(np.diff(minutes)), len(minutes) - 1)
        minutes, log = minutes[last], np.log(prices[last])
        steps, moves = np.diff(minutes, prepend=minutes[0]), np.diff(log, prepend=log[0])
        moves[steps > PAUSE // MINUTE] = 0
        days = minutes // 1440
        self.first = days[0]
        table = np.zeros((days[-1] - days[0] + 2, 1440))
        np.add.at(table, (days - days[0], minutes % 1440), moves**2)
        traded = np.bincount(days - days[0], minlength=len(table)) >= 300
        levels = table.mean(axis=1)
        shapes = gaussian_filter1d(table, PROFILE_WIDTH, axis=1, mode="wrap") / np.maximum(levels, 1e-30)[:, None]
        self.sums, self.levels, self.days = np.zeros((len(table), 2881)), np.full(len(table), np.nan), np.zeros(len(table))
        known = []
        for day in range(len(table)):
            recent = known[-PROFILE_DAYS:]
            self.days[day] = len(recent)
            shape = (2 + shapes[recent].sum(axis=0)) / (2 + len(recent))
            self.sums[day, 1:] = np.cumsum(np.tile(shape, 2))
            if recent:
                self.levels[day] = levels[recent].mean() / MINUTE
            if traded[day]:
                known.append(day)

    def day(self, seconds):
        return np.clip(np.floor_divide(seconds, DAY).astype(np.int64) - self.first, 0, len(self.days) - 1)

    def mean(self, seconds, since, until):
        """Mean of the profile of the day of `seconds`, from `since` to `until` seconds after it."""
        day, minute = self.day(seconds), (seconds % DAY) / MINUTE
        ends = [np.clip(minute + offset / MINUTE, -1440, 2880) for offset in (since, until)]
        places = np.arange(2881)
        low, high = (self._sum(day, end, places) for end in ends)
        return np.maximum((high - low) * MINUTE / (until - since), 1e-3)

    def _sum(self, day, minute, places):
        wrapped, whole = np.where(minute < 0, minute + 1440, minute), np.where(minute < 0, 1440.0, 0.0)
        below = np.minimum(wrapped.astype(np.int64), 2879)
        low, high = self.sums[day, below], self.sums[day, below + 1]
        return low + (wrapped - below) * (high - low) - whole


def features_of(market, seconds, theta, horizon):
    times, log, grids, clock = market["times"], market["log"], market["grids"], market["clock"]
    columns = []
    size = np.log(theta)
    for grid in grids.values():
        places = grid.at(seconds)
        for life in EWMAS[grid.seconds]:
            variance = market["ewmas"][grid.seconds, life][np.minimum(places, len(grid.squares) - 1)]
            columns.append(0.5 * np.log(np.maximum(variance, 1e-16) * horizon) - size)
    now = np.searchsorted(times, seconds, side="right")
    counts = [np.log1p(now - np.searchsorted(times, seconds - span)) for span in SPANS]
    columns += [*counts, counts[0] - counts[-1], counts[1] - counts[-1]]
    for span in (*SPANS, horizon):
        before = np.maximum(np.searchsorted(times, seconds - span, side="right") - 1, 0)
        columns.append(np.abs(log[now - 1] - log[before]) / theta)
    for span in (300, 1800, 7200, DAY):
        columns.append(0.5 * np.log(np.maximum(grids[10].variance(grids[10].at(seconds), span), 1e-16) * horizon) - size)
    ahead, day = clock.mean(seconds, 0, horizon), clock.day(seconds)
    columns += [
        0.5 * np.log(ahead / clock.mean(seconds, -3600, 0)),
        0.5 * np.log(ahead),
        0.5 * np.log(np.maximum(clock.levels[day], 1e-16) * ahead * horizon) - size,
        0.5 * np.log(np.maximum(clock.levels[day], 1e-16) * horizon) - size,
        size - np.log(horizon) / 2,
        (seconds % DAY) / 3600,
        np.floor_divide(seconds, DAY) % 7,
    ]
    return np.column_stack(columns)


def trees(market, cell):
    horizon, rows, tested = cell["horizonS"], cell["rows"], cell["tested"]
    x, y = features_of(market, rows[:, 0], rows[:, 1], horizon), np.abs(rows[:, 2]) > rows[:, 1]
    wanted = features_of(market, tested[:, 0], tested[:, 1], horizon)
    out = np.full(len(tested), np.nan)
    begin = np.floor(tested[0, 0] / DAY) * DAY
    while begin <= tested[-1, 0]:
        block = (tested[:, 0] >= begin) & (tested[:, 0] < begin + BLOCK)
        known = np.flatnonzero(rows[:, 0] + horizon < begin)
        stop = int(len(known) * (1 - STOP_SHARE))
        fit = known[:stop][rows[known[:stop], 0] + horizon < rows[known[stop], 0]]
        held = lightgbm.Dataset(x[known[stop:]], y[known[stop:]])
        best = lightgbm.train(
            TREES, lightgbm.Dataset(x[fit], y[fit]), MOST_ROUNDS, valid_sets=[held],
            callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
        ).best_iteration  # fmt: skip
        model = lightgbm.train(TREES, lightgbm.Dataset(x[known], y[known]), max(20, best))
        if block.any():
            out[block] = model.predict(wanted[block])
        begin += BLOCK
    return out


def har_of(market, seconds, horizon, floor):
    minutes, clock = market["grids"][60], market["clock"]
    places = minutes.at(seconds)
    logs = [np.log(np.maximum(minutes.variance(places, span * MINUTE), floor)) for span in HAR_MINUTES]
    hours = [np.log(clock.mean(seconds, -3600, 0)), np.log(clock.mean(seconds, 0, horizon))]
    return np.column_stack([np.ones(len(seconds)), *logs, *hours])


def har(market, cell):
    """Log realized variance ahead on those of 5, 30, 120 and 1,440 minutes and the profile, fitted each day on 20 days."""
    horizon, rows, tested = cell["horizonS"], cell["rows"], cell["tested"]
    grid, minutes = market["grids"][10 if horizon > MINUTE else 1], market["grids"][MINUTE]
    # Of the time before: a minute without a move has no logarithm.
    floor = 0.02 * np.mean(minutes.squares[: minutes.at(tested[:1, 0])[0]]) / MINUTE
    x, wanted = har_of(market, rows[:, 0], horizon, floor), har_of(market, tested[:, 0], horizon, floor)
    ahead = np.log(np.maximum(grid.variance(grid.at(rows[:, 0] + horizon), horizon), floor))
    out = np.full(len(tested), np.nan)
    for day in np.unique(tested[:, 0] // DAY):
        today, until = tested[:, 0] // DAY == day, day * DAY
        traded = np.unique(rows[rows[:, 0] < until, 0] // DAY)[-FIT_DAYS:]
        past = (rows[:, 0] >= traded[0] * DAY) & (rows[:, 0] + horizon < until)
        weights = np.linalg.lstsq(x[past], ahead[past], rcond=None)[0]
        sizes = np.sort(np.abs(rows[past, 2]) / np.exp(0.5 * (x[past] @ weights)))
        sought = tested[today, 1] / np.exp(0.5 * (wanted[today] @ weights))
        out[today] = (len(sizes) - np.searchsorted(sizes, sought, side="right") + 0.5) / (len(sizes) + 1)
    return out


def main():
    job = json.loads(sys.stdin.readline())
    times, prices = (np.fromfile(job[name], dtype="<f8") for name in ("times", "prices"))
    grids = {seconds: Grid(times, prices, seconds) for seconds in EWMAS}
    ewmas = {(seconds, life): grids[seconds].ewma(life) for seconds, lives in EWMAS.items() for life in lives}
    market = {"times": times, "log": np.log(prices), "grids": grids, "ewmas": ewmas, "clock": Clock(times, prices)}
    answers = []
    for given in job["cells"]:
        cell = {"horizonS": given["horizonS"], **{name: np.array(given[name], dtype=float) for name in ("rows", "tested")}}
        answers.append({"lightgbm": trees(market, cell).tolist(), "har": har(market, cell).tolist()})
    print(json.dumps(answers))


main()
