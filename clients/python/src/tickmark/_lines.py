"""Windows of a stream, and the lines of a CSV."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from typing import Optional, Union

from .errors import CsvError, UsageError
from .ticks import Row, Tick, TickBody, checked_ticks, future_body, price_of, time_us

Chunk = Union[str, bytes, Tick]


class Windows:
    """Cuts windows of `window` ticks, the next one `step` ticks on. Takes ticks, or chunks of a CSV cut anywhere."""

    def __init__(self, window: int, step: Optional[int], horizon_s: float, least: Optional[int] = None) -> None:
        """least: fewer ticks than a window, but this many, are one window at the end; None: they are none."""
        self._step = window if step is None else step
        if window < 1 or self._step < 1 or not horizon_s > 0:
            raise UsageError(f"window, step and horizon_s must be above 0; they are {window}, {self._step}, {horizon_s}")
        self._kept: deque[Row] = deque(maxlen=window)
        self._due = window
        self._window = window
        self._least = window if least is None else least
        self._read = 0
        self._horizon_us = round(horizon_s * 1e6)
        self._lines = Lines()

    def push(self, chunk: Chunk) -> list[tuple[TickBody, int, int, float, int]]:
        """The windows that are whole by now: body, ticks read, last time and price, future time."""
        if isinstance(chunk, (str, bytes)):
            return self._add(self._lines.push(chunk))
        return self._add(checked_ticks([chunk], first=self._read))

    def end(self) -> list[tuple[TickBody, int, int, float, int]]:
        found = self._add(self._lines.push("\n"))
        return found + [self._cut()] if self._least <= self._read < self._window else found

    def _add(self, ticks: list[Row]) -> list[tuple[TickBody, int, int, float, int]]:
        found: list[tuple[TickBody, int, int, float, int]] = []
        for tick in ticks:
            self._kept.append(tick)
            self._read += 1
            if self._read < self._due:
                continue
            self._due += self._step
            found.append(self._cut())
        return found

    def _cut(self) -> tuple[TickBody, int, int, float, int]:
        last = self._kept[-1]
        future_us = last[0] + self._horizon_us
        return future_body(list(self._kept), future_us), self._read, last[0], price_of(last), future_us


class Lines:
    """Ticks of lines `time<divider>price`, with or without a header that names the columns (price, or bid and ask)."""

    def __init__(self) -> None:
        self._rest = b""
        self._line = 0
        self._columns: Optional[tuple[str, int, list[int]]] = None

    def push(self, chunk: Union[str, bytes]) -> list[Row]:
        *lines, self._rest = (self._rest + (chunk.encode() if isinstance(chunk, str) else chunk)).split(b"\n")
        found = []
        for line in lines:
            self._line += 1
            tick = self._tick(line.decode("utf-8-sig" if self._line == 1 else "utf-8").strip())
            if tick is not None:
                found.append(tick)
        return found

    def _tick(self, line: str) -> Optional[Row]:
        if line == "":
            return None
        if self._columns is None:
            divider = next((mark for mark in ";\t," if mark in line), None)
            if divider is None:
                raise CsvError(f"line {self._line}: neither comma, semicolon nor tab in {line[:60]!r}")
            names = [name.strip().strip('"').lower() for name in line.split(divider)]
            self._columns = self._find(divider, names)
            if not names[self._columns[1]][:1].isdigit():
                return None
        divider, time, prices = self._columns
        cells = [cell.strip().strip('"') for cell in line.split(divider)]
        try:
            texts = [cells[at].replace(",", ".") if divider == ";" else cells[at] for at in prices]
            values = [float(text) for text in texts]
            us = _csv_time_us(cells[time])
            return (us, values[0]) if len(values) == 1 else (us, values[0], values[1])
        except (ValueError, IndexError) as error:
            raise CsvError(f"line {self._line}: {line[:60]!r} is no time and price") from error

    def _find(self, divider: str, names: list[str]) -> tuple[str, int, list[int]]:
        if any(name[:1].isdigit() for name in names):
            return divider, 0, [1]
        time = next((at for at, name in enumerate(names) if name in ("timestamp", "time", "datetime", "date")), None)
        price = next((at for at, name in enumerate(names) if name in ("price", "mid", "last", "close")), None)
        if time is not None and price is not None:
            return divider, time, [price]
        if time is not None and "bid" in names and "ask" in names:
            return divider, time, [names.index("bid"), names.index("ask")]
        missing = "time (timestamp)" if time is None else "price (price, or bid and ask)"
        raise CsvError(f"line {self._line}: the header names no {missing}")


def _csv_time_us(text: str) -> int:
    if text.isascii() and text.isdigit():
        # As in files: seconds, milliseconds, microseconds or nanoseconds, told apart by their size.
        number = int(text)
        if not 9 <= len(text) <= 19:
            raise ValueError(text)
        return number * 1_000_000 if number < 1e11 else number * 1000 if number < 1e14 else number if number < 1e17 else number // 1000
    # Python 3.10 reads no Z and no fraction of any length.
    whole, _, fraction = text.removesuffix("Z").removesuffix("+00:00").replace("T", " ").partition(".")
    second = datetime.strptime(whole, "%Y-%m-%d %H:%M:%S")
    if fraction and not fraction.isdigit():
        raise ValueError(text)
    return time_us(second) + int(fraction.ljust(6, "0")[:6])
