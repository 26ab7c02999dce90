"""Ticks to the body of a request: exact stamps, from tuples or from pandas."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from typing import Any, SupportsFloat, SupportsIndex, TypedDict, Union, cast

from ._wire import TickRequestBody
from .errors import TickError, UsageError

Time = Union[datetime, SupportsIndex]
"""A datetime (without a zone: UTC) or np.datetime64, or integer milliseconds (13 digits) or microseconds (16 digits) since 1970, UTC."""

Number = Union[SupportsFloat, SupportsIndex]

Tick = Union[tuple[Time, Number], tuple[Time, Number, Number]]
"""(time, price), or (time, bid, ask), whose mid is the price. Numbers of numpy are numbers too."""


class QuoteBody(TypedDict):
    Timestamp: list[str]
    Bid: list[float]
    Ask: list[float]


TickBody = Union[TickRequestBody, QuoteBody]
"""Body of a forecast, with Price, or with Bid and Ask: the last timestamp is the future one, with price 0."""

Row = Union[tuple[int, float], tuple[int, float, float]]
"""Microseconds and price, or microseconds, bid and ask: a checked tick."""

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)
# As the service: smaller numbers may be seconds, larger ones nanoseconds.
_MS_FROM, US_FROM, _END_US = 10**11, 10**14, 7_258_118_400_000_000
TIME_RULE = "must be a datetime, or integer milliseconds (13 digits) or microseconds (16 digits) since 1970, up to 2199"
ORDER_RULE = "must not be before the tick before it"


def time_us(time: Time) -> int:
    """Integer microseconds since 1970, UTC. Raises UsageError for what is no such time."""
    us = -1
    if isinstance(time, datetime):
        aware = time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc)
        # Not a number of pandas: NaT is a datetime and has no difference.
        us = (aware - _EPOCH) // _MICROSECOND if aware == aware else -1
    elif getattr(getattr(time, "dtype", None), "kind", "") == "M":
        # np.datetime64; NaT is the least integer.
        us = int(cast(Any, time).astype("datetime64[us]").astype("int64"))
    elif not isinstance(time, bool):
        with suppress(TypeError):
            number = operator.index(time)
            us = number * 1000 if _MS_FROM <= number < US_FROM else number if number >= US_FROM else -1
    if 0 <= us < _END_US:
        return us
    raise UsageError(f"a time {TIME_RULE}; it is {time!r}{doubt_of(time)}")


def doubt_of(time: object) -> str:
    """What a time that is none may be."""
    try:
        size = math.nan if isinstance(time, (str, bytes, datetime, bool)) else abs(float(time))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        size = math.nan
    if size < _MS_FROM:
        return ", which may be seconds: multiply them by 1000"
    if size < 1e17 and not hasattr(time, "__index__"):
        # pandas makes floats of integers next to a missing one.
        return ", which is no integer: round it, in pandas by .astype('int64')"
    return ", which may be nanoseconds: divide them by 1000" if size >= 1e17 else ""


def format_stamps(times_us: Iterable[int]) -> list[str]:
    """YYYY-MM-DD HH:MM:SS.fff, all with 3 digits of fraction, or with 6 where one of them needs it. times_us: microseconds."""
    times = list(times_us)
    spec = "milliseconds" if all(us % 1000 == 0 for us in times) else "microseconds"
    return [(_EPOCH + us * _MICROSECOND).replace(tzinfo=None).isoformat(" ", spec) for us in times]


#: The largest power of ten that is exact as a double.
_MAX_SCALE = 1e22


def mid_price(bid: float, ask: float) -> float:
    """The mid of a quote, rounded as the service does: to 9 decimals, below 1 to 9 digits after the leading zeros, halves up."""
    mid = digit = (float(bid) + float(ask)) / 2
    scale = 1e9
    while digit < 1 and scale < _MAX_SCALE:
        digit *= 10
        scale *= 10
    if scale >= _MAX_SCALE:
        return mid
    units = mid * scale
    whole = math.floor(units)
    return (whole + (units - whole >= 0.5)) / scale


def price_of(row: Row) -> float:
    return row[1] if len(row) == 2 else mid_price(row[1], row[2])


def price_lists(rows: Sequence[Row]) -> dict[str, list[float]]:
    """Bid and Ask where every tick has both, so that the service knows the spread; else Price."""
    quotes = [row[1:] for row in rows if len(row) == 3]
    if rows and len(quotes) == len(rows):
        return {"Bid": [bid for bid, _ in quotes], "Ask": [ask for _, ask in quotes]}
    return {"Price": [price_of(row) for row in rows]}


def future_body(rows: Sequence[Row], future_us: int) -> TickBody:
    prices = {name: [*values, 0.0] for name, values in price_lists(rows).items()}
    return cast(TickBody, {"Timestamp": format_stamps([*(row[0] for row in rows), future_us]), **prices})


def tick_rows(ticks: Any) -> Any:
    """The ticks of a list as they are, those of a frame or a Series as rows."""
    return series_ticks(ticks) if hasattr(ticks, "columns") or hasattr(ticks, "to_frame") else ticks


def checked_ticks(ticks: Iterable[Tick], is_list: bool = False, first: int = 0) -> list[Row]:
    """Microseconds and price, or bid and ask, of each tick. Raises TickError for the first one that breaks a rule, with its index.

    is_list: one whose newest tick comes first breaks a rule, and one whose bids are above the asks. first: index of the first one.
    """
    rows: list[Row] = []
    for index, tick in enumerate(ticks, first):
        if isinstance(tick, (str, bytes)) or not isinstance(tick, Sequence) or len(tick) not in (2, 3):
            raise TickError(index, "tick", "must be (time, price) or (time, bid, ask)", tick)
        try:
            us = time_us(tick[0])
        except UsageError as error:
            raise TickError(index, "time", TIME_RULE + doubt_of(tick[0]), tick[0]) from error
        sides = [positive(index, *side) for side in zip(("price",) if len(tick) == 2 else ("bid", "ask"), tick[1:])]
        rows.append((us, sides[0]) if len(sides) == 1 else (us, sides[0], sides[1]))
    if is_list:
        _check_order(rows, first)
        check_sides(rows, first)
    return rows


def _check_order(rows: Sequence[Row], first: int) -> None:
    steps = [after[0] - before[0] for before, after in zip(rows, rows[1:])]
    if sum(step < 0 for step in steps) <= sum(step > 0 for step in steps):
        return
    at = next(at for at, step in enumerate(steps, 1) if step < 0)
    before, given = format_stamps([rows[at - 1][0], rows[at][0]])
    raise TickError(first + at, "time", f"{ORDER_RULE} ({before}): the oldest comes first", given)


def is_crossed(row: Row) -> bool:
    return len(row) == 3 and row[1] > row[2]


def check_sides(rows: Sequence[Row], first: int = 0) -> None:
    """Raises TickError where most quotes of several are crossed: their sides have changed places."""
    crossed = [at for at, row in enumerate(rows) if is_crossed(row)]
    if len(rows) > 1 and 2 * len(crossed) > len(rows):
        row = rows[crossed[0]]
        raise TickError(first + crossed[0], "ask", "must not be below the bid; most of these quotes have them in the other order", row[1:])


def positive(index: int, field: str, value: Any, what: str = "tick") -> float:
    """A price. Raises TickError."""
    try:
        price = math.nan if isinstance(value, (str, bytes, bytearray, bool)) else float(value)
    except (TypeError, ValueError, OverflowError):
        price = math.nan
    if not 0 < price < 1e12:
        raise TickError(index, field, "must be above 0 and below 1e12", value, what)
    return price


def build_tick_body(ticks: Iterable[Tick], future: Time) -> TickBody:
    """The ticks as they are, with Bid and Ask if all have both, and the future time with price 0. Raises TickError for a tick that breaks a rule, UsageError for the future."""
    rows = checked_ticks(tick_rows(ticks))
    check_sides(rows)
    return future_body(rows, time_us(future))


def series_ticks(data: Any, last: int | None = None) -> list[Row]:
    """Microseconds and price, or bid and ask, of the ticks of a Series of prices, or of a DataFrame with `price` or `bid` and `ask`, over its index or a column
    `timestamp`: dates, texts, or integer milliseconds or microseconds. A DataFrame of polars has the column `timestamp`. Raises UsageError for a frame
    without these columns, and TickError.

    last: only the last ones.
    """
    if is_polars(data):
        names = data.columns if hasattr(data, "columns") else []
        if "timestamp" not in names or not ("price" in names or ("bid" in names and "ask" in names)):
            raise UsageError(f"data must have the columns timestamp and price, or timestamp, bid and ask; it has {', '.join(names) or 'none'}")
        wanted = ("timestamp", "price") if "price" in names else ("timestamp", "bid", "ask")
        first = 0 if last is None else max(0, len(data) - last)
        return checked_ticks(zip(*(data[name].to_list()[first:] for name in wanted)), first=first)
    try:
        import pandas as pd
    except ImportError as error:
        raise UsageError(f"data must be a Series or a DataFrame of pandas, or a DataFrame of polars; it is a {type(data).__name__}") from error
    if isinstance(data, pd.DataFrame):
        has_price = "price" in data
        if not has_price and not ("bid" in data and "ask" in data):
            raise UsageError(f"data must have a column price, or bid and ask; it has {', '.join(map(str, data.columns)) or 'none'}")
        index: Any = data["timestamp"] if "timestamp" in data else data.index
        columns: list[Any] = [data["price"]] if has_price else [data["bid"], data["ask"]]
    elif isinstance(data, pd.Series):
        index, columns = data.index, [data]
    else:
        raise UsageError(f"data must be a Series or a DataFrame of pandas, or a DataFrame of polars; it is a {type(data).__name__}")
    first = 0 if last is None else max(0, len(data) - last)
    times = column_times(index.iloc[first:] if hasattr(index, "iloc") else index[first:])
    return checked_ticks(zip(times, *(column.iloc[first:] for column in columns)), first=first)


def is_polars(data: Any) -> bool:
    """Whether it is a DataFrame of polars. Raises UsageError for a lazy one."""
    if type(data).__module__.partition(".")[0] != "polars":
        return False
    if hasattr(data, "collect"):
        raise UsageError("a LazyFrame has no rows yet: call collect() on it")
    return True


def column_times(index: Any) -> list[Any]:
    """Times of an index or a column: dates, texts, or integers as they are."""
    import pandas as pd

    if pd.api.types.is_integer_dtype(index):
        return list(index)
    try:
        if pd.api.types.is_numeric_dtype(index):
            raise ValueError("numbers must be integers; .astype('int64') makes them so")
        times = pd.DatetimeIndex(pd.to_datetime(index))
    except (ValueError, TypeError) as error:
        raise UsageError(f"the times of the data must be dates, or integer milliseconds or microseconds since 1970: {error}") from error
    times = times.tz_localize("UTC") if times.tz is None else times.tz_convert("UTC")
    # Finer than a microsecond is cut, not rounded: a stamp never moves forward.
    return list(times.floor("us"))
