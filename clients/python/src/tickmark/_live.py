"""Live series: a connection that pushes ticks and gives forecasts and outcomes. Async only."""

from __future__ import annotations

import asyncio
import json
import math
import random
import re
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, Optional, Union

from .errors import LiveRefused, TickError
from .ticks import Tick, format_stamps, price_of, time_us

PROTOCOL = "tickmark.v1"
# Ticks of one message, and ticks that are kept for a reconnection.
MOST_TICKS = 3000
# One-minute closes from before them that are kept.
MOST_CLOSES = 1500
US_PER_MINUTE = 60_000_000
# Requests that wait for a connection, and forecasts of one id that are remembered.
MOST_REQUESTS = 64
MOST_NUMBERS = 4096
KEY_REFUSED = 4401
# The id of forecasts that answer ask(): they have no outcome.
ASK_ID = "ask"
SERIES = re.compile(r"[A-Za-z0-9._:-]{1,64}")

Message = dict[str, Any]


class Live:
    """A connection to live series. `async with` connects and closes it; `async for` gives its messages as they are on the wire, and
    {"type": "connected", "is_resumed"}, {"type": "disconnected", "code", "reason", "wait_s"}, {"type": "dropped", "count"}.

    It connects again by itself, with exponential backoff and jitter, opens its series again and sends their last 3,000 ticks. Forecasts and
    outcomes that were read before do not come again. Raises LiveRefused if the key is refused.
    """

    def __init__(self, url: str, key: str, *, max_waiting: int = 10_000, first_wait_s: float = 0.25, longest_wait_s: float = 30.0) -> None:
        self._url = url
        self._key = key
        self._waits_s = (first_wait_s, longest_wait_s)
        self._queue = _Queue(max_waiting)
        self._series: dict[str, _Series] = {}
        # Closed ones that are not sent in full: before the others, which may have the same names.
        self._closing: list[_Series] = []
        self._resume = Resume()
        self._socket: Any = None
        self._is_watching = self._is_watch_sent = False
        self._pushed = asyncio.Event()
        self._attempts = 0
        self._task: Optional[asyncio.Task[None]] = None

    async def __aenter__(self) -> Live:
        try:
            import websockets.asyncio.client  # noqa: F401
        except ImportError as error:
            raise ImportError("live() needs the package websockets: pip install 'tickmark[live]'") from error
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._queue.end(None)
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def __aiter__(self) -> AsyncIterator[Message]:
        while (message := await self._queue.take()) is not None:
            yield message

    def open(self, series: str, forecasts: Sequence[dict[str, Any]], model: Optional[str] = None, closes: Iterable[Tick] = ()) -> None:
        """Opens a series; it stays open over reconnections. forecasts: {"horizon": "60s", "every": "5s", "min_move_bps": 2.5, "ticks": 1000, "id": "a"}.

        closes: the last price of each minute of the day before the first tick, at most 1,500, for a version with a market profile.
        """
        if not SERIES.fullmatch(series):
            raise ValueError(f"series must be 1 to 64 of A-Z a-z 0-9 . _ : -; it is {series!r}")
        if series in self._series:
            raise ValueError(f"series {series} is open already")
        message: Message = {"type": "open", "series": series, "forecasts": list(forecasts)}
        self._series[series] = _Series(message if model is None else {**message, "model": model}, list(closes))
        self._pushed.set()

    def push(self, series: str, ticks: Union[Tick, Iterable[Tick]]) -> None:
        """Sends one tick, (time, price) or (time, bid, ask), or several, in order. All or nothing: raises TickError for a bad one."""
        one = isinstance(ticks, tuple) and len(ticks) in (2, 3) and not isinstance(ticks[0], tuple)
        self._of(series).ticks.push([ticks] if one else list(ticks))  # type: ignore[list-item,arg-type]
        self._pushed.set()

    def ask(self, series: str, horizon: str, *, min_move_bps: Optional[float] = None, detail: bool = False) -> None:
        """Asks for one forecast now: a `forecast` message with the id `ask`."""
        given = {"min_move_bps": min_move_bps, "detail": detail or None}
        self._request("ask", series, {"horizon": horizon, **{name: value for name, value in given.items() if value is not None}})

    def score(self, series: str) -> None:
        """Asks for the running score: a `score` message."""
        self._request("score", series, {})

    def close_series(self, series: str) -> None:
        """Closes a series: a last `score` message, in which pending outcomes are unscored. There is none if the connection was lost, which has
        closed the series.
        """
        closed = self._of(series)
        if closed.opened_on is None or closed.opened_on is self._socket:
            self._request("close", series, {})
            self._closing.append(closed)
        del self._series[series]
        self._resume.forget(series)

    def watch(self) -> None:
        """Asks for copies of what all connections of the key send, those of other programs too: {"type": "watched", "copies", "dropped"}
        messages, also over reconnections. The service may drop some, and says how many.
        """
        self._is_watching = True
        self._pushed.set()

    def _of(self, name: str) -> _Series:
        if name not in self._series:
            raise ValueError(f"series {name!r} is not open")
        return self._series[name]

    def _request(self, kind: str, series: str, fields: Message) -> None:
        requests = self._of(series).requests
        if sum(len(one.requests) for one in self._unsent()) >= MOST_REQUESTS:
            raise ValueError(f"{MOST_REQUESTS} requests wait for a connection; {kind} is one too many")
        requests.append(json.dumps({"type": kind, "series": series, **fields}))
        self._pushed.set()

    def _unsent(self) -> list[_Series]:
        """In the order in which they are sent."""
        return [*self._closing, *self._series.values()]

    async def _run(self) -> None:
        from websockets.asyncio.client import connect
        from websockets.exceptions import ConnectionClosed, InvalidHandshake

        connections = 0
        try:
            while True:
                code, reason = 1006, ""
                try:
                    # 16 MiB: a score of many series; the service sends no larger message.
                    async with connect(self._url, subprotocols=[PROTOCOL], max_size=16 * 1024 * 1024) as socket:  # type: ignore[list-item]
                        await socket.send(json.dumps({"type": "auth", "api_key": self._key}))
                        self._resume.restart()
                        self._is_watch_sent = False
                        self._socket = socket
                        for series in self._unsent():
                            series.ticks.rewind()
                        self._queue.put({"type": "connected", "is_resumed": connections > 0})
                        connections += 1
                        self._pushed.set()
                        sender = asyncio.create_task(self._send(socket))
                        try:
                            async for text in socket:
                                self._receive(text)
                        finally:
                            self._socket = None
                            self._closing = [series for series in self._closing if series.opened_on is None]
                            sender.cancel()
                            await asyncio.gather(sender, return_exceptions=True)
                        code, reason = socket.close_code or 1006, socket.close_reason or ""
                except ConnectionClosed as error:
                    if error.rcvd is not None:
                        code, reason = error.rcvd.code, error.rcvd.reason
                except (OSError, InvalidHandshake) as error:
                    reason = str(error)
                if code == KEY_REFUSED:
                    raise LiveRefused(code, reason)
                first, longest = self._waits_s
                wait_s = min(first * 2 ** min(self._attempts, 30), longest) * random.uniform(0.5, 1)
                self._attempts += 1
                self._queue.put({"type": "disconnected", "code": code, "reason": reason, "wait_s": wait_s})
                await asyncio.sleep(wait_s)
        except Exception as error:
            self._queue.end(error)

    async def _send(self, socket: Any) -> None:
        """Sends what was pushed. `send` waits while the socket takes nothing; ticks then wait in their buffer."""
        while True:
            await self._pushed.wait()
            self._pushed.clear()
            if self._is_watching and not self._is_watch_sent:
                self._is_watch_sent = True
                await socket.send('{"type": "watch"}')
            for series in self._unsent():
                name = series.message["series"]
                if series not in self._closing and self._series.get(name) is not series:
                    # Closed while others were sent.
                    continue
                if series.opened_on is not socket:
                    series.opened_on = socket
                    await socket.send(json.dumps(self._opening(name, series)))
                while series.ticks.unsent > 0 or series.requests:
                    if series.ticks.has_gap:
                        # What the service has would have a gap.
                        await socket.close(1000, "too slow")
                        return
                    if series.ticks.unsent > 0:
                        await socket.send(json.dumps({"type": "ticks", "series": name, **series.ticks.take(MOST_TICKS)}))
                    else:
                        await socket.send(series.requests.popleft())
                if series in self._closing:
                    self._closing.remove(series)

    def _opening(self, name: str, series: _Series) -> Message:
        forecasts = [self._resumed(name, one) for one in series.message["forecasts"]]
        return {**series.message, "forecasts": forecasts, **series.ticks.closes()}

    def _resumed(self, series: str, forecast: dict[str, Any]) -> dict[str, Any]:
        after = self._resume.after(series, str(forecast.get("id", forecast.get("horizon"))))
        return forecast if after is None else {**forecast, "resume_after": after}

    def _receive(self, text: Union[str, bytes]) -> None:
        message = json.loads(text)
        # A service that starts accepts connections and refuses what they send.
        if message["type"] != "error":
            self._attempts = 0
        # A series that was refused must not be opened again after each reconnection.
        if message["type"] == "error" and message.get("message") == "open":
            self._series.pop(message.get("series"), None)
        known = self._resume.read(message)
        if known is not None:
            self._queue.put(known)


