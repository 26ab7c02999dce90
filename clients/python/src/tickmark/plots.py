"""Pictures of a forecast and of a replay, by matplotlib."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ._columns import numpy
from .errors import MissingPackage, UsageError

if TYPE_CHECKING:
    from .engine import EngineForecast

#: Bins of the reliability curve, each with as many windows as the others.
_BINS = 10
#: 95 % of a normal distribution.
_Z = 1.96


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingPackage("plots need matplotlib: pip install 'tickmark-client[plot]'") from error
    return plt


def _short_dates(axes: Any) -> None:
    from matplotlib import dates

    # Typed in part only.
    formatter: Any = dates.ConciseDateFormatter
    axes.xaxis.set_major_formatter(formatter(axes.xaxis.get_major_locator()))


def plot_forecast(forecast: EngineForecast, ax: Any = None) -> Any:
    """Prices, the ranges as a cone, and the threshold above and below the last price. Returns the Axes."""
    np = numpy()
    axes = _pyplot().subplots(figsize=(8, 4))[1] if ax is None else ax
    if forecast.times_us is None or forecast.detail is None:
        raise UsageError("the forecast has no ticks to draw")
    times = np.asarray(forecast.times_us, dtype="int64").view("datetime64[us]")
    prices = forecast.prices
    end = times[-1] + np.timedelta64(round(forecast.detail["horizon_ms"] * 1000), "us")
    axes.plot(times, prices, color="0.3", linewidth=1, drawstyle="steps-post", label="price")
    for band in sorted(forecast.range or [], key=lambda each: -each["level"]):
        if band["low"] is not None and band["high"] is not None:
            label = f"{band['level']:.0%} range"
            axes.fill([times[-1], end, end], [prices[-1], band["low"], band["high"]], alpha=0.25, color="tab:blue", linewidth=0, label=label)
    if forecast.min_move_bps is not None:
        for sign in (1, -1):
            price = prices[-1] * math.exp(sign * forecast.min_move_bps / 1e4)
            named = {"label": f"threshold {forecast.min_move_bps:.3g} bps"} if sign > 0 else {}
            axes.plot([times[-1], end], [price, price], color="tab:red", linestyle="--", linewidth=1, **named)
    known = "no probability" if forecast.probability is None else f"probability of a larger move {forecast.probability:.3f}"
    axes.set_title(f"{forecast.status}: {known}", fontsize=10)
    axes.legend(loc="upper left", fontsize=8)
    axes.margins(x=0.01)
    _short_dates(axes)
    return axes


def plot_replay(frame: Any) -> Any:
    """Left: prices, ranges and marks, right: how often each probability came true, next to the volatility baseline. Returns both Axes.

    Windows on ticks that the version was trained on do not count. Intervals are drawn only if no two outcomes overlap.
    """
    _, (left, right) = _pyplot().subplots(1, 2, figsize=(12, 4), width_ratios=(2, 1))
    times = frame["timestamp"].dt.tz_localize(None).to_numpy()
    left.plot(times, frame["price"], color="0.3", linewidth=0.8, label="price")
    for low in (name for name in frame.columns if str(name).startswith("low_")):
        left.fill_between(times, frame[low], frame[f"high_{low[4:]}"], alpha=0.2, color="tab:blue", linewidth=0, label=f"{low[4:]} % range")
    marked = (frame["trend_identified"] == 1).fillna(False).to_numpy(dtype=bool)
    for is_right, color in ((1, "tab:green"), (0, "tab:red")):
        some = marked & (frame["outcome"] == is_right).fillna(False).to_numpy(dtype=bool)
        left.scatter(times[some], frame["price"][some], color=color, s=12, zorder=3, label=f"marked, {'moved' if is_right else 'did not move'}")
    left.legend(loc="upper left", fontsize=8)
    _short_dates(left)
    counted = frame[frame["probability"].notna() & frame["outcome"].notna() & ~frame["seen_in_training"]]
    for name, label, color in (("probability", "tickmark", "tab:blue"), ("baseline_probability", "volatility baseline", "0.6")):
        _draw_reliability(right, counted[name].to_numpy(), counted["outcome"].to_numpy(dtype=float), label, color, frame.attrs.get("independent") is True)
    right.plot([0, 1], [0, 1], color="0.8", linewidth=1, zorder=0)
    right.set(xlabel="probability", ylabel="fraction that moved", title=f"{len(counted)} windows on unseen ticks", xlim=(0, 1), ylim=(0, 1))
    right.legend(loc="upper left", fontsize=8)
    return left, right


def _draw_reliability(axes: Any, probabilities: Any, outcomes: Any, label: str, color: str, with_intervals: bool) -> None:
    np = numpy()
    order = np.argsort(probabilities, kind="stable")
    bins = [each for each in np.array_split(order, _BINS) if len(each) > 0]
    means = np.array([probabilities[each].mean() for each in bins])
    rates = np.array([outcomes[each].mean() for each in bins])
    if not with_intervals:
        axes.plot(means, rates, "o-", color=color, markersize=3, label=label)
        return
    low, high = wilson(rates, np.array([len(each) for each in bins]))
    axes.errorbar(means, rates, yerr=[rates - low, high - rates], fmt="o-", color=color, markersize=3, capsize=2, label=f"{label}, 95 % intervals")


def wilson(rates: Any, counts: Any) -> tuple[Any, Any]:
    """The Wilson interval of each fraction, 95 %."""
    np = numpy()
    middle = (rates + _Z**2 / (2 * counts)) / (1 + _Z**2 / counts)
    half = _Z / (1 + _Z**2 / counts) * np.sqrt(rates * (1 - rates) / counts + _Z**2 / (4 * counts**2))
    return np.minimum(middle - half, rates), np.maximum(middle + half, rates)
