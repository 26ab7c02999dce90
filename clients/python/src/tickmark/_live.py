"""Live series: a connection that pushes ticks and gives forecasts and outcomes, async and sync."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import math
import random
import re
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Literal, Optional, TypedDict, TypeVar, Union, cast

from ._calls import on_wire
from ._options import PLAN_OPTIONS, AskOptions
from ._version import USER_AGENT
from ._wire import PASSING_CODES, LiveServerMessage
from ._order import RowBuffer
from .bars import Bar, BarRow, BarTime, bar_rows, price_columns
from .errors import ApiError, ConnectionFailed, LiveRefused, MissingPackage, TickError, TickmarkError, TimedOut, UnexpectedAnswer, UsageError
from .ticks import Row, Tick, checked_ticks, format_stamps, is_crossed, price_lists, tick_rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

PROTOCOL = "tickmark.v1"
# Ticks of one message, and ticks that are kept for a reconnection.
MOST_TICKS = 3000
# Rows of a series that wait for the service, above which push() of SyncLive waits too.
MANY_UNSENT = 30_000
# Requests that wait for a connection, and forecasts of one id that are remembered.
MOST_REQUESTS = 64
MOST_NUMBERS = 4096
KEY_REFUSED = 4401
# Close codes from here on are those of tickmark: it refuses the connection.
REFUSED_FROM = 4000
# The id of forecasts that answer ask(): they have no outcome.
ASK_ID = "ask"
# Begins a request for a score.
SCORE = '{"type": "score"'
PUSHES = {"ticks": "push", "bars": "push_bars"}
SERIES = re.compile(r"[A-Za-z0-9._:-]{1,64}")

# As the service: without white space, and one day at most.
DURATION = re.compile(r"[1-9]\d{0,7}(ms|s|m|h|d)", re.ASCII)
BARS = re.compile(r"[1-9]\d{0,4}bars", re.ASCII)
PLAN_FIELDS = frozenset(("horizon", "every", "ticks", "id")) | PLAN_OPTIONS

Message = dict[str, Any]
T = TypeVar("T")


class Connected(TypedDict):
    """There is a connection. is_resumed: it is not the first one; its series are opened again."""

    type: Literal["connected"]
    is_resumed: bool


class Disconnected(TypedDict):
    """The connection was lost, and is made again after `wait_s`. code: of the WebSocket."""

    type: Literal["disconnected"]
    code: int
    reason: str
    wait_s: float


class Dropped(TypedDict):
    """Messages that were not read in time."""

    type: Literal["dropped"]
    count: int


class TicksLeftOut(TypedDict):
    """Ticks or bars that were left out since the series was opened: `late` ones before the last one, and those far `ahead` of it that no other one
    confirmed; and quotes whose bid is above the ask (`crossed`). Told at 1, 2, 4, 8, …
    """

    type: Literal["ticks_left_out"]
    series: str
    late: int
    ahead: int
    crossed: int


class Restarted(TypedDict):
    """The times of the series have begun again at an earlier one: it was closed at the service and opened again, and its numbers begin at 0."""

    type: Literal["restarted"]
    series: str


LiveMessage = Union[LiveServerMessage, Connected, Disconnected, Dropped, TicksLeftOut, Restarted]
"""What a live connection gives: messages of the service as on the wire, and what happens to the connection. Told apart by `type`."""


def checked_plans(forecasts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Raises UsageError for what is no list of forecasts: the service would refuse the series, and a refused one ends the connection."""
    listed = [] if isinstance(forecasts, (str, Mapping)) else list(forecasts)
    if not listed:
        raise UsageError(f'forecasts must be a list such as [{{"horizon": "60s", "every": "5s"}}]; it is {forecasts!r}')
    for at, plan in enumerate(listed):
        if not isinstance(plan, Mapping):
            raise UsageError(f'forecast {at} must be a dict such as {{"horizon": "60s", "every": "5s"}}; it is {plan!r}')
        unknown = sorted(set(plan) - PLAN_FIELDS)
        if unknown:
            raise UsageError(f"forecast {at} has a field {unknown[0]!r}; the fields are {', '.join(sorted(PLAN_FIELDS))}")
        checked_horizon(plan.get("horizon"), f"horizon of forecast {at}", True)
        if plan.get("every") != "tick":
            checked_horizon(plan.get("every"), f"every of forecast {at}", False)
    return [dict(plan) for plan in listed]


