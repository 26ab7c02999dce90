"""Ticks to the body of a request: exact stamps, from tuples or from pandas."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, TypedDict, Union

if TYPE_CHECKING:
    import pandas as pd

Time = Union[datetime, int]
"""A datetime (without a zone: UTC) or integer microseconds since 1970, UTC."""

Tick = Union[tuple[Time, float], tuple[Time, float, float]]
"""(time, price), or (time, bid, ask), whose mid is the price."""

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)


class CloseLists(TypedDict):
    Timestamp: list[str]
    Price: list[float]


class _Ticks(TypedDict):
    Timestamp: list[str]
    Price: list[float]


class TickBody(_Ticks, total=False):
    Closes: CloseLists


def time_us(time: Time) -> int:
    """Integer microseconds since 1970, UTC. Raises ValueError for what is no such time."""
    if isinstance(time, datetime):
        aware = time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc)
        return (aware - _EPOCH) // _MICROSECOND
    if isinstance(time, int) and not isinstance(time, bool) and time >= 0:
        return time
    raise ValueError(f"a time is a datetime, or integer microseconds since 1970; it is {time!r}")


def format_stamps(times_us: Iterable[int]) -> list[str]:
    """YYYY-MM-DD HH:MM:SS.fff, all with 3 digits of fraction, or with 6 where one of them needs it."""
    times = list(times_us)
    spec = "milliseconds" if all(us % 1000 == 0 for us in times) else "microseconds"
    return [(_EPOCH + us * _MICROSECOND).replace(tzinfo=None).isoformat(" ", spec) for us in times]


def mid_price(bid: float, ask: float) -> float:
    """The mid of a quote, rounded to 9 decimals, halves up, as the service does."""
    units = (float(bid) + float(ask)) / 2 * 1e9
    whole = math.floor(units)
    return (whole + (units - whole >= 0.5)) / 1e9


def price_of(tick: Tick) -> float:
    return mid_price(tick[1], tick[2]) if len(tick) == 3 else float(tick[1])


def build_tick_body(ticks: Iterable[Tick], future: Time, closes: Iterable[Tick] = ()) -> TickBody:
    """The ticks as they are, and the future time with price 0. Raises ValueError for a time that is none.

    closes: the last price of each minute of the day before the first tick, at most 1,500, for a version with a market profile.
    """
    rows = [(time_us(tick[0]), price_of(tick)) for tick in ticks]
    stamps = format_stamps([us for us, _ in rows] + [time_us(future)])
    body: TickBody = {"Timestamp": stamps, "Price": [price for _, price in rows] + [0.0]}
    before = [(time_us(tick[0]), price_of(tick)) for tick in closes]
    if before:
        body["Closes"] = {"Timestamp": format_stamps(us for us, _ in before), "Price": [price for _, price in before]}
    return body


def series_ticks(data: pd.Series[Any] | pd.DataFrame) -> list[tuple[int, float]]:
    """Ticks of a Series of prices, or of a DataFrame with `price` or `bid` and `ask`, over a DatetimeIndex or a column `timestamp`."""
    import pandas as pd

    prices: Any
    if isinstance(data, pd.DataFrame):
        index: Any = data["timestamp"] if "timestamp" in data else data.index
        prices = data["price"] if "price" in data else [mid_price(bid, ask) for bid, ask in zip(data["bid"], data["ask"])]
    else:
        index, prices = data.index, data
    times = pd.DatetimeIndex(pd.to_datetime(index))
    times = times.tz_localize("UTC") if times.tz is None else times.tz_convert("UTC")
    # Finer than a microsecond is cut, not rounded: a stamp never moves forward.
    return list(zip((int(us) for us in times.as_unit("ns").asi8 // 1000), (float(price) for price in prices)))
