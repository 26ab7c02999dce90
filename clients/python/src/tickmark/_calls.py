"""Calls and their retries: shared by the sync and the async client, without any input or output."""

from __future__ import annotations

import json
import random
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Optional, Union
from urllib.parse import quote

import httpx

from ._version import USER_AGENT
from ._options import QUERY_NAMES
from ._wire import BATCH_BYTES, BATCH_ITEMS, PASSING_CODES, ROUTES
from .errors import ApiError, ConnectionFailed, TickmarkError, TimedOut, UnexpectedAnswer, UsageError

Body = Mapping[str, Any]
"""The lists of ticks or bars, in any form of the API: Timestamp as texts or as integers, with Price, with Bid and Ask, or with Close."""
Threshold = Union[float, Literal["cost"]]
"""Basis points; "cost": the median spread of Bid and Ask."""

# Never sent twice: the first time may have been done though no answer came.
ONCE = frozenset({"signUp", "rotateKey", "issueKey", "changePassword", "deleteAccount", "addWebhook", "testWebhook", "removeWebhook", "addMarket", "removeMarket"})
# Above this, sockets overflow; sleep() later.
LONGEST_S = (2**31 - 1) / 1000
# What they say now is the answer.
ASKED_ONCE = frozenset({"ready", "live"})


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
