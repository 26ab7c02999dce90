"""What the reference models share: returns on a grid of time, and a logistic regression that learns from the outcomes so far."""

import numpy as np
from tickmark_model import serve

# A longer pause is no time of the market.
PAUSE_S = 1800


class Grid:
    """Log returns of bins of `seconds` that are over, the last `keep` of them, with the number of each bin since 1970."""

    def __init__(self, seconds, keep):
        self.seconds, self.keep = seconds, keep
        self.returns, self.bins = np.zeros(0), np.zeros(0, dtype=np.int64)
        self._closed = self._open = None
        self._new, self._weights = [], {}

    def add(self, times_us, prices):
        bins, logs = np.asarray(times_us) // (self.seconds * 1_000_000), np.log(prices)
        if self._open is not None:
            bins, logs = np.append(self._open[0], bins), np.append(self._open[1], logs)
        self._open = bins[-1], logs[-1]
        last = np.flatnonzero(np.diff(bins))
        if len(last) == 0:
            return
        bins, logs = bins[last], logs[last]
        before = self._closed or (bins[0], logs[0])
        self._closed = bins[-1], logs[-1]
        steps, moves = np.diff(bins, prepend=before[0]), np.diff(logs, prepend=before[1])
        moves[steps > PAUSE_S // self.seconds] = 0
        steps = np.clip(steps, 1, PAUSE_S // self.seconds)
        # Bins without a tick have no return.
        ends = np.cumsum(steps)
        returns = np.zeros(ends[-1])
        returns[ends - 1] = moves
        self._new.append((returns, np.repeat(bins - steps + 1, steps) + np.arange(ends[-1]) - np.repeat(ends - steps, steps)))

    def settle(self):
        """Call it before the arrays are read."""
        if self._new:
            self.returns = np.concatenate([self.returns, *(returns for returns, _ in self._new)])[-self.keep :]
            self.bins = np.concatenate([self.bins, *(bins for _, bins in self._new)])[-self.keep :]
            self._new = []

    def variance(self, bins):
        """Mean square of a second over the last `bins`."""
        self.settle()
        return max(np.mean(self.returns[-bins:] ** 2) / self.seconds, 1e-18) if len(self.returns) else 1e-10

    def ewma(self, life_s):
        """Mean square of a second with a mean life of `life_s` seconds."""
        self.settle()
        if life_s not in self._weights:
            self._weights[life_s] = np.exp(-np.arange(int(5 * life_s / self.seconds)) * self.seconds / life_s)[::-1]
        squares = self.returns[-len(self._weights[life_s]) :] ** 2
        weights = self._weights[life_s][-len(squares) :]
        return max(weights @ squares / weights.sum() / self.seconds, 1e-18) if len(squares) else 1e-10


class Logistic:
    """Ridge logistic regression of one horizon, fitted again whenever the outcomes have grown by a tenth."""

    def __init__(self, width):
        # Before the first fit: about one move in five, and more of them where the volatility is high.
        self.start = self.weights = np.append(-1.5, np.full(width, 1 / width))
        self.x, self.y, self.fitted = [], [], 50

    def probability(self, x):
        return 1 / (1 + np.exp(-np.clip(np.append(1.0, x) @ self.weights, -30, 30)))

    def learn(self, x, moved):
        self.x.append(np.append(1.0, x))
        self.y.append(float(moved))
        if len(self.y) < 1.1 * self.fitted:
            return
        self.fitted = len(self.y)
        x, y, weights = np.array(self.x), np.array(self.y), self.start.copy()
        # A bound of the curvature (Böhning 1992): each step lowers the loss, wherever it starts.
        bound = np.linalg.inv(x.T @ x / 4 + np.eye(len(weights)))
        for _ in range(100):
            p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
            weights = weights - bound @ (x.T @ (p - y) + (weights - self.start))
        self.weights = weights


def serve_features(features_of, width, on_ticks):
    """Answers with a logistic regression on `features_of(window)`, a list of `width` numbers, for each horizon."""
    models, asked = {}, {}

    def probability_of(window):
        x = np.asarray(features_of(window), dtype=float)
        asked[window["id"]] = window["horizon_ms"], x
        return models.setdefault(window["horizon_ms"], Logistic(width)).probability(x)

    def on_outcome(id, moved, move_bps):
        horizon_ms, x = asked.pop(id)
        models[horizon_ms].learn(x, moved)

    serve(probability_of, keep=1, on_ticks=on_ticks, on_outcome=on_outcome)


def size(variance, window):
    """ln(σ √H / θ) of a variance of a second."""
    return 0.5 * np.log(variance * window["horizon_ms"] / 1000) - np.log(window["threshold_bps"] / 1e4)
