"""GARCH(1,1) with Student's t on returns of 5 minutes, fitted again each day on 20 days. Packages: numpy, scipy, arch.

A fit for each window would take seconds; in between, the variance follows each return with the parameters of the day.
"""

import numpy as np
from arch import arch_model
from market import Grid, serve_features, size
from scipy.stats import t

LEAST = 288
grid = Grid(300, keep=20 * LEAST)
state = {"day": None}


def fit():
    returns = 1e4 * grid.returns
    found = arch_model(returns, mean="Zero", vol="GARCH", p=1, q=1, dist="t", rescale=False).fit(disp="off", show_warning=False)
    omega, alpha, beta, nu = found.params.to_numpy()
    # A variance that grows without end is no forecast.
    alpha, beta = np.array([alpha, beta]) * min(1, 0.999 / (alpha + beta))
    state.update(omega=omega, alpha=alpha, beta=beta, nu=nu, variance=found.conditional_volatility[-1] ** 2, bin=grid.bins[-2])


def features_of(window):
    grid.settle()
    day = window["time_us"] // 86_400_000_000
    if state["day"] != day and len(grid.returns) > LEAST:
        state["day"] = day
        fit()
    if "omega" not in state:
        return [size(grid.ewma(600), window)]
    omega, alpha, beta, nu = (state[name] for name in ("omega", "alpha", "beta", "nu"))
    for place in np.flatnonzero(grid.bins > state["bin"]):
        state["variance"] = omega + alpha * (1e4 * grid.returns[place]) ** 2 + beta * state["variance"]
        state["bin"] = grid.bins[place]
    steps, kept = window["horizon_ms"] / 300_000, alpha + beta
    usual = omega / (1 - kept)
    total = steps * usual + (state["variance"] - usual) * (1 - kept**steps) / (1 - kept)
    p = 2 * t.sf(window["threshold_bps"] / np.sqrt(max(total, 1e-9)) * np.sqrt(nu / (nu - 2)), nu)
    p = min(max(p, 1e-4), 1 - 1e-4)
    # Its outcomes correct slope and intercept of these log-odds.
    return [np.log(p / (1 - p))]


serve_features(features_of, 1, grid.add)
