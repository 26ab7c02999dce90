"""The best of ARIMA, ETS and Theta on the log realized variance of 5 minutes, chosen and fitted each week. Packages: numpy, statsforecast."""

import numpy as np
from market import Grid, serve_features, size
from statsforecast.models import AutoARIMA, AutoETS, AutoTheta

BLOCK = 30
FIT_BLOCKS = 2 * 288
TESTED = 24
grid = Grid(10, keep=BLOCK * FIT_BLOCKS)
state = {"week": None, "model": None}


def logs():
    grid.settle()
    whole = len(grid.returns) // BLOCK * BLOCK
    means = (grid.returns[len(grid.returns) - whole :] ** 2).reshape(-1, BLOCK).mean(axis=1)
    return np.log(means + 0.02 * means.mean() + 1e-18)


def best(y):
    """By the error of the next block, over the last two hours."""
    models = [AutoARIMA(max_p=3, max_q=2, max_order=4, seasonal=False), AutoETS(model="ZZN"), AutoTheta(season_length=1)]

    def error(model):
        model.fit(y[:-TESTED])
        return np.mean([(model.forward(y[:at], h=1)["mean"][0] - y[at]) ** 2 for at in range(len(y) - TESTED, len(y))])

    return min(models, key=error).fit(y)


def features_of(window):
    y = logs()
    week = window["time_us"] // 604_800_000_000
    if week != state["week"] and len(y) >= 6 * TESTED:
        state.update(week=week, model=best(y))
    if state["model"] is None:
        return [size(grid.ewma(600), window)]
    ahead = state["model"].forward(y, h=max(1, window["horizon_ms"] // 300_000))["mean"]
    return [size(np.exp(ahead).mean() / 10, window)]


serve_features(features_of, 1, grid.add)