class _Series:
    def __init__(self, message: Message, closes: list[Tick]) -> None:
        self.message = message
        self.ticks = TickBuffer(MOST_TICKS, closes)
        # To send after its ticks; the last one of a closed series is `close`.
        self.requests: deque[str] = deque()
        # The connection on which it was opened last.
        self.opened_on: Any = None


class TickBuffer:
    """The last ticks of a series, and which of them are not sent yet."""

    def __init__(self, most: int, closes: Sequence[Tick] = ()) -> None:
        self._most = most
        self._times: list[int] = []
        self._prices: list[float] = []
        # Negative: so many were dropped before they were sent.
        self._sent = 0
        # The last time and price of each minute from before the ticks that are kept.
        self._closes: dict[int, tuple[int, float]] = {}
        for us, tick in zip(_checked(closes, 0), closes):
            self._close(us, price_of(tick))

    def closes(self) -> dict[str, Any]:
        """The field `closes` of the message that opens the series; none without closes."""
        first = self._times[0] if self._times else math.inf
        kept = [close for close in self._closes.values() if close[0] < first][-MOST_CLOSES:]
        return {"closes": {"Timestamp": format_stamps(us for us, _ in kept), "Price": [price for _, price in kept]}} if kept else {}

    def push(self, ticks: list[Tick]) -> None:
        """All or nothing. Raises TickError for the first tick that breaks a rule."""
        times = _checked(ticks, self._times[-1] if self._times else 0)
        self._times += times
        self._prices += [price_of(tick) for tick in ticks]
        if len(self._times) > 2 * self._most:
            self._trim()

    @property
    def unsent(self) -> int:
        return len(self._times) - max(0, self._sent)

    @property
    def has_gap(self) -> bool:
        return self._sent < 0

    def rewind(self) -> None:
        """All that is kept counts as not sent."""
        self._trim()
        self._sent = 0

    def take(self, most: int) -> dict[str, Any]:
        start = self._sent
        self._sent = min(len(self._times), start + most)
        return {"Timestamp": format_stamps(self._times[start : self._sent]), "Price": self._prices[start : self._sent]}

    def _trim(self) -> None:
        extra = max(0, len(self._times) - self._most)
        for us, price in zip(self._times[:extra], self._prices[:extra]):
            self._close(us, price)
        del self._times[:extra], self._prices[:extra]
        self._sent -= extra


    def _close(self, us: int, price: float) -> None:
        self._closes[us // US_PER_MINUTE] = (us, price)
        if len(self._closes) > MOST_CLOSES:
            del self._closes[next(iter(self._closes))]


def _checked(ticks: Sequence[Tick], last: int) -> list[int]:
    """Microseconds of ticks in order, none before `last`. Raises TickError for the first tick that breaks a rule."""
    times: list[int] = []
    for index, tick in enumerate(ticks):
        time = tick[0]
        for field, price in zip(("price",) if len(tick) == 2 else ("bid", "ask"), tick[1:]):
            if isinstance(price, bool) or not isinstance(price, (int, float)) or not 0 < price < 1e12:
                raise TickError(index, field, "must be above 0 and below 1e12", price)
        if price_of(tick) == 0:
            raise TickError(index, "bid", "and ask must have a mid that is not rounded to 0", tick[1])
        try:
            us = time_us(time)
        except ValueError as error:
            raise TickError(index, "time", "must be a datetime, or integer microseconds since 1970", time) from error
        if us < last:
            before, given = format_stamps([last, us])
            raise TickError(index, "time", f"must not be before the tick before it ({before})", given)
        last = us
        times.append(us)
    return times


class _Known:
    """What was read of the forecasts of one id."""

    def __init__(self) -> None:
        # Number of the first forecast at the time of a last tick, oldest first.
        self.numbers: dict[str, int] = {}
        # Forecasts by number, in order, from the oldest without outcome on: the time, and whether the outcome is known.
        self.open: dict[int, tuple[str, bool]] = {}
        # The outcomes of all forecasts up to this time are known; empty before the first one.
        self.settled_until = ""
        # Time of the last tick of the newest forecast; and that time when this connection began.
        self.newest = self.read_until = ""
        self.next_number = 0
        # Added to the numbers of this connection; None until it is known.
        self.offset: Optional[int] = None


class Resume:
    """Joins the messages of several connections to one sequence: ticks that are sent again give earlier forecasts again, with other numbers."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _Known] = {}

    def restart(self) -> None:
        """A new connection counts from 0 again."""
        for known in self._known.values():
            known.offset, known.read_until = None, known.newest

    def after(self, series: str, forecast_id: str) -> Optional[str]:
        """Up to which time the service need not make the forecasts of an id again; None: none was made."""
        known = self._known.get((series, forecast_id))
        return known.settled_until or None if known is not None else None

    def forget(self, series: str) -> None:
        self._known = {key: known for key, known in self._known.items() if key[0] != series}

    def read(self, message: Message) -> Optional[Message]:
        """The message as the reader gets it; None: it was read before."""
        if message["type"] == "forecast" and message["id"] != ASK_ID:
            return self._forecast(message)
        return self._outcome(message) if message["type"] == "outcome" else message

    def _forecast(self, message: Message) -> Optional[Message]:
        known = self._known.setdefault((message["series"], message["id"]), _Known())
        second, _, fraction = message["timestamp"].partition(".")
        at = f"{second}.{fraction:0<6}"
        is_new = at > known.read_until
        number = max(known.next_number, message["n"]) if is_new else known.numbers.get(at)
        if number is not None and known.offset is None:
            known.offset = number - message["n"]
        if not is_new or known.offset is None:
            return None
        n = message["n"] + known.offset
        # Forecasts that are computed at the same time may come in another order.
        known.newest, known.next_number = max(known.newest, at), max(known.next_number, n + 1)
        known.numbers.setdefault(at, n)
        known.open[n] = (at, False)
        if len(known.numbers) > MOST_NUMBERS:
            del known.numbers[next(iter(known.numbers))]
        if len(known.open) > MOST_NUMBERS:
            del known.open[next(iter(known.open))]
        return {**message, "n": n}

    def _outcome(self, message: Message) -> Optional[Message]:
        known = self._known.get((message["series"], message["id"]))
        if known is None or known.offset is None:
            return None
        n = message["n"] + known.offset
        at, is_settled = known.open.get(n, ("", True))
        if is_settled:
            return None
        known.open[n] = (at, True)
        # Forecasts at one time are settled together: the service compares times only.
        settled: Optional[str] = None
        for number, (at, is_settled) in list(known.open.items()):
            if not is_settled:
                settled = None if at == settled else settled
                break
            del known.open[number]
            settled = at
        known.settled_until = settled or known.settled_until
        return {**message, "n": n}


class _Queue:
    """Messages between a socket and a reader. When it is full, the oldest message is dropped and counted."""

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError(f"max_waiting must be above 0; it is {most}")
        self._messages: deque[Message] = deque()
        self._most = most
        self._dropped = 0
        self._is_ended = False
        self._error: Optional[BaseException] = None
        self._ready = asyncio.Event()

    def put(self, message: Message) -> None:
        if self._is_ended:
            return
        if len(self._messages) >= self._most:
            self._messages.popleft()
            self._dropped += 1
        self._messages.append(message)
        self._ready.set()

    def end(self, error: Optional[BaseException]) -> None:
        if not self._is_ended:
            self._is_ended, self._error = True, error
        self._ready.set()

    async def take(self) -> Optional[Message]:
        while True:
            if self._dropped:
                count, self._dropped = self._dropped, 0
                return {"type": "dropped", "count": count}
            if self._messages:
                return self._messages.popleft()
            if self._error is not None:
                raise self._error
            if self._is_ended:
                return None
            self._ready.clear()
            await self._ready.wait()
