"""Types of the service, live: written by `npm run docs:reference` from src/contract."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired

from .forecasts import ErrorCode, NullReason, ProblemErrors, TickEntry
from .markets import LiveScore


class LiveSeriesMessageOpenedForecasts(TypedDict):
    #: Name of the forecast; default: its horizon.
    id: str
    #: How far ahead: 10s, 60s, 5m, 1h, or of bars 3bars; one day at most.
    horizon: str
    #: A forecast at the first tick of each multiple of this duration on the clock of the ticks, or `tick`: at each tick.
    every: str
    min_move_bps: Union[Union[float, Literal["cost"]], None]
    #: Only if the message `open` named one.
    mark_rate: NotRequired[float]
    #: Only if the message `open` named one.
    min_probability: NotRequired[float]


class LiveSeriesMessageOpenedBars(TypedDict):
    """Only of a series of bars."""

    #: open: timestamps are the beginnings of bars; close: their ends. A wrong one lets forecasts see one bar of the future.
    bar_time: Literal["open", "close"]
    bar_period_ms: Union[float, None]


class LiveSeriesMessageOpenedLimits(TypedDict):
    series_per_connection: int
    forecasts_per_series: int
    #: Forecasts of this connection that wait for their outcome.
    pending_outcomes: int
    ticks_per_message: int
    ticks_kept: int
    #: Below this number of ticks there is no forecast.
    least_ticks: int


class LiveSeriesMessageOpened(TypedDict):
    """The series is open."""

    type: Literal["opened"]
    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: str
    forecasts: list[LiveSeriesMessageOpenedForecasts]
    model: Union[str, None]
    #: Only of a series of bars.
    bars: NotRequired[LiveSeriesMessageOpenedBars]
    limits: LiveSeriesMessageOpenedLimits


class LiveSeriesMessageForecast(TickEntry):
    """A forecast: the same as that of POST /auth/ti-tick for the same ticks."""

    type: Literal["forecast"]
    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: str
    #: Name of the forecast; default: its horizon.
    id: str
    #: Counts the due forecasts of this id from 0; a skipped one leaves a gap.
    n: int
    #: The last tick that the forecast used.
    last_tick: str
    #: The same as `last_tick`: its name in earlier releases.
    timestamp: str
    #: The future timestamp.
    future: str
    #: identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market.
    status: Literal["identified", "none", "abstained"]
    probability: Union[float, None]
    decision_threshold: Union[float, None]
    min_move_bps: Union[float, None]
    #: threshold_below_cost: min_move_bps is below the median spread of the window, so such a move does not pay. seen_in_training: the version was trained on these ticks. bar_time_doubtful: as the status of this code. Absent: no note.
    notes: NotRequired[list[Union[Literal["threshold_below_cost"], Literal["seen_in_training"], Literal["bar_time_doubtful"]]]]
    #: Empty for a mark.
    reasons: list[NullReason]
    model: str


class LiveSeriesMessageOutcome(TypedDict):
    """What came true, sent when a tick shows that the future timestamp has passed."""

    type: Literal["outcome"]
    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: str
    #: Name of the forecast; default: its horizon.
    id: str
    n: int
    moved: Union[bool, None]
    move_bps: Union[float, None]
    #: With touch: whether each price was reached, in their order; absent if it is unknown.
    touched: NotRequired[list[bool]]
    #: With first: the price that was reached first; null: neither; unclear: one bar reached both.
    first: NotRequired[Union[float, Literal["unclear"], None]]
    #: Why moved is null. session_gap: the market paused; level_changed: its level, as by a split; no_threshold: the window had no threshold; pending_limit: too many outcomes were pending.
    reason: NotRequired[Literal["session_gap", "level_changed", "no_threshold", "pending_limit"]]


class LiveSeriesMessageScore(TypedDict):
    """The running score."""

    type: Literal["score"]
    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: str
    scores: list[LiveScore]


class LiveSeriesMessageStatus(TypedDict):
    """What the connection should know."""

    type: Literal["status"]
    #: warming_up: the series has too few ticks for a forecast. bar_period: the length of the bars was measured. bar_time_doubtful: after 5 days or more, the clock says that bar_time is wrong; detail has the evidence. skipped: forecasts were not made. going_away: the service stops; connect again.
    code: Literal["warming_up", "bar_period", "bar_time_doubtful", "skipped", "going_away"]
    bar_period_ms: NotRequired[float]
    detail: str
    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: NotRequired[str]
    #: Forecasts skipped since the last status, by reason: `slow_consumer` or the code of the error, such as `limit.exceeded` or `inference.overloaded`.
    skipped: NotRequired[dict[str, int]]


class LiveCopyMessagePrice(TypedDict):
    """The last price of a series that has new ticks."""

    type: Literal["price"]
    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: str
    #: The last tick of the series.
    last_tick: str
    #: The same as `last_tick`: its name in earlier releases.
    timestamp: str
    price: float


class LiveCopyMessageClosed(TypedDict):
    """The series, or its connection, was closed."""

    type: Literal["closed"]
    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: str


class LiveCopy(TypedDict):
    #: Names the connection: two of them may have series of one name.
    source: str
    #: An `opened`, `forecast`, `outcome`, `score` or `status` message as that connection got it; or `price` (`series`, `last_tick`, `price`): the last tick, or `closed` (`series`). `opened` may come again, and scores come every 2 s.
    message: Union[LiveSeriesMessageOpened, LiveSeriesMessageForecast, LiveSeriesMessageOutcome, LiveSeriesMessageScore, LiveSeriesMessageStatus, LiveCopyMessagePrice, LiveCopyMessageClosed]


class LiveServerMessageWatched(TypedDict):
    """Copies of what the connections of the key get. Some may be lost; the connections themselves never wait."""

    type: Literal["watched"]
    copies: list[LiveCopy]
    #: Copies that were not sent since the last `watched` message.
    dropped: int


class LiveServerMessageError(TypedDict):
    """A message was refused and had no effect. The fields of the problem documents of REST routes."""

    type: Literal["error"]
    message: Union[str, None]
    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: NotRequired[str]
    code: ErrorCode
    title: str
    status: int
    detail: str
    #: Equal to the X-Request-Id header; quote it to the operator.
    requestId: str
    #: Equal to the Retry-After header, which the items of a batch cannot have.
    retryAfterSeconds: NotRequired[int]
    #: The broken rules, for request.invalid.
    errors: NotRequired[list[ProblemErrors]]

LiveServerMessage = Union[LiveSeriesMessageOpened, LiveSeriesMessageForecast, LiveSeriesMessageOutcome, LiveSeriesMessageScore, LiveSeriesMessageStatus, LiveServerMessageWatched, LiveServerMessageError]
