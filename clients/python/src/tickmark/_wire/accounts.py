"""Types of the service, accounts: written by `npm run docs:reference` from src/contract."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired


class TrackRecordAnswerRowsBaseRateSums(TypedDict):
    outcomes: int
    brier_sum: float
    forecast_brier_sum: float
    squared_difference_sum: float


class TrackRecordAnswerRowsTouchSums(TrackRecordAnswerRowsBaseRateSums):
    """As base_rate_sums, of touch. The rival: a driftless normal."""

    #: Prices that are known.
    levels: int
    reached: int

TrackRecordAnswerRowsBins = TypedDict("TrackRecordAnswerRowsBins", {"from": "float", "outcomes": "int", "moved": "int", "probability_sum": "float"})



class TrackRecordAnswerRowsCoverage(TypedDict):
    #: 0.5, 0.8 or 0.9.
    level: float
    #: Ranges of this level whose move is known.
    outcomes: int
    #: Of them: moves within the range.
    covered: int
    #: Sum of the numbers of overlapping horizons; for the interval.
    overlap_sum: float


class TrackRecordAnswerRows(TypedDict):
    #: UTC day of the last tick of the forecasts, YYYY-MM-DD, at most that of the service.
    day: str
    series: str
    #: Id of the version.
    model: str
    #: Horizon bucket of the head that computed the forecast.
    bucket: str
    #: Whether the request named min_move_bps.
    own_threshold: bool
    #: Forecasts that were made.
    forecasts: int
    #: Forecasts that were compared with what came true.
    outcomes: int
    #: Without an outcome: pending, not to be known (a session gap, missing ticks), or lost by a restart.
    unscored: int
    #: Of the outcomes: forecasts with trend_identified 1.
    marks: int
    #: Of the marks: those that came true.
    hits: int
    #: Of the outcomes: moves larger than the threshold.
    moved: int
    #: Sum over the outcomes of (probability − moved)².
    brier_sum: float
    #: The same for the volatility baseline, whose slope and intercept follow the outcomes before each forecast.
    baseline_brier_sum: float
    #: Sum over the marks of their overlap in time, 1 without any: marks² / this sum count in the interval of hits / marks.
    mark_overlap_sum: float
    #: Sum of the squared differences of both, each times the number of overlapping horizons; for the interval.
    squared_difference_sum: float
    #: The same sums for the base rate so far; null: an earlier release has counted.
    base_rate_sums: Union[TrackRecordAnswerRowsBaseRateSums, None]
    #: As base_rate_sums, of touch. The rival: a driftless normal.
    touch_sums: NotRequired[TrackRecordAnswerRowsTouchSums]
    #: Outcomes by tenths of the probability, for the calibration: moved / outcomes over probability_sum / outcomes. Empty bins are left out.
    bins: list[TrackRecordAnswerRowsBins]
    #: The ranges that were asked for, by level.
    coverage: list[TrackRecordAnswerRowsCoverage]


class TrackRecordAnswerSumTouches(TypedDict):
    """Of touch, against a driftless normal."""

    outcomes: int
    levels: int
    reached: int
    brier: float
    baseline_brier: float
    difference: float
    #: 99 %.
    interval: list[float]


class TrackRecordAnswerSumCoverage(TrackRecordAnswerRowsCoverage):
    #: covered / outcomes: should be the level.
    share: float
    #: 99 % interval of the share; overlapping horizons count as one.
    interval: list[float]


class TrackRecordAnswerSum(TypedDict):
    """Of all rows."""

    #: Forecasts that were made.
    forecasts: int
    #: Forecasts that were compared with what came true.
    outcomes: int
    #: Without an outcome: pending, not to be known (a session gap, missing ticks), or lost by a restart.
    unscored: int
    #: Of the outcomes: forecasts with trend_identified 1.
    marks: int
    #: Of the marks: those that came true.
    hits: int
    #: Of the outcomes: moves larger than the threshold.
    moved: int
    #: hits / marks; null without a mark.
    precision: Union[float, None]
    #: 90 % interval of precision; marks that overlap in time count as one as far as they overlap.
    precision_interval: Union[list[float], None]
    #: moved / outcomes: the precision of marking everything; null without an outcome.
    base_rate: Union[float, None]
    #: Mean of (probability − moved)²: smaller is better; null without an outcome.
    brier: Union[float, None]
    #: The same for the recalibrated volatility baseline.
    baseline_brier: Union[float, None]
    #: The same for the base rate so far: the fraction of earlier outcomes that moved.
    base_rate_brier: Union[float, None]
    #: Of touch, against a driftless normal.
    touches: NotRequired[TrackRecordAnswerSumTouches]
    #: As in a row.
    bins: list[TrackRecordAnswerRowsBins]
    #: The ranges by level.
    coverage: list[TrackRecordAnswerSumCoverage]


class TrackRecordAnswer(TypedDict):
    #: Whether the service keeps track records (TRACK_RECORD).
    kept: bool
    #: Ordered by day, series, version, bucket and threshold; days without forecasts have no row.
    rows: list[TrackRecordAnswerRows]
    #: Of all rows.
    sum: TrackRecordAnswerSum
    #: The forecasts against the rival, by the Brier score; too_few: the interval contains 0, or there are too few outcomes.
    conclusion: Literal["better", "worse", "too_few"]
    #: baseline_brier − brier: above 0, the forecasts are better; null without an outcome.
    difference: Union[float, None]
    #: 99 % interval of the difference.
    interval: Union[list[float], None]
    #: base_rate_brier - brier.
    base_rate_difference: Union[float, None]
    #: 99 % interval of base_rate_difference.
    base_rate_interval: Union[list[float], None]
    #: The better baseline: the conclusion is against it.
    rival: Literal["baseline", "base_rate", None]


class SignupAnswer(TypedDict):
    message: str
    email: str
    #: Shown only in this answer.
    api_key: str


class MeAnswerKey(TypedDict):
    id: str
    #: First characters of the key, to tell keys apart.
    prefix: str
    name: Union[str, None]
    #: ISO 8601, UTC.
    created_at: str
    #: When the key ends, including a grace time; null: never.
    expires_at: Union[str, None]


class MeAnswer(TypedDict):
    email: str
    company_id: Union[str, None]
    key: MeAnswerKey


class KeyAnswer(TypedDict):
    id: str
    #: First characters of the key, to tell keys apart.
    prefix: str
    name: Union[str, None]
    #: active and grace keys work; grace: replaced by a rotation, until grace_until.
    status: Literal["active", "grace", "expired", "revoked"]
    #: ISO 8601, UTC.
    created_at: str
    #: null: never.
    expires_at: Union[str, None]
    #: null: not rotated.
    grace_until: Union[str, None]
    #: null: not revoked.
    revoked_at: Union[str, None]
    #: To the minute, about a minute late; null: never used.
    last_used_at: Union[str, None]
    #: On this UTC day, about a minute late.
    forecasts_today: int
    forecasts_30_days: int
    #: Refused by a limit.
    refused_today: int
    refused_30_days: int


class KeyListAnswer(TypedDict):
    keys: list[KeyAnswer]


class IssuedKeyAnswer(TypedDict):
    message: str
    id: str
    #: Shown only in this answer.
    api_key: str
    name: Union[str, None]
    #: null: never.
    expires_at: Union[str, None]


class RotatedKeyAnswerReplaced(TypedDict):
    id: str
    #: ISO 8601, UTC.
    works_until: str


class RotatedKeyAnswer(IssuedKeyAnswer):
    replaced: RotatedKeyAnswerReplaced


class MessageAnswer(TypedDict):
    message: str
    email: str


class AlertRule(TypedDict):
    """Which forecasts are told; default: marks. All that is named must hold."""

    #: Only forecasts of this series.
    series: NotRequired[str]
    #: Only forecasts this far ahead: 60s, 5m, 1h.
    horizon: NotRequired[str]
    #: Of the move or the touch. Default: that of a mark; of a touch 0.5.
    min_probability: NotRequired[float]
    #: Your cost: the least threshold of a forecast.
    min_move_bps: NotRequired[float]
    #: In place of moves: this price is likely to be reached. Forecasts must ask for it with touch.
    touch: NotRequired[float]
    #: At most one alert of a series in this time.
    pause_minutes: NotRequired[int]
    #: No alert from this time up to that one, HH:MM-HH:MM, UTC.
    quiet_hours: NotRequired[str]


class WebhookRequestBody(TypedDict):
    #: https URL of a public address, without user name or fragment; at most 2048 characters.
    url: str
    #: Default: all. forecast.marked: a mark, or what meets the rule, of a live series or of a request with ?series=. forecast.settled: what came true after it. record.worse: the record of the last 30 days is now worse than the baseline, or its ranges are too narrow.
    events: NotRequired[list[str]]
    #: Which forecasts are told; default: marks. All that is named must hold.
    rule: NotRequired[AlertRule]
    #: json (default): the signed JSON. Others: a message in words. url: of the bot (https://api.telegram.org/bot<token>), the incoming webhook or the topic.
    format: NotRequired[Literal["json", "telegram", "slack", "discord", "ntfy"]]
    #: With telegram: the chat.
    chat_id: NotRequired[str]


class WebhookChangeBody(TypedDict):
    """As in WebhookRequestBody. What is left out stays; rule null: none."""

    url: NotRequired[str]
    events: NotRequired[list[str]]
    rule: NotRequired[Union[AlertRule, None]]
    format: NotRequired[Literal["json", "telegram", "slack", "discord", "ntfy"]]
    chat_id: NotRequired[str]


class WebhookAnswer(TypedDict):
    id: str
    url: str
    #: As in WebhookRequestBody.
    events: list[str]
    #: ISO 8601, UTC.
    created_at: str
    #: Which forecasts are told; default: marks. All that is named must hold.
    rule: NotRequired[AlertRule]
    #: As in WebhookRequestBody.
    format: NotRequired[Literal["json", "telegram", "slack", "discord", "ntfy"]]
    chat_id: NotRequired[str]


class WebhookListAnswer(TypedDict):
    webhooks: list[WebhookAnswer]


class AddedWebhookAnswer(WebhookAnswer):
    message: str
    #: Signs the alerts. Shown only in this answer.
    secret: str


class WebhookTestAnswer(TypedDict):
    #: Whether the target answered with a 2xx status.
    delivered: bool
    #: HTTP status of the target; null: there was no answer.
    status: Union[int, None]
    #: Why it was not delivered.
    error: Union[str, None]


class FailedAlertsAnswerFailed(TypedDict):
    #: The webhook-id of its attempts.
    id: str
    type: str
    #: ISO 8601, UTC.
    created_at: str
    #: ISO 8601, UTC.
    failed_at: str
    attempts: int
    #: Of the last attempt.
    error: Union[str, None]


class FailedAlertsAnswer(TypedDict):
    #: Alerts that were given up, newest first; the newest 100 are kept.
    failed: list[FailedAlertsAnswerFailed]
