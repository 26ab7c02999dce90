"""The series of a live connection: what a program pushes and asks."""

from __future__ import annotations

import asyncio
import json
import math
import re
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from ._live_buffers import Queue, OpenSeries
from ._live_messages import Message, checked_plans
from ._live_resume import Resume
from ._calls import on_wire
from ._options import AskOptions
from ._version import USER_AGENT
from .bars import Bar, BarTime
from .errors import UsageError
from .ticks import Tick, tick_rows

if TYPE_CHECKING:
    from typing_extensions import Unpack


# Requests that wait for a connection.
MOST_REQUESTS = 64
PUSHES = {"ticks": "push", "bars": "push_bars"}
SERIES = re.compile(r"[A-Za-z0-9._:-]{1,64}")


class SeriesCalls:
    """The series of Live and SyncLive, and what is asked of them: from any thread."""

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
        self._queue = Queue(max_waiting)
        # Guards the series: ticks may be pushed from another thread while some are sent.
        self._lock = threading.RLock()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._series: dict[str, OpenSeries] = {}
        # Closed ones that are not sent in full: before the others, which may have the same names.
        self._closing: list[OpenSeries] = []
        self._resume = Resume()
        # By series, who asked for the scores that come on this connection: a series that waits for the service, or the program with this message.
        self._asked: dict[str, deque[Union[OpenSeries, str]]] = {}
        self._socket: Any = None
        self._is_watching = self._is_watch_sent = False
        self._pushed = asyncio.Event()
        self._drained = asyncio.Event()
        self._attempts = 0
        self._has_worked = False
        self._end: Optional[BaseException] = None
        self._task: Optional[asyncio.Task[None]] = None

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
            self._series[series] = OpenSeries(message if model is None else {**message, "model": model})
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

    def _of(self, name: str) -> OpenSeries:
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

    def _unsent(self) -> list[OpenSeries]:
        """In the order in which they are sent."""
        with self._lock:
            return [*self._closing, *self._series.values()]

    def _finish(self, error: Optional[BaseException]) -> None:
        with self._lock:
            self._end = self._end or error or UsageError("the live connection is closed")
        self._queue.end(error)
        self._drained.set()
