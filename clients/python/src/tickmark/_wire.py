"""Types, routes and codes of the service: written by `npm run docs:reference` from src/contract."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union, get_args

ErrorCode = Literal[
    "request.malformed_http",
    "request.malformed_json",
    "request.duplicate_key",
    "request.timeout",
    "request.too_large",
    "request.media_type_unsupported",
    "request.encoding_unsupported",
    "request.invalid",
    "request.headers_too_large",
    "route.not_found",
    "route.method_not_allowed",
    "request.host_refused",
    "cors.origin_refused",
    "auth.key_refused",
    "auth.password_refused",
    "limit.exceeded",
    "account.unknown",
    "account.too_many_keys",
    "key.unknown",
    "session.origin_refused",
    "session.link_refused",
    "session.unknown",
    "account.too_many_webhooks",
    "webhook.unknown",
    "account.too_many_markets",
    "market.exists",
    "market.unknown",
    "account.email_taken",
    "account.signup_closed",
    "account.busy",
    "model.unknown",
    "rules.unknown",
    "service.not_ready",
    "store.unavailable",
    "inference.overloaded",
    "inference.deadline",
    "inference.failed",
    "internal.unexpected",
    "settings.invalid",
    "command.invalid",
    "server.cannot_listen",
    "server.unreachable",
    "runtime.refused",
    "native.not_possible",
    "native.step_failed",
    "model.refused",
    "model.not_promotable",
    "model.no_way_back",
    "model.registry_busy",
    "rules.refused",
    "store.refused",
    "accounts.conflict",
    "backup.refused",
    "file.unreadable",
    "file.unwritable",
    "feed.failed",
    "file.malformed",
    "training.too_little_data",
    "training.diverged",
    "training.stopped",
]
ERROR_CODES: tuple[ErrorCode, ...] = get_args(ErrorCode)

# Those that pass by themselves. A 500 is not among them: the same request meets it again.
PASSING_CODES = frozenset(
    {
        "request.timeout",
        "limit.exceeded",
        "account.busy",
        "service.not_ready",
        "store.unavailable",
        "inference.overloaded",
        "inference.deadline",
    }
)

# Most items and bytes of one batch.
BATCH_ITEMS, BATCH_BYTES = 64, 8388608

# Method, path, and the fields that every answer has.
ROUTES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "tickForecast": ("POST", "/auth/ti-tick", ()),
    "tickBatch": ("POST", "/auth/ti-tick/batch", ("results",)),
    "signUp": ("POST", "/signup", ("message", "email", "api_key",)),
    "me": ("GET", "/auth/me", ("email", "company_id", "key",)),
    "trackRecord": ("GET", "/auth/track-record", ("kept", "rows", "sum", "conclusion", "difference", "interval", "base_rate_difference", "base_rate_interval", "rival",)),
    "rotateKey": ("POST", "/auth/keys/rotate", ("message", "id", "api_key", "name", "expires_at", "replaced",)),
    "keyList": ("GET", "/account/keys", ("keys",)),
    "issueKey": ("POST", "/account/keys", ("message", "id", "api_key", "name", "expires_at",)),
    "revokeKey": ("DELETE", "/account/keys/{id}", ("id", "prefix", "name", "status", "created_at", "expires_at", "grace_until", "revoked_at", "last_used_at", "forecasts_today", "forecasts_30_days", "refused_today", "refused_30_days",)),
    "changePassword": ("POST", "/account/password", ("message", "email",)),
    "deleteAccount": ("DELETE", "/account", ("message", "email",)),
    "webhookList": ("GET", "/account/webhooks", ("webhooks",)),
    "addWebhook": ("POST", "/account/webhooks", ("message", "id", "url", "events", "created_at", "secret",)),
    "testWebhook": ("POST", "/account/webhooks/{id}/test", ("delivered", "status", "error",)),
    "failedAlerts": ("GET", "/account/webhooks/{id}/failed", ("failed",)),
    "removeWebhook": ("DELETE", "/account/webhooks/{id}", ("id", "url", "events", "created_at",)),
    "marketList": ("GET", "/account/markets", ("markets",)),
    "addMarket": ("POST", "/account/markets", ("id", "exchange", "symbol", "kind", "period", "horizons", "every", "cost_bps", "alert", "series", "created_at", "state", "reason", "since", "last_tick", "price", "ticks", "spread_bps", "forecasts",)),
    "market": ("GET", "/account/markets/{id}", ("id", "exchange", "symbol", "kind", "period", "horizons", "every", "cost_bps", "alert", "series", "created_at", "state", "reason", "since", "last_tick", "price", "ticks", "spread_bps", "forecasts",)),
    "changeMarket": ("PATCH", "/account/markets/{id}", ("id", "exchange", "symbol", "kind", "period", "horizons", "every", "cost_bps", "alert", "series", "created_at", "state", "reason", "since", "last_tick", "price", "ticks", "spread_bps", "forecasts",)),
    "marketForecasts": ("GET", "/account/markets/{id}/forecasts", ("forecasts", "last", "more",)),
    "removeMarket": ("DELETE", "/account/markets/{id}", ("id", "exchange", "symbol", "kind", "period", "horizons", "every", "cost_bps", "alert", "series", "created_at", "state", "reason", "since", "last_tick", "price", "ticks", "spread_bps", "forecasts",)),
    "modelList": ("GET", "/models", ("default", "models",)),
    "model": ("GET", "/models/{id}", ("id", "created_at", "default", "synthetic", "kind", "parent", "gate", "trained", "heads", "bars", "window_ticks", "drift", "shadow", "card",)),
    "modelFiles": ("GET", "/auth/models/{id}/files", ("id", "ruleset", "files",)),
    "ruleSetList": ("GET", "/rules", ("default", "rulesets",)),
    "ruleSet": ("GET", "/rules/{id}", ("id", "version", "about", "hash", "rules", "predicates",)),
    "sample": ("GET", "/sample", ("Timestamp", "Price",)),
    "sampleForecast": ("GET", "/sample/forecast", ()),
    "live": ("GET", "/health/live", ("status",)),
    "ready": ("GET", "/health/ready", ("status", "version", "commit", "model", "backend", "device", "refused",)),
}


class ProblemErrors(TypedDict):
    #: JSON Pointer into the body, or ?name for a query parameter.
    pointer: str
    code: Literal["body.not_object", "field.missing", "field.unknown", "field.wrong_type", "field.too_short", "field.too_long", "field.malformed", "field.out_of_range", "message.type_unknown", "series.unknown", "series.other_kind", "series.already_open", "series.too_many", "forecast.id_repeated", "forecasts.too_few", "forecasts.too_many", "items.too_few", "items.too_many", "ticks.empty", "ticks.too_few", "ticks.too_many", "ticks.lengths_differ", "bars.range_broken", "bars.no_period", "bars.period_out_of_range", "bars.ranges_differ", "bar_time.required", "timestamp.malformed", "timestamp.not_a_time", "timestamp.out_of_range", "timestamp.offset_unsupported", "timestamp.epoch_malformed", "timestamp.step_back", "timestamp.not_increasing", "timestamp.future_not_later", "price.not_finite", "price.not_positive", "price.too_large", "price.future_not_zero", "email.malformed", "email.reserved", "password.too_short", "password.too_long", "password.not_confirmed", "company_id.too_long", "key_name.length", "expires_at.malformed", "expires_at.out_of_range", "webhook.url_refused", "webhook.event_unknown", "market.exchange_unknown", "query.unknown", "query.repeated", "query.malformed", "query.without_bars", "horizon_bars.out_of_range", "min_move_bps.out_of_range", "min_move_bps.cost_unknown", "min_probability.out_of_range", "mark_rate.out_of_range", "range.out_of_range", "above.out_of_range", "touch.out_of_range", "mark_rate.with_probability"]
    #: Names the field, the rule and the value.
    detail: str
    #: How to fix it.
    hint: str



class _Problem(TypedDict):
    #: URN that identifies the kind of error; not a link.
    type: str
    title: str
    status: int
    detail: str
    code: Literal["request.malformed_http", "request.malformed_json", "request.duplicate_key", "request.timeout", "request.too_large", "request.media_type_unsupported", "request.encoding_unsupported", "request.invalid", "request.headers_too_large", "route.not_found", "route.method_not_allowed", "request.host_refused", "cors.origin_refused", "auth.key_refused", "auth.password_refused", "limit.exceeded", "account.unknown", "account.too_many_keys", "key.unknown", "session.origin_refused", "session.link_refused", "session.unknown", "account.too_many_webhooks", "webhook.unknown", "account.too_many_markets", "market.exists", "market.unknown", "account.email_taken", "account.signup_closed", "account.busy", "model.unknown", "rules.unknown", "service.not_ready", "store.unavailable", "inference.overloaded", "inference.deadline", "inference.failed", "internal.unexpected", "settings.invalid", "command.invalid", "server.cannot_listen", "server.unreachable", "runtime.refused", "native.not_possible", "native.step_failed", "model.refused", "model.not_promotable", "model.no_way_back", "model.registry_busy", "rules.refused", "store.refused", "accounts.conflict", "backup.refused", "file.unreadable", "file.unwritable", "feed.failed", "file.malformed", "training.too_little_data", "training.diverged", "training.stopped"]
    #: Equal to the X-Request-Id header; quote it to the operator.
    requestId: str


class Problem(_Problem, total=False):
    #: Equal to the Retry-After header, which the items of a batch cannot have.
    retryAfterSeconds: int
    #: The broken rules, for request.invalid.
    errors: list[ProblemErrors]


NullReason = Literal["below_threshold", "vetoed_by_rule", "abstained_by_rule", "head_abstains", "rate_unknown", "horizon_untrained", "density_untrained", "threshold_untrained", "too_few_distinct_ticks", "window_without_duration", "constant_price", "level_changed", "feature_not_finite"]

MemoryReason = Literal["version_without_memory", "other_origin", "other_period", "store_unavailable", "too_many_series"]

InputNote = Literal["session_gap_cut", "equal_stamps", "sub_ms_cut", "crossed_quotes", "few_distinct_ticks", "cost_from_prices_alone", "threshold_below_cost", "seen_in_training", "bar_time_doubtful", "model_is_synthetic"]


class SeriesMemoryUseOwn(TypedDict):
    """Weights that the series has learned from its outcomes."""

    outcomes: int
    #: Contained in logit.memory.
    part: float
    weights: dict[str, float]



class _SeriesMemoryUse(TypedDict):
    used: bool
    reason: Union[MemoryReason, None]
    since: Union[str, None]
    #: Forecasts of this horizon whose outcomes it knows.
    outcomes: int
    inputs: Union[dict[str, Union[float, None]], None]


class SeriesMemoryUse(_SeriesMemoryUse, total=False):
    """Only with series: what earlier ticks and outcomes of the series say."""

    #: Weights that the series has learned from its outcomes.
    own: SeriesMemoryUseOwn



class SeriesWeights(TypedDict):
    """Weights that the series has learned from its outcomes."""

    outcomes: int
    #: Contained in logit.memory.
    part: float
    weights: dict[str, float]



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



class _TouchLevel(TypedDict):
    #: As it was sent.
    price: float
    probability: Union[float, None]
    #: Without the outcomes of the series.
    version_probability: Union[float, None]
    #: Of a driftless normal price.
    baseline_probability: Union[float, None]
    #: As in RangeBand.
    reason: Union[NullReason, Literal["range_untrained"], None]


class TouchLevel(_TouchLevel, total=False):
    """The probability that a price after the entry, up to the future timestamp, is at or beyond this one."""

    #: With first: that it is reached before the other price. Both and `neither` add up to 1.
    first: Union[float, None]



class _Touch(TypedDict):
    #: One for each price, as sent.
    levels: list[TouchLevel]
    #: Outcomes of the series that correct the probabilities.
    outcomes: int
    #: The ranges that all prices until then stay in with the probabilities 0.5, 0.8 and 0.9.
    reach: list[RangeBand]


class Touch(_Touch, total=False):
    """Whether prices are reached before the future timestamp. No direction is claimed."""

    #: What reaches them. Absent: the price.
    by: Literal["limit", "stop", "mid"]
    #: With first: that neither of the two prices is reached.
    neither: Union[float, None]



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



class _ForecastDetailReasons(TypedDict):
    #: below_threshold: The probability is below the decision threshold. vetoed_by_rule: A rule forbids a mark on this window. abstained_by_rule: A rule that forbids marks cannot be ruled out on this window. head_abstains: The model has no decision threshold that met its precision rule for this horizon. Send your own as min_probability. rate_unknown: Fewer than 200 forecasts of the series are known: its mark_rate has no probability yet. horizon_untrained: The horizon is outside the trained range. density_untrained: The ticks are denser or sparser than the trained range. threshold_untrained: The threshold is outside the trained range. too_few_distinct_ticks: Fewer than 40 distinct timestamps are left after the last session gap. window_without_duration: All ticks have the same timestamp. constant_price: The price is constant within the window. level_changed: The price changes its level in one step, as by a split. Send what follows alone, or adjust what is before. feature_not_finite: A feature of the window is not a finite number.
    code: NullReason
    text: str


class ForecastDetailReasons(_ForecastDetailReasons, total=False):
    rule: str



class _ForecastDetailLogit(TypedDict):
    baseline: float
    network: float
    rules: float
    total: float


class ForecastDetailLogit(_ForecastDetailLogit, total=False):
    """After calibration; total is the sum, probability = 1 / (1 + e^-total)."""

    #: Contribution of the memory of the series, if it was used.
    memory: float



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



class _ForecastDetailInput(TypedDict):
    ticks: int
    distinct_ticks: Union[int, None]
    median_gap_ms: Union[float, None]
    cost_bps: Union[float, None]
    volatility_bps_per_sqrt_s: Union[float, None]
    notes: list[Literal["session_gap_cut", "equal_stamps", "sub_ms_cut", "crossed_quotes", "few_distinct_ticks", "cost_from_prices_alone", "threshold_below_cost", "seen_in_training", "bar_time_doubtful", "model_is_synthetic"]]


class ForecastDetailInput(_ForecastDetailInput, total=False):
    #: Length of the bars; absent for ticks.
    bar_period_ms: float
    #: With the note bar_time_doubtful.
    bar_time_evidence: str



class ForecastDetailTimingsMs(TypedDict):
    parse: float
    features: float
    #: From submitting the row to receiving its result, queueing included.
    network: float
    rules: float
    total: float



class _ForecastDetail(TypedDict):
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
    ruleset: ForecastDetailRuleset
    rules: list[ForecastDetailRules]
    levels: list[ForecastDetailLevels]
    counterfactual: Union[ForecastDetailCounterfactual, None]
    input: ForecastDetailInput
    timings_ms: ForecastDetailTimingsMs


class ForecastDetail(_ForecastDetail, total=False):
    #: Only with series: what earlier ticks and outcomes of the series say.
    memory: SeriesMemoryUse
    #: With range: one for each level, as sent.
    range: list[RangeBand]
    #: With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5.
    above: ChanceAbove
    #: Whether prices are reached before the future timestamp. No direction is claimed.
    touch: Touch
    #: Why the memory of the series was not used. Absent: it was, or there is no series.
    memory_unused: MemoryReason



class TickRequestBody(TypedDict):
    #: YYYY-MM-DD HH:MM:SS.fff, chronological, in UTC; equal timestamps are allowed. The last is the future timestamp, strictly later. 0 to 9 digits of fraction; T instead of the space, a colon before the fraction, and a trailing Z or an offset such as +02:00 are accepted. 500 entries are recommended.
    Timestamp: list[str]
    #: One price for each timestamp, above 0 and below 1e12; the last is 0: it is unknown.
    Price: list[float]



class _TickEntry(TypedDict):
    #: 1: a trade opportunity is identified at the future timestamp. null: none is, or the entry is an observed tick.
    trend_identified: Union[Literal[1], None]


class TickEntry(_TickEntry, total=False):
    #: With range: one for each level, as sent.
    range: list[RangeBand]
    #: With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5.
    above: ChanceAbove
    #: Whether prices are reached before the future timestamp. No direction is claimed.
    touch: Touch
    #: Why the memory of the series was not used. Absent: it was, or there is no series.
    memory_unused: MemoryReason
    detail: ForecastDetail


TickAnswer = dict[str, TickEntry]


class _LastAnswer(TypedDict):
    #: The future timestamp, as it was sent.
    timestamp: str
    #: 1: a trade opportunity is identified at the future timestamp. null: none is, or the entry is an observed tick.
    trend_identified: Union[Literal[1], None]
    #: identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market.
    status: Literal["identified", "none", "abstained"]
    #: Code of the first reason of the null, as `detail.reasons` lists them: rules in the order of the rule set, then horizon, density, threshold, then the decision threshold. null: trend_identified is 1.
    reason: Union[NullReason, None]


class LastAnswer(_LastAnswer, total=False):
    probability: Union[float, None]
    #: Smallest probability that is marked; null: there is none.
    decision_threshold: Union[float, None]
    #: The threshold of this forecast; null: it could not be computed.
    min_move_bps: Union[float, None]
    #: With range: one for each level, as sent.
    range: list[RangeBand]
    #: With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5.
    above: ChanceAbove
    #: Whether prices are reached before the future timestamp. No direction is claimed.
    touch: Touch
    #: Why the memory of the series was not used. Absent: it was, or there is no series.
    memory_unused: MemoryReason
    detail: ForecastDetail



class _HorizonForecast(TypedDict):
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
    #: 1: a trade opportunity is identified at the future timestamp. null: none is, or the entry is an observed tick.
    trend_identified: Union[Literal[1], None]
    #: identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market.
    status: Literal["identified", "none", "abstained"]
    #: As in LastAnswer.
    reason: Union[NullReason, None]


class HorizonForecast(_HorizonForecast, total=False):
    #: With range: one for each level, as sent.
    range: list[RangeBand]
    #: With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5.
    above: ChanceAbove
    #: Whether prices are reached before the future timestamp. No direction is claimed.
    touch: Touch
    #: Why the memory of the series was not used. Absent: it was, or there is no series.
    memory_unused: MemoryReason
    detail: ForecastDetail



class HorizonsAnswer(TypedDict):
    #: One for each horizon and threshold: horizons in the order sent, and thresholds within each.
    forecasts: list[HorizonForecast]



class TickLists1(TypedDict):
    #: Texts, as in TickRequestBody.
    Timestamp: list[str]
    #: One price for each timestamp, above 0 and below 1e12; the last is 0: it is unknown.
    Price: list[float]



class TickLists2(TypedDict):
    #: Integer milliseconds (13 digits) or microseconds (16) since 1970, UTC, all in one unit; otherwise as texts.
    Timestamp: list[float]
    #: One price for each timestamp, above 0 and below 1e12; the last is 0: it is unknown.
    Price: list[float]



class TickLists3(TypedDict):
    #: Texts, as in TickRequestBody.
    Timestamp: list[str]
    #: One bid for each timestamp, in place of Price: the price is the mid of bid and ask, rounded to 9 decimals, below 1 to 9 digits after the leading zeros.
    Bid: list[float]
    #: One ask for each timestamp.
    Ask: list[float]



class TickLists4(TypedDict):
    #: Integer milliseconds (13 digits) or microseconds (16) since 1970, UTC, all in one unit; otherwise as texts.
    Timestamp: list[float]
    #: One bid for each timestamp, in place of Price: the price is the mid of bid and ask, rounded to 9 decimals, below 1 to 9 digits after the leading zeros.
    Bid: list[float]
    #: One ask for each timestamp.
    Ask: list[float]



class _TickLists5(TypedDict):
    #: Beginnings or ends of bars of one length, 1 s to 1 day, as `bar_time` says; increasing, bars may be missing. The last is the future timestamp.
    Timestamp: Union[list[str], list[float]]
    #: One for each timestamp, by the rules of Price.
    Close: list[float]


class TickLists5(_TickLists5, total=False):
    #: Open, High and Low: all three or none; low <= open, close <= high.
    Open: list[float]
    High: list[float]
    Low: list[float]
    #: Bars of 0 that repeat a close are left out.
    Volume: list[Union[float, None]]


TickLists = Union[TickLists1, TickLists2, TickLists3, TickLists4, TickLists5]


class TickBatchAnswerResults1(TypedDict):
    status: Literal[200]
    #: The answer of POST /auth/ti-tick.
    body: Union[LastAnswer, HorizonsAnswer, TickAnswer]



class TickBatchAnswerResults2(TypedDict):
    """The problem that POST /auth/ti-tick would answer, with the request id of the batch."""

    status: int
    problem: Problem



class TickBatchAnswer(TypedDict):
    #: One for each item, in the same order.
    results: list[Union[TickBatchAnswerResults1, TickBatchAnswerResults2]]



class TrackRecordAnswerRowsBaseRateSums(TypedDict):
    outcomes: int
    brier_sum: float
    forecast_brier_sum: float
    squared_difference_sum: float



class TrackRecordAnswerRowsTouchSums(TypedDict):
    """As base_rate_sums, of touch. The rival: a driftless normal."""

    outcomes: int
    #: Prices that are known.
    levels: int
    reached: int
    brier_sum: float
    forecast_brier_sum: float
    squared_difference_sum: float


_TrackRecordAnswerRowsBins = TypedDict("_TrackRecordAnswerRowsBins", {"from": "float", "outcomes": "int", "moved": "int", "probability_sum": "float"})


class TrackRecordAnswerRowsBins(_TrackRecordAnswerRowsBins, total=False):
    """TrackRecordAnswerRowsBins."""




class TrackRecordAnswerRowsCoverage(TypedDict):
    #: 0.5, 0.8 or 0.9.
    level: float
    #: Ranges of this level whose move is known.
    outcomes: int
    #: Of them: moves within the range.
    covered: int
    #: Sum of the numbers of overlapping horizons; for the interval.
    overlap_sum: float



class _TrackRecordAnswerRows(TypedDict):
    #: UTC day, YYYY-MM-DD, by the clock of the service.
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
    #: Without an outcome: it is pending, cannot be known (a session gap, missing ticks), or was lost by a restart.
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
    #: Outcomes by tenths of the probability, for the calibration: moved / outcomes over probability_sum / outcomes. Empty bins are left out.
    bins: list[TrackRecordAnswerRowsBins]
    #: The ranges that were asked for, by level.
    coverage: list[TrackRecordAnswerRowsCoverage]


class TrackRecordAnswerRows(_TrackRecordAnswerRows, total=False):
    #: As base_rate_sums, of touch. The rival: a driftless normal.
    touch_sums: TrackRecordAnswerRowsTouchSums



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



class TrackRecordAnswerSumCoverage(TypedDict):
    #: 0.5, 0.8 or 0.9.
    level: float
    #: Ranges of this level whose move is known.
    outcomes: int
    #: Of them: moves within the range.
    covered: int
    #: Sum of the numbers of overlapping horizons; for the interval.
    overlap_sum: float
    #: covered / outcomes: should be the level.
    share: float
    #: 99 % interval of the share; overlapping horizons count as one.
    interval: list[float]



class _TrackRecordAnswerSum(TypedDict):
    #: Forecasts that were made.
    forecasts: int
    #: Forecasts that were compared with what came true.
    outcomes: int
    #: Without an outcome: it is pending, cannot be known (a session gap, missing ticks), or was lost by a restart.
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
    #: The same for the base rate so far: the fraction of the outcomes before each forecast that moved.
    base_rate_brier: Union[float, None]
    #: As in a row.
    bins: list[TrackRecordAnswerRowsBins]
    #: The ranges by level.
    coverage: list[TrackRecordAnswerSumCoverage]


class TrackRecordAnswerSum(_TrackRecordAnswerSum, total=False):
    """Of all rows."""

    #: Of touch, against a driftless normal.
    touches: TrackRecordAnswerSumTouches



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
    #: The better baseline: the conclusion refers to it.
    rival: Literal["baseline", "base_rate", None]



class _SignupRequest(TypedDict):
    #: E-mail address; each address can have one account.
    email: str
    #: At least 8 alphanumeric characters; other characters are allowed too. At most 1,024 bytes of UTF-8.
    password: str
    #: The same text as password.
    confirm_password: str


class SignupRequest(_SignupRequest, total=False):
    #: Your name for your company; optional.
    company_id: str



class SignupAnswer(TypedDict):
    message: str
    email: str
    #: Shown only in this answer: the service stores a digest alone.
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



class KeyRequestBody(TypedDict, total=False):
    #: Your name for the key, 1 to 64 characters.
    name: str
    #: ISO 8601, UTC, within ten years; absent: never.
    expires_at: str



class IssuedKeyAnswer(TypedDict):
    message: str
    id: str
    #: Shown only in this answer: the service stores a digest alone.
    api_key: str
    name: Union[str, None]
    #: null: never.
    expires_at: Union[str, None]



class RotatedKeyAnswerReplaced(TypedDict):
    id: str
    #: ISO 8601, UTC.
    works_until: str



class RotatedKeyAnswer(TypedDict):
    message: str
    id: str
    #: Shown only in this answer: the service stores a digest alone.
    api_key: str
    name: Union[str, None]
    #: null: never.
    expires_at: Union[str, None]
    replaced: RotatedKeyAnswerReplaced



class MessageAnswer(TypedDict):
    message: str
    email: str



class AlertRule(TypedDict, total=False):
    """Which forecasts are told; default: marks. All that is named must hold."""

    #: Only forecasts of this series.
    series: str
    #: Only forecasts this far ahead: 60s, 5m, 1h.
    horizon: str
    #: Of the move or the touch. Default: that of a mark; of a touch 0.5.
    min_probability: float
    #: Your cost: the least threshold of a forecast.
    min_move_bps: float
    #: In place of moves: this price is likely to be reached. Forecasts must ask for it with touch.
    touch: float
    #: At most one alert of a series in this time.
    pause_minutes: int
    #: No alert from this time up to that one, HH:MM-HH:MM, UTC.
    quiet_hours: str



class _WebhookRequestBody(TypedDict):
    #: https URL of a public address, without user name or fragment; at most 2048 characters.
    url: str


class WebhookRequestBody(_WebhookRequestBody, total=False):
    #: Default: all. forecast.marked: a mark, or what meets the rule, of a live series or of a request with ?series=. forecast.settled: what came true after it. record.worse: the last 30 days of the track record are now worse than the baseline, or its ranges too narrow.
    events: list[str]
    #: Which forecasts are told; default: marks. All that is named must hold.
    rule: AlertRule
    #: json (default): the signed JSON. Others: a message in words. url: of the bot (https://api.telegram.org/bot<token>), the incoming webhook or the topic.
    format: Literal["json", "telegram", "slack", "discord", "ntfy"]
    #: With telegram: the chat.
    chat_id: str



class _WebhookAnswer(TypedDict):
    id: str
    url: str
    #: As in WebhookRequestBody.
    events: list[str]
    #: ISO 8601, UTC.
    created_at: str


class WebhookAnswer(_WebhookAnswer, total=False):
    #: Which forecasts are told; default: marks. All that is named must hold.
    rule: AlertRule
    #: As in WebhookRequestBody.
    format: Literal["json", "telegram", "slack", "discord", "ntfy"]
    chat_id: str



class WebhookListAnswer(TypedDict):
    webhooks: list[WebhookAnswer]



class _AddedWebhookAnswer(TypedDict):
    message: str
    id: str
    url: str
    #: As in WebhookRequestBody.
    events: list[str]
    #: ISO 8601, UTC.
    created_at: str
    #: Signs the alerts. Shown only in this answer.
    secret: str


class AddedWebhookAnswer(_AddedWebhookAnswer, total=False):
    #: Which forecasts are told; default: marks. All that is named must hold.
    rule: AlertRule
    #: As in WebhookRequestBody.
    format: Literal["json", "telegram", "slack", "discord", "ntfy"]
    chat_id: str



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
    #: The same for the base rate so far: the fraction of the outcomes before each forecast that moved.
    base_rate_brier: Union[float, None]
    difference: Union[float, None]
    interval: Union[list[float], None]
    #: base_rate_brier - brier.
    base_rate_difference: Union[float, None]
    #: 99 % interval of base_rate_difference.
    base_rate_interval: Union[list[float], None]
    #: The better baseline: the conclusion refers to it.
    rival: Literal["baseline", "base_rate", None]
    #: Against the rival; too_few: the interval contains 0, or there are fewer than 40 moves or other outcomes.
    conclusion: Literal["better", "worse", "too_few"]



class _MarketRequestBody(TypedDict):
    #: Such as binance; or ccxt:NAME where the package ccxt is installed.
    exchange: str
    #: Such as BTC/USDT.
    symbol: str
    #: Up to 8 different ones: 60s, 5m, of bars 3bars.
    horizons: list[str]


class MarketRequestBody(_MarketRequestBody, total=False):
    #: Default: trades. quotes: the mid of best bid and ask. bars: made of trades by the service.
    kind: Literal["trades", "quotes", "bars"]
    #: Length of the bars; default: 1m.
    period: str
    #: As `every` of a live forecast; default: 5s, of bars tick.
    every: str
    cost_bps: Union[float, None]
    alert: Union[AlertRule, None]



class MarketChangeBody(TypedDict, total=False):
    """As in MarketRequestBody. What is left out stays. A change counts from the next forecast on."""

    horizons: list[str]
    every: str
    cost_bps: Union[float, None]
    alert: Union[AlertRule, None]



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



class _MarketForecastsAnswerTicks(TypedDict):
    first: int
    Timestamp: list[str]
    Price: list[float]


class MarketForecastsAnswerTicks(_MarketForecastsAnswerTicks, total=False):
    """Kept ticks or bars; `first` numbers the first one: above `ticks_from` where some are missing."""

    Open: list[float]
    High: list[float]
    Low: list[float]



class _MarketForecastsAnswer(TypedDict):
    #: In the order of `change`; one with a known `n` replaces it.
    forecasts: list[MarketForecast]
    last: int
    #: Whether another page follows `last`.
    more: bool


class MarketForecastsAnswer(_MarketForecastsAnswer, total=False):
    """What changed after a change: ask again with `?after=` and `last`."""

    #: Kept ticks or bars; `first` numbers the first one: above `ticks_from` where some are missing.
    ticks: MarketForecastsAnswerTicks



class _MarketTicks(TypedDict):
    first: int
    Timestamp: list[str]
    Price: list[float]


class MarketTicks(_MarketTicks, total=False):
    """Kept ticks or bars; `first` numbers the first one: above `ticks_from` where some are missing."""

    Open: list[float]
    High: list[float]
    Low: list[float]



class ModelSummaryGate(TypedDict):
    """The result of the promotion gate, on ticks that were not used in training."""

    verdict: Union[Literal["passed"], Literal["not_passed"], Literal["not_judged"]]
    #: The version that it was compared with; null: only the volatility baseline.
    against: Union[str, None]
    #: The decision in words.
    summary: str



class ModelSummaryTrained(TypedDict):
    #: Horizons covered by the training rows, in seconds, both ends included.
    horizon_s: list[float]
    #: Horizon divided by the length of the window.
    horizon_to_window: list[float]
    #: Median gap between ticks, in seconds.
    median_gap_s: list[float]
    #: ln(threshold / default threshold of the request).
    log_threshold_ratio: list[float]



class ModelSummaryHeads(TypedDict):
    #: Horizon bucket of this head.
    name: str
    #: Whether this head may return a direction.
    direction_passed: bool
    #: Smallest probability that is marked if the request names none; null: the head then never gives a mark.
    decision_threshold: Union[float, None]



class ModelSummaryBars(TypedDict):
    period_s: float
    horizon_s: float
    #: As of heads.
    decision_threshold: Union[float, None]



class ModelSummaryWindowTicks(TypedDict):
    #: Longest horizon, in seconds; null: no limit.
    up_to_s: Union[float, None]
    #: Ticks of a window, the future timestamp not counted.
    ticks: int
    #: The same with the memory of a series.
    with_memory: int



class ModelSummary(TypedDict):
    id: str
    created_at: str
    #: Whether this is the default version.
    default: bool
    #: Trained on generated ticks only: for evaluation, not for trading.
    synthetic: bool
    kind: Union[Literal["base"], Literal["fine_tune"]]
    #: The version that was tuned; null for a base.
    parent: Union[str, None]
    #: The result of the promotion gate, on ticks that were not used in training.
    gate: ModelSummaryGate
    trained: ModelSummaryTrained
    heads: list[ModelSummaryHeads]
    #: Lengths of bars and horizons with a head; others from 10 s to 5 min and from 5 bars to 2 h use the nearest. Empty: no bars.
    bars: list[ModelSummaryBars]
    #: Ticks that suit each horizon, shortest first: what console, commands and clients send by default.
    window_ticks: list[ModelSummaryWindowTicks]



class ModelListAnswer(TypedDict):
    default: str
    models: list[ModelSummary]



class ModelAnswerDriftColumns(TypedDict):
    name: str
    psi: float



class ModelAnswerDrift(TypedDict):
    """How far the inputs of this version have drifted from its training inputs."""

    #: Number of recent forecasts since this version was loaded, from which the drift is computed.
    forecasts: int
    #: Population stability index of each context column against the training rows, largest first: below 0.1 no shift, 0.1 to 0.25 some, above 0.25 a large one. null: no result yet.
    columns: Union[list[ModelAnswerDriftColumns], None]
    #: Why there is no result.
    why: Union[str, None]



class ModelAnswerShadow(TypedDict):
    #: The version that it was compared with.
    live: str
    #: Live forecasts that both versions computed, since both were loaded.
    forecasts: int
    #: Both marked an opportunity, or neither.
    agree: int
    #: Only the live version marked one.
    only_live: int
    #: Only this version marked one.
    only_shadow: int
    #: The shadow version failed.
    failed: int
    #: The shadow version did not run: the service was busy.
    dropped: int
    #: Mean absolute difference of the two probabilities; null: there are no forecasts yet.
    mean_abs_difference: Union[float, None]



class ModelAnswer(TypedDict):
    id: str
    created_at: str
    #: Whether this is the default version.
    default: bool
    #: Trained on generated ticks only: for evaluation, not for trading.
    synthetic: bool
    kind: Union[Literal["base"], Literal["fine_tune"]]
    #: The version that was tuned; null for a base.
    parent: Union[str, None]
    #: The result of the promotion gate, on ticks that were not used in training.
    gate: ModelSummaryGate
    trained: ModelSummaryTrained
    heads: list[ModelSummaryHeads]
    #: Lengths of bars and horizons with a head; others from 10 s to 5 min and from 5 bars to 2 h use the nearest. Empty: no bars.
    bars: list[ModelSummaryBars]
    #: Ticks that suit each horizon, shortest first: what console, commands and clients send by default.
    window_ticks: list[ModelSummaryWindowTicks]
    #: How far the inputs of this version have drifted from its training inputs.
    drift: ModelAnswerDrift
    #: Comparison with live forecasts; null: this is not the version of SHADOW_MODEL, or nothing was compared yet.
    shadow: Union[ModelAnswerShadow, None]
    #: The model card, Markdown: data, split, table against the baseline. null: the version has none.
    card: Union[str, None]



class ModelFilesAnswer(TypedDict):
    id: str
    #: The rules of rules.json.
    ruleset: ForecastDetailRuleset
    #: By name: the content, in base64 for weights.bin, for `openEngine({ version: files })`.
    files: dict[str, str]



class RuleSetListAnswerRulesets(TypedDict):
    id: str
    version: int
    about: str
    #: SHA-256 of the content of the set, hex; equal to the hash in the detail of a forecast.
    hash: str
    #: Number of rules.
    rules: int



class RuleSetListAnswer(TypedDict):
    #: The rule set of the default version.
    default: str
    rulesets: list[RuleSetListAnswerRulesets]



class RuleSetAnswerRules(TypedDict):
    id: str
    kind: Union[Literal["evidence"], Literal["veto"], Literal["abstain"]]
    #: With placeholders for numbers: {predicate}, {predicate.number}.
    text: str
    #: The predicates that must hold, in words.
    when: str
    #: Horizon buckets in which the rule is evaluated.
    horizons: list[str]
    weights: Union[dict[str, float], None]
    sign: Union[Union[Literal["+"], Literal["-"]], None]
    bound: Union[float, None]
    neutral: Union[float, None]
    threshold: Union[float, None]



class RuleSetAnswerPredicates(TypedDict):
    name: str
    about: str
    unit: str



class RuleSetAnswer(TypedDict):
    id: str
    version: int
    about: str
    #: SHA-256 of the content of the set, hex; equal to the hash in the detail of a forecast.
    hash: str
    rules: list[RuleSetAnswerRules]
    #: The predicates that the rules use.
    predicates: list[RuleSetAnswerPredicates]



class LiveAnswer(TypedDict):
    status: Literal["live"]



class ReadyAnswerRefused(TypedDict):
    candidate: str
    reason: str



class ReadyAnswer(TypedDict):
    status: Literal["ready"]
    version: str
    #: The commit that this build was made of, or unknown.
    commit: str
    #: Id of the default model version.
    model: str
    backend: str
    #: Device, versions and SIMD, one line.
    device: str
    #: Why each better backend was refused.
    refused: list[ReadyAnswerRefused]



class _LiveSeriesMessageOpenedForecasts(TypedDict):
    #: Name of the forecast; default: its horizon.
    id: str
    #: How far ahead: 10s, 60s, 5m, 1h, or of bars 3bars; one day at most.
    horizon: str
    #: A forecast at the first tick of each multiple of this duration on the clock of the ticks, or `tick`: at each tick.
    every: str
    min_move_bps: Union[Union[float, Literal["cost"]], None]


class LiveSeriesMessageOpenedForecasts(_LiveSeriesMessageOpenedForecasts, total=False):
    #: Only if the message `open` named one.
    mark_rate: float
    #: Only if the message `open` named one.
    min_probability: float



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



class _LiveSeriesMessageOpened(TypedDict):
    type: Literal["opened"]
    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: str
    forecasts: list[LiveSeriesMessageOpenedForecasts]
    model: Union[str, None]
    limits: LiveSeriesMessageOpenedLimits


class LiveSeriesMessageOpened(_LiveSeriesMessageOpened, total=False):
    """The series is open."""

    #: Only of a series of bars.
    bars: LiveSeriesMessageOpenedBars



class _LiveSeriesMessageForecast(TypedDict):
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
    #: 1: a trade opportunity is identified at the future timestamp. null: none is, or the entry is an observed tick.
    trend_identified: Union[Literal[1], None]
    #: identified: trend_identified is 1. none: the probability is below the decision threshold, and there is no other reason. abstained: there is another reason, so null says nothing about the market.
    status: Literal["identified", "none", "abstained"]
    probability: Union[float, None]
    decision_threshold: Union[float, None]
    min_move_bps: Union[float, None]
    #: Empty for a mark.
    reasons: list[NullReason]
    model: str


class LiveSeriesMessageForecast(_LiveSeriesMessageForecast, total=False):
    """A forecast: the same as that of POST /auth/ti-tick for the same ticks."""

    #: threshold_below_cost: min_move_bps is below the median spread of the window, so such a move does not pay. seen_in_training: the version was trained on these ticks. bar_time_doubtful: as the status of this code. Absent: no note.
    notes: list[Union[Literal["threshold_below_cost"], Literal["seen_in_training"], Literal["bar_time_doubtful"]]]
    #: With range: one for each level, as sent.
    range: list[RangeBand]
    #: With above: the probability that the price is above this one at the future timestamp. No direction is claimed: at the last price it is 0.5.
    above: ChanceAbove
    #: Whether prices are reached before the future timestamp. No direction is claimed.
    touch: Touch
    #: Why the memory of the series was not used. Absent: it was, or there is no series.
    memory_unused: MemoryReason
    detail: ForecastDetail



class _LiveSeriesMessageOutcome(TypedDict):
    type: Literal["outcome"]
    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: str
    #: Name of the forecast; default: its horizon.
    id: str
    n: int
    moved: Union[bool, None]
    move_bps: Union[float, None]


class LiveSeriesMessageOutcome(_LiveSeriesMessageOutcome, total=False):
    """What came true, sent when a tick shows that the future timestamp has passed."""

    #: With touch: whether each price was reached, in their order; absent if it is unknown.
    touched: list[bool]
    #: With first: the price that was reached first; null: neither; unclear: one bar reached both.
    first: Union[float, Literal["unclear"], None]
    #: Why moved is null. session_gap: the market paused; level_changed: its level, as by a split; no_threshold: the window had no threshold; pending_limit: too many outcomes were pending.
    reason: Literal["session_gap", "level_changed", "no_threshold", "pending_limit"]



class LiveSeriesMessageScore(TypedDict):
    """The running score."""

    type: Literal["score"]
    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: str
    scores: list[LiveScore]



class _LiveSeriesMessageStatus(TypedDict):
    type: Literal["status"]
    #: warming_up: the series has too few ticks for a forecast. bar_period: the length of the bars was measured. bar_time_doubtful: after 5 days or more, the clock says that bar_time is wrong; detail has the evidence. skipped: forecasts were not made. going_away: the service stops; connect again.
    code: Literal["warming_up", "bar_period", "bar_time_doubtful", "skipped", "going_away"]
    detail: str


class LiveSeriesMessageStatus(_LiveSeriesMessageStatus, total=False):
    """What the connection should know."""

    bar_period_ms: float
    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: str
    #: Forecasts skipped since the last status, by reason: `slow_consumer` or the code of the error, such as `limit.exceeded` or `inference.overloaded`.
    skipped: dict[str, int]


LiveSeriesMessage = Union[LiveSeriesMessageOpened, LiveSeriesMessageForecast, LiveSeriesMessageOutcome, LiveSeriesMessageScore, LiveSeriesMessageStatus]


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



class _LiveServerMessageError(TypedDict):
    type: Literal["error"]
    message: Union[str, None]
    code: Literal["request.malformed_http", "request.malformed_json", "request.duplicate_key", "request.timeout", "request.too_large", "request.media_type_unsupported", "request.encoding_unsupported", "request.invalid", "request.headers_too_large", "route.not_found", "route.method_not_allowed", "request.host_refused", "cors.origin_refused", "auth.key_refused", "auth.password_refused", "limit.exceeded", "account.unknown", "account.too_many_keys", "key.unknown", "session.origin_refused", "session.link_refused", "session.unknown", "account.too_many_webhooks", "webhook.unknown", "account.too_many_markets", "market.exists", "market.unknown", "account.email_taken", "account.signup_closed", "account.busy", "model.unknown", "rules.unknown", "service.not_ready", "store.unavailable", "inference.overloaded", "inference.deadline", "inference.failed", "internal.unexpected", "settings.invalid", "command.invalid", "server.cannot_listen", "server.unreachable", "runtime.refused", "native.not_possible", "native.step_failed", "model.refused", "model.not_promotable", "model.no_way_back", "model.registry_busy", "rules.refused", "store.refused", "accounts.conflict", "backup.refused", "file.unreadable", "file.unwritable", "feed.failed", "file.malformed", "training.too_little_data", "training.diverged", "training.stopped"]
    title: str
    status: int
    detail: str
    #: Equal to the X-Request-Id header; quote it to the operator.
    requestId: str


class LiveServerMessageError(_LiveServerMessageError, total=False):
    """A message was refused and had no effect. The fields of the problem documents of REST routes."""

    #: Name of the series on this connection: 1 to 64 of the characters A-Z a-z 0-9 . _ : -
    series: str
    #: Equal to the Retry-After header, which the items of a batch cannot have.
    retryAfterSeconds: int
    #: The broken rules, for request.invalid.
    errors: list[ProblemErrors]


LiveServerMessage = Union[LiveSeriesMessageOpened, LiveSeriesMessageForecast, LiveSeriesMessageOutcome, LiveSeriesMessageScore, LiveSeriesMessageStatus, LiveServerMessageWatched, LiveServerMessageError]
