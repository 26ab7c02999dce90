"""Types of the service, markets: written by `npm run docs:reference` from src/contract."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired

from .forecasts import NullReason
from .accounts import AlertRule


class LiveScore(TypedDict):
    #: Name of the forecast; default: its horizon.
    id: str
    since: Union[str, None]
    forecasts: int
    #: Forecasts whose outcome is known and that had a probability.
    outcomes: int
    #: Forecasts that will never have an outcome. The rest is pending.
    unscored: int
    marks: int
    #: Marks that came true.
    hits: int
    hit_interval: Union[list[float], None]
    base_rate: Union[float, None]
    brier: Union[float, None]
    baseline_brier: Union[float, None]
    #: The same for the base rate so far: the fraction of earlier outcomes that moved.
    base_rate_brier: Union[float, None]
    difference: Union[float, None]
    interval: Union[list[float], None]
    #: base_rate_brier - brier.
    base_rate_difference: Union[float, None]
    #: 99 % interval of base_rate_difference.
    base_rate_interval: Union[list[float], None]
    #: The better baseline: the conclusion is against it.
    rival: Literal["baseline", "base_rate", None]
    #: Against the rival; too_few: the interval contains 0, or fewer than 40 moves or other outcomes.
    conclusion: Literal["better", "worse", "too_few"]


class MarketRequestBody(TypedDict):
    #: Such as binance; or ccxt:NAME where the package ccxt is installed.
    exchange: str
    #: Such as BTC/USDT.
    symbol: str
    #: Default: trades. quotes: the mid of best bid and ask. bars: made of trades by the service.
    kind: NotRequired[Literal["trades", "quotes", "bars"]]
    #: Length of the bars; default: 1m.
    period: NotRequired[str]
    #: Up to 8 different ones: 60s, 5m, of bars 3bars.
    horizons: list[str]
    #: As `every` of a live forecast; default: 5s, of bars tick.
    every: NotRequired[str]
    cost_bps: NotRequired[Union[float, None]]
    alert: NotRequired[Union[AlertRule, None]]


class MarketForecastOutcome(TypedDict):
    """As of a live outcome; null: not known yet."""

    moved: Union[bool, None]
    move_bps: Union[float, None]
    reason: Union[str, None]


class MarketForecast(TypedDict):
    #: Number of the forecast.
    n: int
    #: Number of its last change, such as its outcome.
    change: int
    horizon: str
    #: The last tick that it used.
    last_tick: str
    price: float
    #: The future timestamp.
    future: str
    probability: Union[float, None]
    volatility_probability: Union[float, None]
    usual_rate: Union[float, None]
    decision_threshold: Union[float, None]
    min_move_bps: Union[float, None]
    #: Whether the forecast is 1.
    marked: bool
    #: identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market.
    status: Literal["identified", "none", "abstained"]
    #: Empty for a mark.
    reasons: list[NullReason]
    model: str
    outcome: Union[MarketForecastOutcome, None]


class MarketAnswerForecasts(TypedDict):
    horizon: str
    last: Union[MarketForecast, None]
    score: Union[LiveScore, None]


class MarketAnswer(TypedDict):
    id: str
    exchange: str
    symbol: str
    #: trades, quotes or bars.
    kind: Literal["trades", "quotes", "bars"]
    period: Union[str, None]
    horizons: list[str]
    every: str
    cost_bps: Union[float, None]
    alert: Union[AlertRule, None]
    #: Names its series in the track record.
    series: str
    #: ISO 8601, UTC.
    created_at: str
    #: connecting: no tick yet. gap: ticks are missing; forecasts begin again with 199 new ones. stopped: by FEEDS or FEED_HOSTS. failed: tried again.
    state: Literal["connecting", "live", "gap", "stopped", "failed"]
    reason: Union[str, None]
    #: Of this state. ISO 8601, UTC.
    since: str
    last_tick: Union[str, None]
    price: Union[float, None]
    #: Kept ones; forecasts start at 199.
    ticks: int
    spread_bps: Union[float, None]
    #: One of each horizon; the score is since the threshold was set.
    forecasts: list[MarketAnswerForecasts]


class MarketListAnswer(TypedDict):
    markets: list[MarketAnswer]


class MarketTicks(TypedDict):
    """Kept ticks or bars; `first` numbers the first one: above `ticks_from` where some are missing."""

    first: int
    Timestamp: list[str]
    Price: list[float]
    Open: NotRequired[list[float]]
    High: NotRequired[list[float]]
    Low: NotRequired[list[float]]


class MarketForecastsAnswer(TypedDict):
    """What changed after a change: ask again with `?after=` and `last`."""

    #: In the order of `change`; one with a known `n` replaces it.
    forecasts: list[MarketForecast]
    last: int
    #: Whether another page follows `last`.
    more: bool
    #: Kept ticks or bars; `first` numbers the first one: above `ticks_from` where some are missing.
    ticks: NotRequired[MarketTicks]
