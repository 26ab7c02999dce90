"""One call of tickmark for the bots in this folder. Python 3.9 or newer, no packages.

Settings (environment): TICKMARK_URL, default http://127.0.0.1:8080; TICKMARK_KEY, of POST /signup; TICKMARK_TIMEOUT_S, default 10.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import os
import socket
import threading
import urllib.parse

#: Fewest and most observed ticks or bars of a request; 500 are recommended.
LEAST_TICKS = 199
MOST_TICKS = 3000
#: A longer answer is not one of tickmark.
MOST_ANSWER_BYTES = 1_000_000
STATUSES = ("identified", "none", "abstained")


class Refused(Exception):
    """There is no forecast: wrong settings, no answer, an error, or an answer that is not one of tickmark."""


def settings() -> tuple[urllib.parse.SplitResult, str, float]:
    """Address, key and time limit. Raises Refused for a wrong one; call it at the start of a bot."""
    text = os.environ.get("TICKMARK_URL", "http://127.0.0.1:8080")
    key = os.environ.get("TICKMARK_KEY", "")
    limit = os.environ.get("TICKMARK_TIMEOUT_S", "10")
    try:
        url = urllib.parse.urlsplit(text.rstrip("/"))
        is_url = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        is_url = False
    if not is_url:
        raise Refused(f"TICKMARK_URL must be an address such as http://127.0.0.1:8080; it is {text!r}")
    if not key or not all("!" <= character <= "~" for character in key):
        raise Refused("TICKMARK_KEY must be an API key of POST /signup; it is " + ("not set" if not key else "not visible ASCII"))
    try:
        limit_s = float(limit)
    except ValueError:
        limit_s = math.nan
    if not 0 < limit_s <= 3600:
        raise Refused(f"TICKMARK_TIMEOUT_S must be seconds above 0, at most 3600; it is {limit!r}")
    return url, key, limit_s


def is_mark(forecast: dict) -> bool:
    """Whether a trade opportunity is identified."""
    return forecast["status"] == "identified" and forecast["trend_identified"] == 1


def ask(
    ticks: list[dict],
    horizons: list[str],
    thresholds_bps: list[float] | None = None,
    series: str | None = None,
    bar_time: str | None = None,
    touch: list[float] | None = None,
) -> list[dict]:
    """A forecast for each horizon ("60s") and threshold, horizon by horizon. Raises Refused, and nothing else, where there is none.

    ticks: observed ticks, oldest first, each with "ms" (integer milliseconds since 1970) and either "price" or "bid" and "ask"; or bars of one length
        that have ended, with "open", "high", "low" and "close".
    bar_time: of bars: "open" if "ms" is when they began, "close" if it is when they ended.
    series: counts the forecasts in the track record of the key.
    touch: prices; "touch" of a forecast says with what chance each is reached.
    """
    try:
        url, key, limit_s = settings()
        body: dict[str, list] = {"Timestamp": [tick["ms"] for tick in ticks]}
        names = ("Open", "High", "Low", "Close") if bar_time is not None else ("Price",) if "price" in ticks[0] else ("Bid", "Ask")
        for name in names:
            body[name] = [tick[name.lower()] for tick in ticks]
        query = {"horizons": ",".join(horizons)}
        if thresholds_bps is not None:
            query["min_move_bps"] = ",".join(f"{bps:g}" for bps in thresholds_bps)
        if series is not None:
            query["series"] = series
        if touch is not None:
            query["touch"] = ",".join(map(repr, touch))
        if bar_time is not None:
            query["bar_time"] = bar_time
        path = f"{url.path}/auth/ti-tick?{urllib.parse.urlencode(query, safe=',')}"
        status, reply = _post(url, path, json.dumps(body, allow_nan=False).encode(), key, limit_s)
        return _forecasts(status, reply, [horizon for horizon in horizons for _ in thresholds_bps or [None]])
    except Refused:
        raise
    except Exception as error:  # A failure must never look like a forecast, nor end a bot.
        raise Refused(f"{type(error).__name__}: {error}") from error


def _post(url: urllib.parse.SplitResult, path: str, body: bytes, key: str, limit_s: float) -> tuple[int, bytes]:
    """Status and body. Follows no redirect: another server would get the key."""
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(url.hostname or "", url.port, timeout=limit_s)
    is_late = threading.Event()

    def end() -> None:
        # The limit of the socket is for each read: this one is for all of them.
        is_late.set()
        with contextlib.suppress(OSError, AttributeError):
            connection.sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(limit_s, end)
    timer.daemon = True
    timer.start()
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json", "Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        reply = answer.read(MOST_ANSWER_BYTES + 1)
        if is_late.is_set():
            raise TimeoutError
        if len(reply) > MOST_ANSWER_BYTES:
            raise Refused(f"the answer is longer than {MOST_ANSWER_BYTES} bytes")
        # read() with a size takes a body that was cut for a whole one.
        if answer.length:
            raise Refused(f"the answer ended {answer.length} bytes early")
        return answer.status, reply
    except (OSError, http.client.HTTPException) as error:
        if is_late.is_set() or isinstance(error, TimeoutError):
            raise Refused(f"{url.scheme}://{url.netloc} did not answer within {limit_s:g} s") from error
        raise Refused(f"{url.scheme}://{url.netloc} does not answer: {error or type(error).__name__}") from error
    finally:
        timer.cancel()
        connection.close()


def _forecasts(status: int, reply: bytes, horizons: list[str]) -> list[dict]:
    try:
        value = json.loads(reply)
    except ValueError:
        value = None
    if status != 200 and isinstance(value, dict) and "code" in value:
        raise Refused(f"{value['code']}: {value.get('detail')}")
    found = value.get("forecasts") if status == 200 and isinstance(value, dict) else None
    if not isinstance(found, list) or len(found) != len(horizons) or not all(map(_is_forecast, found, horizons)):
        raise Refused(f"status {status} with a body that is not of tickmark: {reply[:80]!r}")
    return found


def _is_forecast(forecast: object, horizon: str) -> bool:
    if not isinstance(forecast, dict) or forecast.get("horizon") != horizon or forecast.get("status") not in STATUSES:
        return False
    mark, reason = forecast.get("trend_identified"), forecast.get("reason")
    is_identified = forecast["status"] == "identified"
    return mark == (1 if is_identified else None) and (reason is None) == is_identified and not isinstance(mark, bool)
