"""Answers of the service, read and checked: shared by the sync and the async client."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import httpx

from ._calls import dump
from ._wire import PASSING_CODES, ROUTES, ChanceAbove, ForecastDetail, NullReason, RangeBand, TickAnswer, Touch
from .errors import ApiError, UnexpectedAnswer

Status = Literal["identified", "none", "abstained"]
# 64 explained forecasts take some megabytes.
MOST_ANSWER_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Forecast:
    """The answer for the future timestamp."""

    timestamp: str
    #: 1: a trade opportunity is identified; None: none is.
    trend_identified: Literal[1] | None
    #: With detail=True.
    detail: ForecastDetail | None
    #: An entry for each timestamp; with last_only=True, that of the future one alone.
    answer: TickAnswer = field(repr=False)
    request_id: str | None = None
    server_timing: str | None = None
    #: "identified", "none" (below the decision threshold) or "abstained" (any other reason holds). None: an earlier service does not say it.
    status: Status | None = None
    #: The code of the first reason of a null; None: a trade opportunity is identified.
    reason: NullReason | None = None
    #: None: there is none.
    probability: float | None = None
    #: The smallest probability that is marked; None: there is none.
    decision_threshold: float | None = None
    #: The threshold of this forecast in basis points; None: it could not be computed.
    min_move_bps: float | None = None
    #: With price_range: one for each level, in the order sent.
    range: list[RangeBand] | None = None
    #: With above.
    above: ChanceAbove | None = None
    #: With touch.
    touch: Touch | None = None


@dataclass(frozen=True)
class StreamedForecast:
    """The forecast of one window of a stream."""

    index: int
    #: Ticks of the source up to the end of the window.
    ticks_read: int
    last_us: int
    last_price: float
    future_us: int
    forecast: Forecast


def read_forecast(stamps: Sequence[Any], answer: Any, headers: httpx.Headers, last_only: bool = False) -> Forecast:
    """stamps: those of the body; the last one is the future timestamp. last_only: the answer has its entry alone. Raises UnexpectedAnswer for an
    answer without that entry: it must not look like a null.
    """
    # The service writes epoch numbers as integers.
    *before, stamp = [each if isinstance(each, str) else str(int(each)) for each in stamps]
    found: dict[str, Any] = {}
    # The answer with an entry for each timestamp has objects only.
    if isinstance(answer, dict) and isinstance(answer.get("status"), str) and answer.get("timestamp") == stamp:
        found = answer
        entries: dict[str, Any] = {} if last_only else {each: {"trend_identified": None} for each in before}
        answer = {**entries, stamp: {name: answer[name] for name in ("trend_identified", "range", "above", "touch", "detail") if name in answer}}
    last: Any = answer.get(stamp) if isinstance(answer, dict) else None
    if not _is_entry(last) or (found and not _agrees(found["status"], last)):
        raise UnexpectedAnswer(200, dump(answer))
    detail = last.get("detail")
    if detail is not None:
        reasons = detail.get("reasons") or [{}]
        found = {"status": detail.get("status"), "reason": reasons[0].get("code"), **detail.get("opportunity", {}), **found}
    return Forecast(
        timestamp=stamp,
        trend_identified=last["trend_identified"],
        detail=detail,
        answer=answer,
        request_id=headers.get("x-request-id"),
        server_timing=headers.get("server-timing"),
        range=last.get("range"),
        above=last.get("above"),
        touch=last.get("touch"),
        **{name: found.get(name) for name in ("status", "reason", "probability", "decision_threshold", "min_move_bps")},
    )


def read_horizons(answer: Any, count: int) -> list[Any]:
    """The forecasts of each horizon and threshold. Raises UnexpectedAnswer where one is missing."""
    found = answer.get("forecasts")
    if not isinstance(found, list) or len(found) != count or not all(_is_entry(each) and _agrees(each.get("status"), each) for each in found):
        raise UnexpectedAnswer(200, dump(answer))
    return found


def _is_entry(value: Any) -> Any:
    if not isinstance(value, dict) or "trend_identified" not in value:
        return False
    return value["trend_identified"] is None or (value["trend_identified"] == 1 and not isinstance(value["trend_identified"], bool))


def _agrees(status: object, entry: dict[str, Any]) -> bool:
    return status == "identified" if entry["trend_identified"] == 1 else status in ("none", "abstained")


def check_size(response: httpx.Response, size: int) -> None:
    """Raises UnexpectedAnswer for an answer that is longer than any of tickmark."""
    if size > MOST_ANSWER_BYTES:
        raise UnexpectedAnswer(response.status_code, f"(the answer is longer than {MOST_ANSWER_BYTES // 2**20} MiB)")


def read_answer(route: str, response: httpx.Response, body: bytes) -> Any:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    wait_s = None if response.is_success else _retry_after_s(response.headers.get("retry-after"))
    fields = ROUTES[route][2]
    # Not all of them: an earlier service may lack one.
    if response.is_success and isinstance(value, dict) and (not fields or not value.keys().isdisjoint(fields)):
        return value
    if not response.is_success and isinstance(value, dict) and {"code", "detail", "requestId", "status"} <= value.keys():
        raise ApiError(value, wait_s)
    raise UnexpectedAnswer(response.status_code, body.decode("utf-8", "replace"), wait_s)


def _retry_after_s(text: str | None) -> float | None:
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def read_batch(
    read: Callable[[int, Any, httpx.Headers], Any], group: list[int], answer: Any, headers: httpx.Headers, results: list[Any]
) -> tuple[list[int], ApiError | None]:
    """Puts the results where they belong. Returns those to ask for again, and the refusal that asks for the longest wait."""
    again: list[int] = []
    longest: ApiError | None = None
    found = answer["results"]
    if not isinstance(found, list) or len(found) != len(group):
        raise UnexpectedAnswer(200, dump(answer))
    for index, result in zip(group, found):
        if "body" in result:
            results[index] = read(index, result["body"], headers)
            continue
        if not {"code", "detail", "requestId", "status"} <= set(result.get("problem") or ()):
            raise UnexpectedAnswer(200, dump(result))
        error = results[index] = ApiError(result["problem"])
        if error.code in PASSING_CODES:
            again.append(index)
            if longest is None or (error.retry_after_s or 0) > (longest.retry_after_s or 0):
                longest = error
    return again, longest


def frame_row(result: Forecast | ApiError) -> dict[str, Any]:
    """A row of forecast_frame."""
    if isinstance(result, ApiError):
        first = result.field_errors[0] if result.field_errors else None
        return {"error": result.code} if first is None else {"error": result.code, "pointer": first["pointer"], "hint": first["hint"]}
    return {
        "trend_identified": result.trend_identified,
        "status": result.status,
        "reason": result.reason,
        "probability": result.probability,
        "min_move_bps": result.min_move_bps,
    }
