"""GARCH(1,1) with Student's t on one-minute returns, fitted again each day on 5 days. Packages: numpy, scipy, arch.

A fit for each window would take seconds; in between, the variance follows each minute with the parameters of the day.
"""

import numpy as np
from arch import arch_model
from market import Grid, serve_features, size
from scipy.stats import t

FIT_MINUTES = 5 * 1440
grid = Grid(60, keep=FIT_MINUTES)
state = {"day": None}


def fit():
    returns = 1e4 * grid.returns
    found = arch_model(returns, mean="Zero", vol="GARCH", p=1, q=1, dist="t", rescale=False).fit(disp="off", show_warning=False)
    omega, alpha, beta, nu = found.params.to_numpy()
    state.update(omega=omega, alpha=alpha, beta=beta, nu=nu, variance=found.conditional_volatility[-1] ** 2, bin=grid.bins[-2])


def features_of(window):
    grid.settle()
    day = window["time_us"] // 86_400_000_000
    if state["day"] != day and len(grid.returns) > 1440:
        state["day"] = day
        fit()
    if "omega" not in state:
        return [size(grid.ewma(600), window)]
    omega, alpha, beta, nu = (state[name] for name in ("omega", "alpha", "beta", "nu"))
    for place in np.flatnonzero(grid.bins > state["bin"]):
        state["variance"] = omega + alpha * (1e4 * grid.returns[place]) ** 2 + beta * state["variance"]
        state["bin"] = grid.bins[place]
    minutes, kept = window["horizon_ms"] / 60_000, min(alpha + beta, 0.99999)
    usual = omega / (1 - kept)
    total = minutes * usual + (state["variance"] - usual) * (1 - kept**minutes) / (1 - kept)
    p = 2 * t.sf(window["threshold_bps"] / np.sqrt(max(total, 1e-9)) * np.sqrt(nu / (nu - 2)), nu)
    p = min(max(p, 1e-4), 1 - 1e-4)
    # Its outcomes correct slope and intercept of these log-odds.
    return [np.log(p / (1 - p))]


serve_features(features_of, 1, grid.add)
