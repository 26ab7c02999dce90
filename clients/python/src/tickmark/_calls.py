"""Calls and their retries: shared by the sync and the async client, without any input or output."""

from __future__ import annotations

import json
import random
import re
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

import httpx

from ._codes import PASSING_CODES, ROUTES
from .errors import ApiError, ConnectionFailed, TickmarkError, TimedOut, UnexpectedAnswer
from .ticks import TickBody

BATCH_ITEMS = 64
BATCH_BYTES = 8 * 1024 * 1024
# Never sent twice: the first time may have been done though no answer came.
ONCE = frozenset({"signUp", "rotateKey", "issueKey", "changePassword", "deleteAccount", "addWebhook", "testWebhook", "removeWebhook"})
# Above this, sockets overflow; sleep() later.
LONGEST_S = (2**31 - 1) / 1000
# What they say now is the answer.
ASKED_ONCE = frozenset({"ready", "live"})


@dataclass(frozen=True)
class Forecast:
    """The answer for the future timestamp."""

    timestamp: str
    #: 1: a trade opportunity is identified; None: none is.
    trend_identified: int | None
    #: With detail=True.
    detail: dict[str, Any] | None
    #: An entry for each timestamp; with last_only=True, that of the future one alone.
    answer: dict[str, dict[str, Any]] = field(repr=False)
    request_id: str | None = None
    server_timing: str | None = None
    #: With last_only=True: "identified", "none" (below the decision threshold) or "abstained" (any other reason holds).
    status: str | None = None
    #: With last_only=True: the code of the first reason of a null.
    reason: str | None = None


@dataclass(frozen=True)
class StreamedForecast:
    index: int
    #: Ticks of the source up to the end of the window.
    ticks_read: int
    last_us: int
    last_price: float
    future_us: int
    forecast: Forecast


@dataclass(frozen=True)
class Call:
    route: str
    path: str
    headers: dict[str, str]
    body: str | None = None
    auth: tuple[str, str] | None = None

    @property
    def method(self) -> str:
        return ROUTES[self.route][0]


def check_key(key: str | None) -> str | None:
    # httpx would raise as well, but with the key in its message.
    if key is not None and not re.fullmatch("[!-~]+", key):
        raise ValueError("api_key must be visible ASCII characters without white space")
    return key


def make_call(
    route: str,
    *,
    key: str | None = None,
    login: tuple[str, str] | None = None,
    id: str = "",
    query: dict[str, str] | None = None,
    body: Any = None,
    text: str | None = None,
) -> Call:
    path = ROUTES[route][1]
    if "{id}" in path:
        # httpx resolves dots: DELETE /account/keys/.. would delete the account.
        if id in ("", ".", ".."):
            raise ValueError(f'id must not be empty, "." or ".."; it is {id!r}')
        path = path.replace("{id}", quote(id, safe=""))
    if query:
        path += "?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())
    headers = {} if key is None else {"Api-Key": key}
    sent = text if text is not None or body is None else dump(body)
    if sent is not None:
        headers["Content-Type"] = "application/json"
    return Call(route, path, headers, sent, login)


def dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def number_text(number: float) -> str:
    # Numbers of numpy have another repr.
    return repr(float(number))


def forecast_query(
    detail: bool,
    min_move_bps: float | None,
    model: str | None,
    timing: bool,
    last_only: bool,
    series: str | None = None,
    clock_off: bool = False,
) -> dict[str, str]:
    query = {"answer": "last"} if last_only else {}
    if clock_off:
        query["clock"] = "off"
    if detail:
        query["detail"] = "full"
    if min_move_bps is not None:
        query["min_move_bps"] = number_text(min_move_bps)
    if model is not None:
        query["model"] = model
    if series is not None:
        query["series"] = series
    if timing:
        query["timing"] = "server"
    return query