def checked_horizon(text: Any, what: str, has_bars: bool) -> None:
    """Raises UsageError for what is no duration."""
    if isinstance(text, str) and (DURATION.fullmatch(text) or (has_bars and BARS.fullmatch(text))):
        return
    other = ", or of bars 3bars" if has_bars else ", or tick"
    raise UsageError(f"{what} must be a whole number with its unit, without a space, such as 10s, 5m{other}; it is {text!r}")


class _Connection:
    """The series and the connection of Live and SyncLive."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        max_waiting: int = 10_000,
        first_wait_s: float = 0.25,
        longest_wait_s: float = 30.0,
        give_up_s: Optional[float] = None,
        user_agent: str = USER_AGENT,
    ) -> None:
        self._url = url
        self._key = key
        self._waits_s = (first_wait_s, longest_wait_s)
        self._give_up_s = math.inf if give_up_s is None else give_up_s
        self._user_agent = user_agent
        self._queue = _Queue(max_waiting)
        # Guards the series: ticks may be pushed from another thread while some are sent.
        self._lock = threading.RLock()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._series: dict[str, _Series] = {}
        # Closed ones that are not sent in full: before the others, which may have the same names.
        self._closing: list[_Series] = []
        self._resume = Resume()
        # By series, who asked for the scores that come on this connection: a series that waits for the service, or the program with this message.
        self._asked: dict[str, deque[Union[_Series, str]]] = {}
        self._socket: Any = None
        self._is_watching = self._is_watch_sent = False
        self._pushed = asyncio.Event()
        self._drained = asyncio.Event()
        self._attempts = 0
        self._has_worked = False
        self._end: Optional[BaseException] = None
        self._task: Optional[asyncio.Task[None]] = None

    async def _start(self) -> None:
        """Connects, in the running loop."""
        try:
            import websockets.asyncio.client  # noqa: F401
        except ImportError as error:
            raise MissingPackage("live() needs websockets, the extra live of this package: in a clone, pip install './clients/python[live]'") from error
        self._loop = asyncio.get_running_loop()
        connected = self._loop.create_future()
        self._task = asyncio.create_task(self._run(connected))
        try:
            await connected
        except BaseException:
            await self._stop()
            raise

    async def _stop(self) -> None:
        self._finish(None)
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def open(
        self,
        series: str,
        forecasts: Sequence[dict[str, Any]],
        model: Optional[str] = None,
        memory_off: bool = False,
        bar_time: Optional[BarTime] = None,
        bar_period: Optional[str] = None,
    ) -> None:
        """Opens a series; it stays open over reconnections. forecasts: {"horizon": "60s", "every": "5s", "min_move_bps": 2.5, "ticks": 1000, "id": "a"}, with any of PLAN_OPTIONS.

        memory_off: the forecasts do not use what was kept of the series by its name, and nothing of this one is kept.
        bar_time: the series is one of bars, which push_bars sends: "open" if their timestamps are their beginnings, "close" if they are their ends.
        bar_period: how long a bar is, such as "1m"; default measured from the first bars. A horizon in bars, such as "3bars", needs it.
        """
        if not isinstance(series, str) or not SERIES.fullmatch(series):
            raise UsageError(f"series must be 1 to 64 of A-Z a-z 0-9 . _ : -; it is {series!r}")
        message: Message = {"type": "open", "series": series, "forecasts": checked_plans(forecasts)}
        if memory_off:
            message["memory"] = "off"
        if bar_time is not None:
            message["bars"] = {"bar_time": bar_time} if bar_period is None else {"bar_time": bar_time, "period": bar_period}
        with self._lock:
            self._check()
            if series in self._series:
                raise UsageError(f"series {series} is open already")
            self._series[series] = _Series(message if model is None else {**message, "model": model})
        self._wake()

    def push(self, series: str, ticks: Union[Tick, Iterable[Tick]]) -> int:
        """Sends one tick, (time, price) or (time, bid, ask), or several, oldest first. All or nothing: raises TickError for a bad one. Returns how
        many of the series are not sent yet.

        A tick before the last one is left out, and so is one far ahead of it that no other tick confirms; `ticks_left_out` counts them. Nothing that
        was accepted is lost, with a connection or without. With Live, wait for drained() where many are unsent; from a million on, UsageError is
        raised. With SyncLive, push() waits itself while more than 30,000 are unsent. Raises the error that has ended the connection, if one has.
        """
        one = isinstance(ticks, tuple) and len(ticks) in (2, 3) and not isinstance(ticks[0], (tuple, list))
        listed: list[Any] = [ticks] if one else list(tick_rows(ticks))
        return self._push(series, listed, "ticks")

    def push_bars(self, series: str, bars: Union[Bar, Iterable[Bar]]) -> int:
        """Sends one bar, (time, close), (time, open, high, low, close) or a list of ccxt, or several: also a DataFrame or rates of MetaTrader. All or
        nothing: raises TickError for a bad one. Returns how many of the series are not sent yet.

        Each bar is sent once; those up to the last one that was pushed are left out, so that a list of ccxt can be pushed again and again. Push bars
        that have ended. If the last one changes afterwards, its newest form counts: the series is opened again with it, and from then on each last
        bar waits until the next one begins. Otherwise as push().
        """
        listed: Any = bars if hasattr(bars, "columns") or hasattr(bars, "dtype") else list(bars)
        is_one = isinstance(listed, list) and bool(listed) and not isinstance(listed[0], (tuple, list))
        return self._push(series, [bars] if is_one else listed, "bars")

    def _push(self, series: str, listed: Any, kind: str) -> int:
        with self._lock:
            self._check()
            one = self._of(series)
            if one.ticks.kind != kind:
                raise UsageError(f"series {series} is one of {one.ticks.kind}: {PUSHES[one.ticks.kind]}() sends them")
            one.ticks.push(listed)
            unsent = one.ticks.unsent
            left_out = one.ticks.left_out
            # At 1, 2, 4, 8, …: a reader that is told of each would read nothing else.
            if sum(left_out.values()) >= max(1, 2 * one.told):
                one.told = sum(left_out.values())
                self._tell({"type": "ticks_left_out", "series": series, **left_out})
        self._wake()
        return unsent

    def _tell(self, message: Message) -> None:
        """The queue belongs to the loop."""
        if self._loop is None:
            self._queue.put(message)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put, message)

    async def _until_drained(self) -> None:
        while self._end is None and any(series.ticks.unsent > 0 for series in self._unsent()):
            self._drained.clear()
            await self._drained.wait()
        if self._end is not None:
            raise self._end

    def ask(self, series: str, horizon: str, *, detail: bool = False, **options: Unpack[AskOptions]) -> None:
        """Asks for one forecast now: a `forecast` message with the id `ask`. options: those of AskOptions."""
        fields = on_wire(AskOptions, options)
        if detail:
            fields["detail"] = True
        self._request("ask", series, {"horizon": horizon, **fields})

    def score(self, series: str) -> None:
        """Asks for the running score: a `score` message."""
        self._request("score", series, {})

    def close_series(self, series: str) -> None:
        """Closes a series: a last `score` message, in which pending outcomes are unscored. There is none if the connection was lost, which has
        closed the series.
        """
        with self._lock:
            closed = self._of(series)
            # What it was asked is not asked of another one with this name.
            self._asked[series] = deque("" if isinstance(asker, str) else asker for asker in self._asked.get(series, ()))
            if closed.opened_on is None or closed.opened_on is self._socket:
                self._request("close", series, {})
                self._closing.append(closed)
            del self._series[series]
            self._resume.forget(series)

    def watch(self) -> None:
        """Asks for copies of what all connections of the key send, those of other programs too: {"type": "watched", "copies", "dropped"}
        messages, also over reconnections. The service may drop some, and says how many.
        """
        with self._lock:
            self._check()
            self._is_watching = True
        self._wake()

    def _check(self) -> None:
        if self._end is not None:
            raise self._end

    def _wake(self) -> None:
        """The event belongs to the loop, and may be set only in its thread."""
        if self._loop is None:
            self._pushed.set()
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._pushed.set)

    def _of(self, name: str) -> _Series:
        if name not in self._series:
            raise UsageError(f"series {name!r} is not open")
        return self._series[name]

    def _request(self, kind: str, series: str, fields: Message) -> None:
        with self._lock:
            self._check()
            requests = self._of(series).requests
            if sum(len(one.requests) for one in self._unsent()) >= MOST_REQUESTS:
                raise UsageError(f"{MOST_REQUESTS} requests wait for a connection; {kind} is one too many")
            requests.append(json.dumps({"type": kind, "series": series, **fields}))
        self._wake()

    def _unsent(self) -> list[_Series]:
        """In the order in which they are sent."""
        with self._lock:
            return [*self._closing, *self._series.values()]

    def _finish(self, error: Optional[BaseException]) -> None:
        with self._lock:
            self._end = self._end or error or UsageError("the live connection is closed")
        self._queue.end(error)
        self._drained.set()

    async def _run(self, connected: asyncio.Future[None]) -> None:
        """Connects, again and again. connected: done at the first connection, or with the error that prevents it."""
        error: Optional[BaseException] = None
        lost_at: Optional[float] = None
        try:
            while True:
                code, reason = await self._connect(connected)
                if code == KEY_REFUSED or (code >= REFUSED_FROM and not self._has_worked):
                    raise LiveRefused(code, reason)
                if not connected.done():
                    raise ConnectionFailed(f"{self._url}: {reason or f'closed with {code}'}")
                now = time.monotonic()
                # A connection that gave something ends the time without one.
                lost_at = now if lost_at is None or self._attempts == 0 else lost_at
                first, longest = self._waits_s
                wait_s = min(first * 2 ** min(self._attempts, 30), longest) * random.uniform(0.5, 1)
                if now + wait_s - lost_at > self._give_up_s:
                    raise ConnectionFailed(f"{self._url}: no connection for {self._give_up_s:g} s: {reason or f'closed with {code}'}")
                self._attempts += 1
                self._queue.put({"type": "disconnected", "code": code, "reason": reason, "wait_s": wait_s})
                await asyncio.sleep(wait_s)
        except TickmarkError as failed:
            error = failed
        except Exception as failed:
            error = ConnectionFailed(f"{self._url}: {type(failed).__name__}: {failed}")
            error.__cause__ = failed
        if error is not None:
            self._finish(error)
            if not connected.done():
                connected.set_exception(error)

    async def _connect(self, connected: asyncio.Future[None]) -> tuple[int, str]:
        """One connection, from its start to its end: close code and reason."""
        from websockets.asyncio import client
        from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

        class Connect(client.connect):
            def process_redirect(self, exc: Exception) -> Exception:
                return exc  # Another server would get the key.

        # 16 MiB: a score of many series; the service sends no larger message.
        options: Any = {"subprotocols": [PROTOCOL], "max_size": 16 * 1024 * 1024, "user_agent_header": self._user_agent}
        try:
            async with Connect(self._url, **options) as socket:
                if socket.subprotocol != PROTOCOL:
                    return 1002, f"no subprotocol {PROTOCOL}: it is not a tickmark service"
                await socket.send(json.dumps({"type": "auth", "api_key": self._key}))
                self._queue.put({"type": "connected", "is_resumed": connected.done()})
                self._resumed()
                self._socket = socket
                if not connected.done():
                    connected.set_result(None)
                self._pushed.set()
                sender = asyncio.create_task(self._send(socket))
                try:
                    async for text in socket:
                        self._receive(text)
                finally:
                    with self._lock:
                        self._socket = None
                        self._closing = [series for series in self._closing if series.opened_on is None]
                    sender.cancel()
                    await asyncio.gather(sender, return_exceptions=True)
                return socket.close_code or 1006, socket.close_reason or ""
        except ConnectionClosed as error:
            return (1006, "") if error.rcvd is None else (error.rcvd.code, error.rcvd.reason)
        except (OSError, InvalidHandshake, InvalidURI) as error:  # _Passing too
            return 1006, str(error) or type(error).__name__

    def _resumed(self) -> None:
        """All that is kept counts as not sent."""
        self._resume.restart()
        self._is_watch_sent = False
        with self._lock:
            # Scores that did not come are asked for again.
            for name, askers in self._asked.items():
                if name in self._series:
                    self._series[name].requests.extendleft(text for text in askers if isinstance(text, str) and text.startswith(SCORE))
            self._asked = {}
            for series in self._unsent():
                series.ticks.rewind()

    async def _send(self, socket: Any) -> None:
        """Sends what was pushed. `send` waits while the socket takes nothing; ticks then wait in their buffer."""
        while True:
            await self._pushed.wait()
            self._pushed.clear()
            if self._is_watching and not self._is_watch_sent:
                self._is_watch_sent = True
                await socket.send('{"type": "watch"}')
            for series in self._unsent():
                while (text := self._next(socket, series)) is not None:
                    if text == "":
                        # What the service has is no longer right: all is sent again.
                        await socket.close(1000, "a bar has changed")
                        return
                    await socket.send(text)
            self._drained.set()

    def _next(self, socket: Any, series: _Series) -> Optional[str]:
        """The next message of a series; None: all is sent; empty: a bar that was sent has changed."""
        name = series.message["series"]
        with self._lock:
            is_closing = series in self._closing
            if not is_closing and self._series.get(name) is not series:
                # Closed while others were sent.
                return None
            if series.ticks.is_restarted:
                # At the service, it is closed and opened.
                was_open, series.opened_on, series.ticks.is_restarted = series.opened_on is socket, None, False
                self._resume.forget(name)
                self._queue.put({"type": "restarted", "series": name})
                if was_open:
                    return self._asking(name, json.dumps({"type": "close", "series": name}), "")
            if series.opened_on is not socket:
                series.opened_on = socket
                return json.dumps(self._opening(name, series))
            if series.ticks.is_changed:
                return ""
            if series.ticks.asks():
                return self._asking(name, json.dumps({"type": "score", "series": name}), series)
            if series.ticks.unsent > 0:
                return json.dumps({"type": series.ticks.kind, "series": name, **series.ticks.take(MOST_TICKS)})
            if series.requests:
                text = series.requests.popleft()
                return self._asking(name, text, text)
            if is_closing:
                self._closing.remove(series)
            return None

    def _asking(self, name: str, text: str, asker: Union[_Series, str]) -> str:
        """The message, after which a score comes for the one who asks."""
        if text.startswith((SCORE, '{"type": "close"')):
            self._asked.setdefault(name, deque()).append(asker)
        return text

    def _opening(self, name: str, series: _Series) -> Message:
        forecasts = [self._resuming(name, one) for one in series.message["forecasts"]]
        return {**series.message, "forecasts": forecasts}

    def _resuming(self, series: str, forecast: dict[str, Any]) -> dict[str, Any]:
        after = self._resume.after(series, str(forecast.get("id", forecast.get("horizon"))))
        return forecast if after is None else {**forecast, "resume_after": after}

    def _receive(self, text: Union[str, bytes]) -> None:
        try:
            message = json.loads(text)
            kind = message["type"]
            if kind == "error":
                self._refused(message)
            else:
                # A service that starts accepts connections and refuses what they send.
                self._attempts, self._has_worked = 0, True
            with self._lock:
                if kind == "score" or (kind == "error" and message.get("message") == "score"):
                    askers = self._asked.get(message.get("series", ""))
                    asker = askers.popleft() if askers else ""
                    if isinstance(asker, _Series):
                        asker.ticks.answered(kind == "score")
                        return
                known = self._resume.read(message)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnexpectedAnswer(101, text if isinstance(text, str) else text.decode("utf-8", "replace")) from error
        if known is not None:
            self._queue.put(known)

    def _refused(self, message: Message) -> None:
        """A refused `open` ends the connection: without the series, no later tick would arrive. A passing refusal is retried."""
        if message.get("message") == "open":
            error = ApiError(message)
            raise _Passing(str(error)) if error.code in PASSING_CODES and self._has_worked else error


class _Passing(OSError):
    """A refusal that passes by itself: the connection is made again."""


class Live(_Connection):
    """A connection to live series. `async with` connects and closes it; `async for` gives its messages.

    A first connection that fails, a refused key and a refused `open` raise at once: ConnectionFailed, LiveRefused, ApiError. A connection that
    once worked is made again, with exponential backoff and jitter, for `give_up_s` seconds; then ConnectionFailed is raised. Its series are
    opened again, and their last 3,000 ticks and all that were not sent yet are sent; forecasts and outcomes that were read before do not come again.

    All methods that are not async may be called from any thread.
    """

    async def __aenter__(self) -> Live:
        await self._start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop()

    async def drained(self) -> None:
        """Returns when all ticks are sent. Raises the error that has ended the connection, if one has."""
        await self._until_drained()

    async def __aiter__(self) -> AsyncIterator[LiveMessage]:
        while (message := await self._queue.take()) is not None:
            yield message


class SyncLive(_Connection):
    """A connection to live series for programs without asyncio: `with` connects and closes it, `for` gives its messages. As Live, in a thread of
    its own; ticks may be pushed from any thread, for example while another one reads.
    """

    def __init__(self, url: str, key: str, **options: Any) -> None:
        super().__init__(url, key, **options)
        self._own_loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._own_loop.run_forever, name="tickmark-live", daemon=True)
        self._reading: Optional[concurrent.futures.Future[Any]] = None

    def __enter__(self) -> SyncLive:
        self._thread.start()
        try:
            self._call(self._start())
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _push(self, series: str, listed: Any, kind: str) -> int:
        unsent = super()._push(series, listed, kind)
        if unsent > MANY_UNSENT and self._task is not None:
            self.drained()
            return 0
        return unsent

    def drained(self) -> None:
        """Returns when all ticks are sent. Raises the error that has ended the connection, if one has."""
        with self._lock:
            self._check()
        if self._task is not None:
            self._call(self._until_drained())

    def close(self) -> None:
        """Ends the connection, and a loop that reads from it."""
        if not self._thread.is_alive():
            return
        self._call(self._stop())
        if self._reading is not None:
            concurrent.futures.wait([self._reading])
        self._own_loop.call_soon_threadsafe(self._own_loop.stop)
        self._thread.join()
        self._own_loop.close()

    def __iter__(self) -> Iterator[LiveMessage]:
        while (message := self.read()) is not None:
            yield message

    def read(self, timeout_s: Optional[float] = None) -> Optional[LiveMessage]:
        """The next message; None after close(). Raises TimedOut, with nothing lost, where there is none in time; and what ends the connection."""
        if self._task is None:
            raise UsageError("a live connection is used within its `with` block")
        reading: concurrent.futures.Future[Optional[LiveMessage]] = self._reading or asyncio.run_coroutine_threadsafe(self._queue.take(), self._own_loop)
        self._reading = reading
        try:
            return reading.result(timeout_s)
        except concurrent.futures.TimeoutError:
            raise TimedOut(f"There was no message within {timeout_s} s.") from None
        finally:
            if reading.done():
                self._reading = None

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._own_loop).result()


class _Series:
    def __init__(self, message: Message) -> None:
        self.message = message
        self.ticks: Union[TickBuffer, BarBuffer] = BarBuffer(MOST_TICKS) if "bars" in message else TickBuffer(MOST_TICKS)
        # Ticks left out that the reader was told of.
        self.told = 0
        # To send after its ticks; the last one of a closed series is `close`.
        self.requests: deque[str] = deque()
        # The connection on which it was opened last.
        self.opened_on: Any = None


class TickBuffer(RowBuffer):
    """The ticks of a series."""

    kind = "ticks"

    def push(self, ticks: Iterable[Tick]) -> None:
        """All or nothing. Raises TickError for the first tick that breaks a rule. A crossed quote is left out."""
        rows = checked_ticks(ticks, is_list=True)
        right = [row for row in rows if not is_crossed(row)]
        self._add(right)
        self.crossed += len(rows) - len(right)

    def take(self, most: int) -> dict[str, Any]:
        """The next ticks of one kind to send, prices or quotes, which then count as sent."""
        rows = self._next(most)
        return {"Timestamp": format_stamps(row[0] for row in rows), **price_lists(rows)}


class BarBuffer(RowBuffer):
    """The bars of a series."""

    kind = "bars"

    def push(self, bars: Any) -> None:
        """Bars that came before are left out; of the last one, the newest form counts. Once it has changed, the last bar waits until the next begins."""
        rows: list[BarRow] = bar_rows(bars) if len(bars) > 0 else []
        first, last = (self._rows[0], self._rows[-1]) if self._rows else (None, None)
        goes_on = bool(rows) and last is not None and rows[-1][0] >= last[0]

        def is_new(row: BarRow) -> bool:
            if first is None or last is None:
                return not self._revise(row)
            if row[0] == last[0]:
                if row != last:
                    self._waiting = int(self._revise(row))
                return False
            is_known = row[0] < last[0] and (goes_on or row[0] >= first[0])
            return not is_known and not self._revise(row)

        self._add([row for row in rows if is_new(row)])

    def take(self, most: int) -> dict[str, Any]:
        """The next bars to send, which then count as sent."""
        rows = self._next(most)
        return {"Timestamp": format_stamps(row[0] for row in rows), **price_columns(rows)}


class _Known:
    """What was read of the forecasts of one id."""

    def __init__(self) -> None:
        # Number of the first forecast at the time of a last tick, oldest first.
        self.numbers: dict[str, int] = {}
        # Forecasts by number, in order, from the oldest without outcome on: the time, and whether the outcome is known.
        self.open: dict[int, tuple[str, bool]] = {}
        # The outcomes of all forecasts up to this time are known; empty before the first one.
        self.settled_until = ""
        # The number after that of the forecast at that time: a connection that resumes there counts from it, as long as the first ticks are kept.
        self.resumed_from = 0
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
        # A later forecast may come first: that it is the next one would give its number to two.
        number = max(known.next_number, known.resumed_from + message["n"]) if is_new else known.numbers.get(at)
        if number is not None and known.offset is None:
            known.offset = number - message["n"]
        if not is_new or known.offset is None:
            return None
        n = message["n"] + known.offset
        known.open[n] = (at, False)
        # Forecasts that are computed at the same time may come in another order.
        if n < known.next_number:
            known.open = dict(sorted(known.open.items()))
        known.newest, known.next_number = max(known.newest, at), max(known.next_number, n + 1)
        known.numbers.setdefault(at, n)
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
        settled: Optional[tuple[str, int]] = None
        for number, (at, is_settled) in list(known.open.items()):
            if not is_settled:
                settled = None if settled is not None and at == settled[0] else settled
                break
            del known.open[number]
            settled = (at, number + 1)
        if settled is not None:
            known.settled_until, known.resumed_from = settled
        return {**message, "n": n}


class _Queue:
    """Messages between a socket and a reader. When it is full, the oldest message is dropped and counted."""

    def __init__(self, most: int) -> None:
        if most < 1:
            raise UsageError(f"max_waiting must be above 0; it is {most}")
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

    async def take(self) -> Optional[LiveMessage]:
        while True:
            if self._dropped:
                count, self._dropped = self._dropped, 0
                return {"type": "dropped", "count": count}
            if self._messages:
                return cast(LiveMessage, self._messages.popleft())
            if self._error is not None:
                raise self._error
            if self._is_ended:
                return None
            self._ready.clear()
            await self._ready.wait()
