"""Bars to the body of a request: from tuples, lists of ccxt, data frames and the rates of MetaTrader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from .errors import TickError, UsageError
from .ticks import TIME_RULE, Number, Time, column_times, doubt_of, format_stamps, is_polars, positive, time_us

if TYPE_CHECKING:
    import pandas as pd

BarTime = Literal["open", "close"]
"""What the timestamps of bars are: their beginnings (exchanges, ccxt, Freqtrade, MetaTrader, Yahoo), or their ends."""

Bar = Union[tuple[Time, Number], Sequence[Any]]
"""(time, close), (time, open, high, low, close), or a list of ccxt: [milliseconds, open, high, low, close, volume]."""

BarBody = dict[str, Any]
"""Timestamp and Close, and Open, High and Low where every bar has them; with a future time, it is the last timestamp, with 0 as each price."""

BarRow = tuple[Any, ...]
"""Microseconds and close, or microseconds, open, high, low and close: a checked bar."""

PRICES = ("open", "high", "low", "close")
#: Bars of one request.
MOST_BARS = 3000
_TIMES = ("timestamp", "date", "datetime", "time")


def build_bar_body(bars: Iterable[Bar] | pd.DataFrame, future: Time | None = None) -> BarBody:
    """The last 3,000 bars, and the future time if it is given: `horizons` and `horizon_bars` go without. The body is sent with `bar_time`.

    bars: tuples, lists of ccxt; a DataFrame of pandas or polars with close, or open, high, low and close, in any case, over its index or a column timestamp, date, datetime or
    time; or the rates of MetaTrader, also as a DataFrame, whose times are seconds. Raises TickError for a bar that is none, UsageError for a frame without these columns.
    """
    rows = bar_rows(bars)
    future_us = [] if future is None else [time_us(future)]
    body: BarBody = {"Timestamp": format_stamps([*(row[0] for row in rows), *future_us])}
    for name, values in price_columns(rows).items():
        body[name] = [*values, 0.0] if future_us else values
    return body


def price_columns(rows: Sequence[BarRow]) -> dict[str, list[float]]:
    names = ("Close",) if len(rows[0]) == 2 else ("Open", "High", "Low", "Close")
    return {name: [row[at] for row in rows] for at, name in enumerate(names, 1)}


def body_of(bars: Any) -> Any:
    """A body as it is; bars in any form as one."""
    return bars if isinstance(bars, Mapping) else build_bar_body(bars)


def has_bars(data: Any) -> bool:
    """Whether a DataFrame holds bars: a close, and no price."""
    names = [_name(column) for column in getattr(data, "columns", ())]
    return "close" in names and "price" not in names


def bar_rows(bars: Any, last: int = MOST_BARS) -> list[BarRow]:
    """The last bars, checked."""
    if bars is None:
        raise UsageError("there are no bars: copy_rates_from of MetaTrader gives None where it failed")
    if hasattr(bars, "columns"):
        return _frame_rows(bars, last)
    if getattr(getattr(bars, "dtype", None), "names", None):
        return _rate_rows(bars, last)
    listed = list(bars)
    first = max(0, len(listed) - last)
    return checked_bars(listed[first:], first=first)


def checked_bars(bars: Iterable[Bar], last_us: int = -1, first: int = 0) -> list[BarRow]:
    """Raises TickError for the first bar that breaks a rule, with its index. last_us: each bar is later than that. first: index of the first one."""
    rows: list[BarRow] = []
    for index, bar in enumerate(bars, first):
        if isinstance(bar, (str, bytes)) or not isinstance(bar, Sequence) or len(bar) not in (2, 5, 6):
            raise TickError(index, "bar", "must be (time, close) or (time, open, high, low, close), with a volume or without", bar, "bar")
        try:
            us = time_us(bar[0])
        except UsageError as error:
            raise TickError(index, "time", TIME_RULE + doubt_of(bar[0]), bar[0], "bar") from error
        if us <= last_us:
            before, given = format_stamps([last_us, us])
            raise TickError(index, "time", f"must be later than that of the bar before it ({before})", given, "bar")
        names = PRICES[-1:] if len(bar) == 2 else PRICES
        row = (us, *(positive(index, name, value, "bar") for name, value in zip(names, bar[1:])))
        if rows and len(row) != len(rows[0]):
            raise TickError(index, "bar", "must have open, high and low if the others have them", bar, "bar")
        last_us = us
        rows.append(row)
    if not rows:
        raise UsageError("there are no bars")
    return rows


def _name(column: Any) -> str:
    # yfinance has (Close, AAPL).
    return str(column[0] if isinstance(column, tuple) else column).lower()


def _frame_rows(frame: Any, last: int) -> list[BarRow]:
    names = [_name(column) for column in frame.columns]
    wanted = PRICES if all(name in names for name in PRICES) else PRICES[-1:]
    if "close" not in names:
        raise UsageError(f"data must have a column close; it has {', '.join(map(str, frame.columns)) or 'none'}")
    twice = [name for name in wanted if names.count(name) > 1]
    if twice:
        raise UsageError(f"data has several columns {twice[0]}: name one market")
    first = max(0, len(frame) - last)
    if is_polars(frame):
        time = next((name for name in _TIMES if name in names), None)
        if time is None:
            raise UsageError(f"data must have a column {', '.join(_TIMES[:-1])} or {_TIMES[-1]}; it has {', '.join(frame.columns)}")
        lists = [frame[frame.columns[names.index(name)]].to_list()[first:] for name in (time, *wanted)]
        return checked_bars(zip(*lists), first=first)
    cut = frame.iloc[first:]
    at = next((name for name in _TIMES if name in names), None)
    column = cut.index if at is None else cut.iloc[:, names.index(at)]
    # pd.DataFrame(copy_rates_from(...)): seconds, as in the array.
    is_rates = "tick_volume" in names and len(cut) > 0 and _is_whole(column)
    times = [int(second) * 1000 for second in column] if is_rates else column_times(column)
    return checked_bars(zip(times, *(cut.iloc[:, names.index(name)] for name in wanted)), first=first)


def _is_whole(column: Any) -> bool:
    return getattr(column.dtype, "kind", "") in "iu"


def _rate_rows(rates: Any, last: int) -> list[BarRow]:
    """The structured array of copy_rates_from, with times in seconds."""
    first = max(0, len(rates) - last)
    cut = rates[first:]
    times = [int(second) * 1000 for second in cut["time"]]
    return checked_bars(zip(times, *(cut[name] for name in PRICES)), first=first)

