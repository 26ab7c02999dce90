"""The WebSocket of live series: made again where it is lost."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import deque
from typing import Any, Optional, Union

from ._live_buffers import MOST_TICKS, OpenSeries
from ._live_messages import Message
from ._live_series import SeriesCalls
from ._wire import PASSING_CODES
from .errors import ApiError, ConnectionFailed, LiveRefused, MissingPackage, TickmarkError, UnexpectedAnswer


PROTOCOL = "tickmark.v1"
KEY_REFUSED = 4401
# Close codes from here on are those of tickmark: it refuses the connection.
REFUSED_FROM = 4000
# Begins a request for a score.
SCORE = '{"type": "score"'


class Connection(SeriesCalls):
    """The connection of Live and SyncLive."""

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

    async def _until_drained(self) -> None:
        while self._end is None and any(series.ticks.unsent > 0 for series in self._unsent()):
            self._drained.clear()
            await self._drained.wait()
        if self._end is not None:
            raise self._end

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

    def _next(self, socket: Any, series: OpenSeries) -> Optional[str]:
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

    def _asking(self, name: str, text: str, asker: Union[OpenSeries, str]) -> str:
        """The message, after which a score comes for the one who asks."""
        if text.startswith((SCORE, '{"type": "close"')):
            self._asked.setdefault(name, deque()).append(asker)
        return text

    def _opening(self, name: str, series: OpenSeries) -> Message:
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
                    if isinstance(asker, OpenSeries):
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
