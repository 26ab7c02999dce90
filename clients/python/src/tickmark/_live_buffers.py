"""The ticks and bars of a series that wait for the service, and the messages that wait for the reader."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Any, Optional, Union, cast

from ._live_messages import LiveMessage, Message
from ._order import RowBuffer
from .bars import BarRow, bar_rows, price_columns
from .errors import UsageError
from .ticks import Tick, checked_ticks, format_stamps, is_crossed, price_lists


# Ticks of one message, and ticks that are kept for a reconnection.
MOST_TICKS = 3000


class OpenSeries:
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


class Queue:
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
