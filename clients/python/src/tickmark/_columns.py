"""Ticks and bars of any form as columns of doubles, in parts, without a copy where the form allows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ._child import Columns
from .bars import bar_rows, price_columns
from .errors import MissingPackage, UsageError
from .ticks import US_FROM, checked_ticks, column_times, is_polars, price_lists, time_us

#: time_msc of the ticks of MetaTrader, whose time is in seconds.
_TIMES = ("timestamp", "time_msc", "time", "date", "datetime")
_QUOTES, _RANGES = ("bid", "ask"), ("open", "high", "low")
#: Rows that are converted at once.
_PART = 1 << 16
_SECONDS, _MILLISECONDS = 1_000_000, 1_000


def numpy() -> Any:
    """Raises MissingPackage."""
    try:
        import numpy
    except ImportError as error:
        raise MissingPackage("the engine needs numpy: pip install 'tickmark-client[engine]'") from error
    return numpy


@dataclass
class Column:
    #: Arrays of numpy, one after the other.
    parts: list[Any]
    #: Microseconds are the integers times this, divided by that.
    times: int = 1
    per: int = 1

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def last(self, count: int) -> Column:
        kept: list[Any] = []
        for part in reversed(self.parts):
            left = count - sum(map(len, kept))
            if left > 0:
                kept.insert(0, part[-left:])
        return Column(kept, self.times, self.per)

    def array(self) -> Any:
        np = numpy()
        return np.concatenate([np.frombuffer(part) for part in self.doubles()] or [np.empty(0)])

    def doubles(self) -> Iterator[memoryview]:
        np = numpy()
        for part in self.parts:
            for at in range(0, len(part), _PART):
                some = part[at : at + _PART]
                if self.times != 1:
                    some = some * self.times
                # A time is cut to a microsecond: it never moves forward.
                if self.per != 1:
                    some = some // self.per
                yield memoryview(np.ascontiguousarray(some, dtype=np.float64))


@dataclass
class Table:
    """Timestamp and Price, Bid and Ask, or Close, maybe with Open, High, Low and Volume: the names of the API."""

    columns: dict[str, Column]

    def __len__(self) -> int:
        return len(self.columns["Timestamp"])

    def times_us(self) -> Any:
        """Numbers may be milliseconds."""
        np = numpy()
        times = self.columns["Timestamp"].array()
        return np.where(times < US_FROM, times * 1000, times)

    def price_array(self) -> Any:
        """The price of each tick, the mid of each quote, or the close of each bar."""
        columns = self.columns
        if "Bid" in columns:
            return (columns["Bid"].array() + columns["Ask"].array()) / 2
        return columns["Price" if "Price" in columns else "Close"].array()

    def last(self, count: int) -> Table:
        return self if len(self) <= count else Table({name: column.last(count) for name, column in self.columns.items()})

    def sent(self) -> Columns:
        return {name: (len(column), column.doubles()) for name, column in self.columns.items()}


def read_table(data: Any) -> Table:
    """A frame of pandas or polars, a Series of prices, a table of Arrow, an array or a mapping of columns of numpy, or a list of ticks or bars.
    Raises UsageError for what is none, TickError for a tick of a list that breaks a rule.
    """
    np = numpy()
    if isinstance(data, Mapping):
        return _pick({str(name): np.asarray(values) for name, values in data.items()}, _numpy_time, _numpy_column)
    if is_polars(data):
        if not hasattr(data, "columns"):
            raise UsageError("a Series of polars has no times: give a DataFrame with timestamp and price")
        return _pick({name: data[name] for name in data.columns}, _polars_time, _polars_column)
    kind = type(data).__module__.partition(".")[0]
    if kind == "pandas":
        return _pandas_table(data)
    if kind == "pyarrow":
        return _pick({name: data.column(at) for at, name in enumerate(data.schema.names)}, _arrow_time, _arrow_column)
    if isinstance(data, np.ndarray):
        return _array_table(data)
    if isinstance(data, (str, bytes)) or not hasattr(data, "__iter__"):
        raise UsageError(f"ticks must be a frame of pandas or polars, a table of Arrow, an array of numpy, or a list of ticks; it is a {type(data).__name__}")
    return _list_table(list(data))


def _pick(given: Mapping[str, Any], time_of: Any, column_of: Any, index: Any = None) -> Table:
    names = {name.lower(): name for name in reversed(list(given))}
    time = next((names[name] for name in _TIMES if name in names), None)
    found = ", ".join(given) or "none"
    if time is None and index is None:
        raise UsageError(f"data must have a column {', '.join(_TIMES[:-1])} or {_TIMES[-1]}; it has {found}")
    # As in forecast_frame.
    for wanted, more in ((("price",), ()), (_QUOTES, ()), (("close",), (*_RANGES, "volume"))):
        if all(name in names for name in wanted):
            break
    else:
        raise UsageError(f"data must have a column price, bid and ask, or close; it has {found}")
    chosen = [*wanted, *(name for name in more if name in names)]
    is_rates = "tick_volume" in names and time is not None and names.get("time") == time
    times = index if time is None else time_of(given[time], _SECONDS if is_rates else 1)
    return Table({"Timestamp": times, **{name.capitalize(): column_of(given[names[name]]) for name in chosen}})


def _numpy_time(values: Any, times: int = 1) -> Column:
    """datetime64, or integers; times: microseconds of one. Texts and dates as the client reads them."""
    np = numpy()
    if values.dtype.kind == "M":
        unit, count = np.datetime_data(values.dtype)
        micros = {"D": 86_400 * _SECONDS, "h": 3600 * _SECONDS, "m": 60 * _SECONDS, "s": _SECONDS, "ms": _MILLISECONDS, "us": 1}.get(unit)
        if micros is not None:
            return Column([values.view(np.int64)], micros * count)
        return Column([values.astype("datetime64[ns]", copy=False).view(np.int64)], 1, 1000)
    if values.dtype.kind in "iuf":
        return Column([values], times)
    try:
        dates = [datetime.fromisoformat(each.replace("Z", "+00:00")) if isinstance(each, str) else each for each in values.tolist()]
    except ValueError as error:
        raise UsageError(f"the times of the data must be dates, or integer milliseconds or microseconds since 1970: {error}") from error
    return Column([np.asarray([time_us(each) for each in dates], dtype=np.float64)])


def _numpy_column(values: Any) -> Column:
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        raise UsageError(f"a column must be numbers; it is {values.dtype} with {values.ndim} dimensions")
    return Column([values])


def _array_table(data: Any) -> Table:
    if data.dtype.names:
        return _pick({name: data[name] for name in data.dtype.names}, _numpy_time, _numpy_column)
    if data.ndim != 2 or data.shape[1] not in (2, 3):
        raise UsageError(f"an array must have named fields, or 2 or 3 columns: time and price, or time, bid and ask; its shape is {data.shape}")
    names = ("timestamp", "price") if data.shape[1] == 2 else ("timestamp", *_QUOTES)
    return _pick({name: data[:, at] for at, name in enumerate(names)}, _numpy_time, _numpy_column)


def _list_table(rows: list[Any]) -> Table:
    np = numpy()
    # A list of ccxt, or (time, open, high, low, close): a tick has two or three values.
    if rows and hasattr(rows[0], "__len__") and len(rows[0]) in (5, 6):
        checked: list[Any] = bar_rows(rows, len(rows))
        lists = price_columns(checked)
    else:
        checked = checked_ticks(rows, is_list=True)
        lists = price_lists(checked)
    times = np.asarray([row[0] for row in checked], dtype=np.float64)
    return Table({"Timestamp": Column([times]), **{name: Column([np.asarray(values, dtype=np.float64)]) for name, values in lists.items()}})


def _pandas_table(data: Any) -> Table:
    import pandas as pd

    if isinstance(data, pd.Series):
        return Table({"Timestamp": _pandas_time(data.index), "Price": _pandas_column(data)})
    if not isinstance(data, pd.DataFrame):
        raise UsageError(f"ticks must be a DataFrame or a Series of pandas; it is a {type(data).__name__}")
    # yfinance has (Close, AAPL).
    names = [str(name[0] if isinstance(name, tuple) else name) for name in data.columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"data has several columns {twice}: name one market")
    columns = {name: data.iloc[:, at] for at, name in enumerate(names)}
    has_time = any(name.lower() in _TIMES for name in names)
    return _pick(columns, _pandas_time, _pandas_column, None if has_time else _pandas_time(data.index))


def _pandas_time(values: Any, times: int = 1) -> Column:
    import pandas as pd

    if pd.api.types.is_numeric_dtype(values):
        return Column([values.to_numpy()], times)
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        dates: Any = values if isinstance(values, pd.DatetimeIndex) else pd.DatetimeIndex(values)
        return _numpy_time(dates.asi8.view(f"datetime64[{dates.unit}]"))
    return _numpy_time(pd.DatetimeIndex(column_times(values)).as_unit("us").asi8.view("datetime64[us]"))


def _pandas_column(values: Any) -> Column:
    np = numpy()
    try:
        return Column([values.to_numpy(dtype=np.float64, na_value=np.nan)])
    except (TypeError, ValueError) as error:
        raise UsageError(f"column {values.name} must be numbers: {error}") from error


def _polars_time(values: Any, times: int = 1) -> Column:
    import polars as pl

    if values.dtype == pl.String:
        values = values.str.to_datetime(time_unit="us")
    if values.dtype == pl.Date:
        values = values.cast(pl.Datetime("us"))
    if values.dtype == pl.Datetime:
        return _numpy_time(values.to_physical().fill_null(-1).to_numpy().view(f"datetime64[{values.dtype.time_unit}]"))
    return Column([values.to_numpy()], times)


def _polars_column(values: Any) -> Column:
    import polars as pl

    if not values.dtype.is_numeric():
        raise UsageError(f"column {values.name} must be numbers; it is {values.dtype}")
    return Column([values.cast(pl.Float64).to_numpy()])


def _chunks(values: Any) -> list[Any]:
    return list(values.chunks) if hasattr(values, "chunks") else [values]


def _arrow_time(values: Any, times: int = 1) -> Column:
    import pyarrow as pa

    if pa.types.is_date(values.type) or pa.types.is_string(values.type):
        values = values.cast(pa.timestamp("us"))
    is_date = pa.types.is_timestamp(values.type)
    unit = values.type.unit if is_date else ""
    parts = [(each.cast(pa.int64()) if is_date else each).fill_null(-1).to_numpy(zero_copy_only=False) for each in _chunks(values)]
    np = numpy()
    scale = _numpy_time(np.empty(0, dtype=f"datetime64[{unit}]")) if is_date else Column([], times)
    return Column(parts, scale.times, scale.per)


def _arrow_column(values: Any) -> Column:
    import pyarrow as pa

    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_decimal(values.type)):
        raise UsageError(f"a column must be numbers; it is {values.type}")
    is_decimal = pa.types.is_decimal(values.type)
    return Column([(each.cast(pa.float64()) if is_decimal else each).to_numpy(zero_copy_only=False) for each in _chunks(values)])
