"""Types of the service, forecasts: written by `npm run docs:reference` from src/contract."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired

ErrorCode = Literal["request.malformed_http", "request.malformed_json", "request.duplicate_key", "request.timeout", "request.too_large", "request.media_type_unsupported", "request.encoding_unsupported", "request.invalid", "request.headers_too_large", "route.not_found", "route.method_not_allowed", "request.host_refused", "cors.origin_refused", "auth.key_refused", "auth.password_refused", "limit.exceeded", "account.unknown", "account.too_many_keys", "key.unknown", "session.origin_refused", "session.link_refused", "session.unknown", "account.too_many_webhooks", "webhook.unknown", "account.too_many_markets", "market.exists", "market.unknown", "account.email_taken", "account.signup_closed", "account.busy", "model.unknown", "rules.unknown", "service.not_ready", "store.unavailable", "inference.overloaded", "inference.deadline", "inference.failed", "internal.unexpected", "settings.invalid", "command.invalid", "server.cannot_listen", "server.unreachable", "runtime.refused", "native.not_possible", "native.step_failed", "model.refused", "model.not_promotable", "model.no_way_back", "model.registry_busy", "rules.refused", "store.refused", "accounts.conflict", "backup.refused", "file.unreadable", "file.unwritable", "feed.failed", "file.malformed", "training.too_little_data", "training.diverged", "training.stopped"]

FieldCode = Literal["body.not_object", "field.missing", "field.unknown", "field.wrong_type", "field.too_short", "field.too_long", "field.malformed", "field.out_of_range", "message.type_unknown", "series.unknown", "series.other_kind", "series.already_open", "series.too_many", "forecast.id_repeated", "forecasts.too_few", "forecasts.too_many", "items.too_few", "items.too_many", "ticks.empty", "ticks.too_few", "ticks.too_many", "ticks.lengths_differ", "bars.range_broken", "bars.no_period", "bars.period_out_of_range", "bars.ranges_differ", "bar_time.required", "timestamp.malformed", "timestamp.not_a_time", "timestamp.out_of_range", "timestamp.offset_unsupported", "timestamp.epoch_malformed", "timestamp.step_back", "timestamp.not_increasing", "timestamp.future_not_later", "price.not_finite", "price.not_positive", "price.too_large", "price.future_not_zero", "email.malformed", "email.reserved", "password.too_short", "password.too_long", "password.not_confirmed", "company_id.too_long", "key_name.length", "expires_at.malformed", "expires_at.out_of_range", "webhook.url_refused", "webhook.event_unknown", "market.exchange_unknown", "query.unknown", "query.repeated", "query.malformed", "query.without_bars", "horizon_bars.out_of_range", "min_move_bps.out_of_range", "min_move_bps.cost_unknown", "min_probability.out_of_range", "mark_rate.out_of_range", "range.out_of_range", "above.out_of_range", "touch.out_of_range", "mark_rate.with_probability"]


class ProblemErrors(TypedDict):
    #: JSON Pointer into the body, or ?name for a query parameter.
    pointer: str
    code: FieldCode
    #: Names the field, the rule and the value.
    detail: str
    #: How to fix it.
    hint: str


class Problem(TypedDict):
    #: URN that identifies the kind of error; not a link.
    type: str
    title: str
    status: int
    detail: str
    code: ErrorCode
    #: Equal to the X-Request-Id header; quote it to the operator.
    requestId: str
    #: Equal to the Retry-After header, which the items of a batch cannot have.
    retryAfterSeconds: NotRequired[int]
    #: The broken rules, for request.invalid.
    errors: NotRequired[list[ProblemErrors]]

NullReason = Literal["below_threshold", "vetoed_by_rule", "abstained_by_rule", "head_abstains", "rate_unknown", "horizon_untrained", "density_untrained", "threshold_untrained", "too_few_distinct_ticks", "window_without_duration", "constant_price", "level_changed", "feature_not_finite"]

MemoryReason = Literal["version_without_memory", "other_origin", "other_period", "store_unavailable", "too_many_series"]

InputNote = Literal["session_gap_cut", "equal_stamps", "sub_ms_cut", "crossed_quotes", "few_distinct_ticks", "cost_from_prices_alone", "threshold_below_cost", "seen_in_training", "bar_time_doubtful", "model_is_synthetic"]


class SeriesMemoryUseOwn(TypedDict):
    """Weights that the series has learned from its outcomes."""

    outcomes: int
    #: Contained in logit.memory.
    part: float
    weights: dict[str, float]


class SeriesMemoryUse(TypedDict):
    """Only with series: what earlier ticks and outcomes of the series say."""

    used: bool
    reason: Union[MemoryReason, None]
    since: Union[str, None]
    #: Forecasts of this horizon whose outcomes it knows.
    outcomes: int
    inputs: Union[dict[str, Union[float, None]], None]
    #: Weights that the series has learned from its outcomes.
    own: NotRequired[SeriesMemoryUseOwn]


class RangeCoverage(TypedDict):
    """Ranges of this level and horizon of the series whose outcome is known, and the fraction that held; of 0.5, 0.8 and 0.9."""

    outcomes: int
    covered: float


class RangeBand(TypedDict):
    """The range that the price is in at the future timestamp with the probability `level`."""

    #: As it was sent.
    level: float
    move_bps: Union[float, None]
    low: Union[float, None]
    high: Union[float, None]
    #: Why there is none. range_untrained: it ends beyond the trained thresholds. Others: as for a null.
    reason: Union[NullReason, Literal["range_untrained"], None]
    coverage: Union[RangeCoverage, None]


class ChanceAbove(TypedDict):
    """With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5."""

    #: As it was sent.
    price: float
    probability: Union[float, None]
    #: As in RangeBand.
    reason: Union[NullReason, Literal["range_untrained"], None]


class TouchLevel(ChanceAbove):
    """The probability that a price after the entry, up to the future timestamp, is at or beyond this one."""

    #: Without the outcomes of the series.
    version_probability: Union[float, None]
    #: Of a driftless normal price.
    baseline_probability: Union[float, None]
    #: With first: that it is reached before the other price. Both and `neither` add up to 1.
    first: NotRequired[Union[float, None]]


class Touch(TypedDict):
    """Whether prices are reached before the future timestamp. No direction is claimed."""

    #: One for each price, as sent.
    levels: list[TouchLevel]
    #: What reaches them. Absent: the price.
    by: NotRequired[Literal["limit", "stop", "mid"]]
    #: Outcomes of the series that correct the probabilities.
    outcomes: int
    #: The ranges that all prices until then stay in with the probabilities 0.5, 0.8 and 0.9.
    reach: list[RangeBand]
    #: With first: that neither of the two prices is reached.
    neither: NotRequired[Union[float, None]]


class ForecastDetailModel(TypedDict):
    id: str
    #: Horizon bucket of the head that computed the forecast.
    head: str


class ForecastDetailOpportunity(TypedDict):
    probability: Union[float, None]
    decision_threshold: Union[float, None]
    min_move_bps: Union[float, None]


class ForecastDetailDirection(TypedDict):
    probability_up: Union[float, None]
    called: Union[Literal["up", "down"], None]


class ForecastDetailReasons(TypedDict):
    #: below_threshold: The probability is below the decision threshold. vetoed_by_rule: A rule forbids a mark on this window. abstained_by_rule: A rule that forbids marks cannot be ruled out on this window. head_abstains: The model has no decision threshold that met its precision rule for this horizon. Send your own as min_probability. rate_unknown: Fewer than 200 forecasts of the series are known: its mark_rate has no probability yet. horizon_untrained: The horizon is outside the trained range. density_untrained: The ticks are denser or sparser than the trained range. threshold_untrained: The threshold is outside the trained range. too_few_distinct_ticks: Fewer than 40 distinct timestamps are left after the last session gap. window_without_duration: All ticks have the same timestamp. constant_price: The price is constant within the window. level_changed: The price changes its level in one step, as by a split. Send what follows alone, or adjust what is before. feature_not_finite: A feature of the window is not a finite number.
    code: NullReason
    rule: NotRequired[str]
    text: str


class ForecastDetailLogit(TypedDict):
    """After calibration; total is the sum, probability = 1 / (1 + e^-total)."""

    baseline: float
    network: float
    #: Contribution of the memory of the series, if it was used.
    memory: NotRequired[float]
    rules: float
    total: float


class ForecastDetailRuleset(TypedDict):
    id: str
    hash: str


class ForecastDetailRulesLiterals(TypedDict):
    predicate: str
    negated: bool
    #: Lower and upper bound of the truth; [0, 1] is unknown.
    truth: list[float]
    value: Union[float, None]


class ForecastDetailRules(TypedDict):
    id: str
    text: str
    #: Lower and upper bound of the truth; [0, 1] is unknown.
    truth: list[float]
    #: Log-odds; the contributions sum to logit.rules.
    contribution: float
    literals: list[ForecastDetailRulesLiterals]


class ForecastDetailLevels(TypedDict):
    price: float
    #: support: below the last price; resistance: not below it.
    kind: Literal["support", "resistance"]
    touches: int


class ForecastDetailCounterfactual(TypedDict):
    """The min_move_bps at which the probability crosses the decision threshold; null: there is none in the trained range."""

    min_move_bps: float


class ForecastDetailInput(TypedDict):
    ticks: int
    distinct_ticks: Union[int, None]
    median_gap_ms: Union[float, None]
    #: Length of the bars; absent for ticks.
    bar_period_ms: NotRequired[float]
    #: With the note bar_time_doubtful.
    bar_time_evidence: NotRequired[str]
    cost_bps: Union[float, None]
    volatility_bps_per_sqrt_s: Union[float, None]
    notes: list[InputNote]


class ForecastDetailTimingsMs(TypedDict):
    parse: float
    features: float
    #: From submitting the row to receiving its result, queueing included.
    network: float
    rules: float
    total: float


class ForecastDetail(TypedDict):
    model: ForecastDetailModel
    #: Future timestamp minus last tick.
    horizon_ms: float
    opportunity: ForecastDetailOpportunity
    direction: ForecastDetailDirection
    #: identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market.
    status: Literal["identified", "none", "abstained"]
    #: Empty for a mark.
    reasons: list[ForecastDetailReasons]
    logit: Union[ForecastDetailLogit, None]
    #: Only with series: what earlier ticks and outcomes of the series say.
    memory: NotRequired[SeriesMemoryUse]
    ruleset: ForecastDetailRuleset
    rules: list[ForecastDetailRules]
    levels: list[ForecastDetailLevels]
    counterfactual: Union[ForecastDetailCounterfactual, None]
    input: ForecastDetailInput
    timings_ms: ForecastDetailTimingsMs
    #: With range: one for each level, as sent.
    range: NotRequired[list[RangeBand]]
    #: With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5.
    above: NotRequired[ChanceAbove]
    #: Whether prices are reached before the future timestamp. No direction is claimed.
    touch: NotRequired[Touch]
    #: Why the memory was not used; absent: it was, or no series.
    memory_unused: NotRequired[MemoryReason]


class TickRequestBody(TypedDict):
    #: YYYY-MM-DD HH:MM:SS.fff, chronological, in UTC; equal timestamps are allowed. The last is the future timestamp, strictly later. 0 to 9 digits of fraction; T instead of the space, a colon before the fraction, and a trailing Z or an offset such as +02:00 are accepted. 500 entries are recommended.
    Timestamp: list[str]
    #: One price for each timestamp, above 0 and below 1e12; the last is 0: it is unknown.
    Price: list[float]


class TickEntry(TypedDict):
    #: 1: a trade opportunity is identified at the future timestamp. null: none is, or the entry is an observed tick.
    trend_identified: Union[Literal[1], None]
    #: With range: one for each level, as sent.
    range: NotRequired[list[RangeBand]]
    #: With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5.
    above: NotRequired[ChanceAbove]
    #: Whether prices are reached before the future timestamp. No direction is claimed.
    touch: NotRequired[Touch]
    #: Why the memory was not used; absent: it was, or no series.
    memory_unused: NotRequired[MemoryReason]
    detail: NotRequired[ForecastDetail]

TickAnswer = dict[str, TickEntry]


class LastAnswer(TickEntry):
    #: The future timestamp, as it was sent.
    timestamp: str
    #: identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market.
    status: Literal["identified", "none", "abstained"]
    #: Code of the first reason of the null, as `detail.reasons` lists them: rules in the order of the rule set, then horizon, density, threshold, then the decision threshold. null: trend_identified is 1.
    reason: Union[NullReason, None]
    probability: NotRequired[Union[float, None]]
    #: Smallest probability that is marked; null: there is none.
    decision_threshold: NotRequired[Union[float, None]]
    #: The threshold of this forecast; null: it could not be computed.
    min_move_bps: NotRequired[Union[float, None]]


class HorizonForecast(TickEntry):
    #: As it was sent.
    horizon: str
    #: The same as `future`.
    timestamp: str
    #: The future timestamp: the last tick plus the horizon, in UTC; of numbers, a number as text.
    future: str
    #: The threshold of this forecast; null: it could not be computed.
    min_move_bps: Union[float, None]
    probability: Union[float, None]
    #: Smallest probability that is marked; null: there is none.
    decision_threshold: Union[float, None]
    #: identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market.
    status: Literal["identified", "none", "abstained"]
    #: As in LastAnswer.
    reason: Union[NullReason, None]


class HorizonsAnswer(TypedDict):
    #: One for each horizon and threshold: horizons in the order sent, and thresholds within each.
    forecasts: list[HorizonForecast]
