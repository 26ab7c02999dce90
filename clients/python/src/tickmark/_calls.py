"""Calls and their retries: shared by the sync and the async client, without any input or output."""

from __future__ import annotations

import json
import random
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Literal, Optional, Union
from urllib.parse import quote

import httpx

from ._version import USER_AGENT
from ._options import QUERY_NAMES
from ._wire import BATCH_BYTES, BATCH_ITEMS, PASSING_CODES, ROUTES, ChanceAbove, ForecastDetail, NullReason, RangeBand, TickAnswer, Touch
from .errors import ApiError, ConnectionFailed, TickmarkError, TimedOut, UnexpectedAnswer, UsageError

Status = Literal["identified", "none", "abstained"]
Body = Mapping[str, Any]
"""The lists of ticks or bars, in any form of the API: Timestamp as texts or as integers, with Price, with Bid and Ask, or with Close."""
Threshold = Union[float, Literal["cost"]]
"""Basis points; "cost": the median spread of Bid and Ask."""

# Never sent twice: the first time may have been done though no answer came.
ONCE = frozenset({"signUp", "rotateKey", "issueKey", "changePassword", "deleteAccount", "addWebhook", "testWebhook", "removeWebhook", "addMarket", "removeMarket"})
# Above this, sockets overflow; sleep() later.
LONGEST_S = (2**31 - 1) / 1000
# 64 explained forecasts take some megabytes.
MOST_ANSWER_BYTES = 64 * 1024 * 1024
# What they say now is the answer.
ASKED_ONCE = frozenset({"ready", "live"})


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


def read_settings(base_url: Optional[str], api_key: Optional[str]) -> tuple[str, Optional[str]]:
    """Address and key; those of TICKMARK_URL and TICKMARK_KEY where they are not given. Raises UsageError for one that cannot be used."""
    url = os.environ.get("TICKMARK_URL") or "http://127.0.0.1:8080" if base_url is None else base_url
    key = os.environ.get("TICKMARK_KEY") or None if api_key is None else api_key
    try:
        parsed = httpx.URL(url)
        is_url = parsed.scheme in ("http", "https") and parsed.host != ""
    except (httpx.InvalidURL, TypeError):
        is_url = False
    if not is_url:
        raise UsageError(f"base_url must be an address such as http://127.0.0.1:8080; it is {url!r}")
    # httpx would raise as well, but with the key in its message.
    if key is not None and not (isinstance(key, str) and re.fullmatch("[!-~]+", key)):
        raise UsageError("api_key must be visible ASCII characters without white space")
    return url.rstrip("/"), key


def timestamps_of(body: Body) -> list[Any]:
    """The last one is the future timestamp. Raises UsageError for a body without timestamps."""
    try:
        stamps = list(body["Timestamp"])
        stamps[-1]
        return stamps
    except (KeyError, IndexError, TypeError) as error:
        raise UsageError("body must have a list Timestamp that is not empty, and Price, or Bid and Ask") from error


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
    if key is None and path.startswith(("/auth/", "/account/markets")):
        raise UsageError("the client has no API key: Tickmark(base_url, api_key), or TICKMARK_KEY; sign_up() issues one")
    if "{id}" in path:
        # httpx resolves dots: DELETE /account/keys/.. would delete the account.
        if id in ("", ".", ".."):
            raise UsageError(f'id must not be empty, "." or ".."; it is {id!r}')
        path = path.replace("{id}", quote(id, safe=""))
    if query:
        path += "?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())
    headers = {"User-Agent": USER_AGENT} if key is None else {"User-Agent": USER_AGENT, "Api-Key": key}
    sent = text if text is not None or body is None else dump(body)
    if sent is not None:
        headers["Content-Type"] = "application/json"
    return Call(route, path, headers, sent, login)


def dump(value: Any) -> str:
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False, default=_plain)
    except (ValueError, TypeError) as error:
        raise UsageError(f"the body is no JSON: {error}") from error


def _plain(value: Any) -> Any:
    # Numbers and arrays of numpy.
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is neither a text nor a number")


def listed(value: Any, what: str) -> list[Any]:
    """Raises UsageError for one value in place of a list: a text would be taken letter by letter."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise UsageError(f"{what} must be a list; it is {value!r}")
    return list(value)


def number_text(number: float, what: str = "a threshold") -> str:
    # Numbers of numpy have another repr.
    try:
        return repr(float(number))
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what} must be a number; it is {number!r}") from error


def threshold_text(threshold: Threshold) -> str:
    return "cost" if threshold == "cost" else number_text(threshold)


def on_wire(allowed: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are given, with their names and values on the wire. allowed: the TypedDict of the options."""
    fields: dict[str, Any] = {}
    for name, value in options.items():
        if name not in allowed.__annotations__:
            raise TypeError(f"there is no option {name!r}; the options are {', '.join(sorted(allowed.__annotations__))}")
        on_wire_as, form = QUERY_NAMES[name]
        if value is None or (form.startswith("=") and not value):
            continue
        if form.startswith("number") and value not in form.split()[1:]:
            number_text(value, name)
        fields[on_wire_as] = listed(value, name) if form == "list" else form[1:] if form.startswith("=") else value
    return fields


def forecast_query(allowed: Any, options: Mapping[str, Any], has_horizons: bool = False) -> dict[str, str]:
    def text(value: Any) -> str:
        return value if isinstance(value, str) else number_text(value)

    fields = {name: ",".join(map(text, value)) if isinstance(value, list) else text(value) for name, value in on_wire(allowed, options).items()}
    return fields if has_horizons else {"answer": "summary", **fields}


def horizons_query(query: dict[str, str], horizons: Iterable[str] | None, horizon_bars: Iterable[int] | None) -> int:
    """Adds the horizons. Returns how many they are. Raises UsageError unless they are named in one of both ways."""
    if (horizons is None) == (horizon_bars is None):
        raise UsageError("name horizons, such as [\"5m\"], or of bars horizon_bars, such as [3]")
    asked = [str(each) for each in (listed(horizons, "horizons") if horizon_bars is None else listed(horizon_bars, "horizon_bars"))]
    query["horizons" if horizon_bars is None else "horizon_bars"] = ",".join(asked)
    return len(asked)


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
            or (isinstance(error, UnexpectedAnswer) and (error.status == 429 or error.status >= 500))
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


def series_query(query: dict[str, str], series: Any, count: int) -> Callable[[list[int]], dict[str, str]]:
    """The query of each group of a batch. series: one name, or one for each body. Raises UsageError for another number of names."""
    if series is None or isinstance(series, str):
        return lambda group: query if series is None else {**query, "series": series}
    names = listed(series, "series")
    if len(names) != count:
        raise UsageError(f"series must be one name, or one for each of {count} bodies; it is {len(names)} names")
    return lambda group: {**query, "series": ",".join(names[index] for index in group)}


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
