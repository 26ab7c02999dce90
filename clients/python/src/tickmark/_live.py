"""Live series: a connection that pushes ticks and gives forecasts and outcomes, async and sync."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any, Optional, TypeVar

from ._live_connection import Connection
from ._live_messages import LiveMessage
from .errors import TimedOut, UsageError


# Rows of a series that wait for the service, above which push() of SyncLive waits too.
MANY_UNSENT = 30_000
T = TypeVar("T")


class Live(Connection):
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


class SyncLive(Connection):
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