def read_forecast(timestamp: str | float, answer: dict[str, Any], headers: httpx.Headers) -> Forecast:
    status = reason = None
    # The service writes epoch numbers as integers.
    timestamp = timestamp if isinstance(timestamp, str) else str(int(timestamp))
    # The answer with an entry for each timestamp has objects only.
    if isinstance(answer.get("status"), str):
        status, reason = answer["status"], answer["reason"]
        answer = {timestamp: {name: answer[name] for name in ("trend_identified", "detail") if name in answer}}
    last = answer[timestamp]
    request_id, timing = headers.get("x-request-id"), headers.get("server-timing")
    return Forecast(timestamp, last["trend_identified"], last.get("detail"), answer, request_id, timing, status, reason)


def read_answer(response: httpx.Response, body: bytes) -> Any:
    try:
        value = json.loads(body)
    except ValueError:
        value = None
    wait_s = None if response.is_success else _retry_after_s(response.headers.get("retry-after"))
    if response.is_success and value is not None:
        return value
    if isinstance(value, dict) and {"code", "detail", "requestId"} <= value.keys():
        raise ApiError(value, wait_s)
    raise UnexpectedAnswer(response.status_code, body.decode("utf-8", "replace"), wait_s)


def _retry_after_s(text: str | None) -> float | None:
    if text is None:
        return None
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None


class Limit:
    """Time limit and tries of one call, its retries and waits included."""

    def __init__(self, timeout_s: float | None, retries: int) -> None:
        self.timeout_s = timeout_s
        self.retries = retries
        self._end = None if timeout_s is None or timeout_s > LONGEST_S else time.monotonic() + timeout_s

    def left_s(self) -> float | None:
        """Raises TimedOut where nothing is left."""
        if self._end is None:
            return None
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.timed_out()
        return left

    def timed_out(self) -> TimedOut:
        return TimedOut(f"There was no answer within {self.timeout_s} s.")

    def wait_s(self, error: TickmarkError, done: int) -> float | None:
        """How long to wait before another try; None: it would meet the same, is one too many, or could not begin in time."""
        passes = (
            isinstance(error, ConnectionFailed)
            or (isinstance(error, ApiError) and error.code in PASSING_CODES)
            or (isinstance(error, UnexpectedAnswer) and error.status in (502, 503, 504))
        )
        if not passes or done >= self.retries:
            return None
        asked = getattr(error, "retry_after_s", None)
        # Beyond Retry-After a little, so that callers who were told the same do not come back as one.
        wait = min(0.2 * 2**done, 10.0) * random.uniform(0.5, 1) if asked is None else float(asked) + random.uniform(0, 0.25)
        end = time.monotonic() + LONGEST_S if self._end is None else self._end
        return wait if time.monotonic() + wait < end else None


def split_batch(texts: list[str]) -> list[list[int]]:
    """Indices in groups that fit into one request each, in order."""
    groups: list[list[int]] = [[]]
    size = 0
    for index, text in enumerate(texts):
        if len(groups[-1]) == BATCH_ITEMS or (groups[-1] and size + len(text) + 1 > BATCH_BYTES - 64):
            groups.append([])
            size = 0
        groups[-1].append(index)
        size += len(text) + 1
    return [group for group in groups if group]


def batch_call(texts: list[str], group: list[int], key: str | None, query: dict[str, str]) -> Call:
    return make_call("tickBatch", key=key, query=query, text='{"items":[' + ",".join(texts[index] for index in group) + "]}")


def read_batch(
    bodies: list[TickBody], group: list[int], answer: dict[str, Any], headers: httpx.Headers, results: list[Forecast | ApiError]
) -> tuple[list[int], ApiError | None]:
    """Puts the results where they belong. Returns those to ask for again, and the refusal that asks for the longest wait."""
    again: list[int] = []
    longest: ApiError | None = None
    for index, result in zip(group, answer["results"], strict=True):
        if "body" in result:
            results[index] = read_forecast(bodies[index]["Timestamp"][-1], result["body"], headers)
            continue
        error = results[index] = ApiError(result["problem"])
        if error.code in PASSING_CODES:
            again.append(index)
            if longest is None or (error.retry_after_s or 0) > (longest.retry_after_s or 0):
                longest = error
    return again, longest
