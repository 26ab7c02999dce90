"""Types of the service, catalog: written by `npm run docs:reference` from src/contract."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired

from .forecasts import ForecastDetailRuleset


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
    #: Lengths of bars and horizons with a head; others from 10 s to 5 min and 5 bars to 2 h use the nearest.
    bars: list[ModelSummaryBars]
    #: Ticks that suit each horizon, shortest first: what commands and clients send.
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
    #: Population stability index of each context column against the training rows, largest first: below 0.1 no shift, above 0.25 a large one. null: none yet.
    columns: Union[list[ModelAnswerDriftColumns], None]
    #: Why there is no result.
    why: Union[str, None]


class ModelAnswer(ModelSummary):
    #: How far the inputs of this version have drifted from its training inputs.
    drift: ModelAnswerDrift
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
