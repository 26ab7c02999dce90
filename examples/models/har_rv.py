"""HAR: the log realized variance ahead on those of 5, 30, 120 and 1,440 minutes, fitted again each day on 20 days. Packages: numpy."""

import numpy as np
from market import Grid, serve_features, size

DAY = 8640
SPANS = (30, 180, 720, DAY)
grid = Grid(10, keep=20 * DAY)
fits = {}


def means_before(sums, places, bins):
    since = np.maximum(places - bins, 0)
    return (sums[places] - sums[since]) / np.maximum(places - since, 1)


def fit(ahead):
    sums = np.concatenate(([0.0], np.cumsum(grid.returns**2)))
    floor = 0.02 * sums[-1] / len(grid.returns) + 1e-18
    places = np.arange(SPANS[1], len(grid.returns) - ahead, 30)
    x = np.column_stack([np.ones(len(places)), *(np.log(means_before(sums, places, span) + floor) for span in SPANS)])
    y = np.log(means_before(sums, places + ahead, ahead) + floor)
    return np.linalg.lstsq(x, y, rcond=None)[0], floor


def features_of(window):
    grid.settle()
    today, ahead = window["time_us"] // 86_400_000_000, max(1, window["horizon_ms"] // 10_000)
    if fits.get(ahead, (None,))[0] != today and len(grid.returns) > 2 * SPANS[2]:
        fits[ahead] = today, *fit(ahead)
    if ahead not in fits:
        return [size(grid.ewma(600), window)]
    _, weights, floor = fits[ahead]
    logs = [np.log(10 * grid.variance(span) + floor) for span in SPANS]
    return [size(np.exp(weights @ [1.0, *logs]) / 10, window)]


serve_features(features_of, 1, grid.add)
