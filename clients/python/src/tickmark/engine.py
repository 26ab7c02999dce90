"""The engine in this program: forecasts without a service, a key or a limit."""

from __future__ import annotations

import base64
import hashlib
import os
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Optional, TypedDict, cast

from . import _child
from ._answers import Forecast
from ._calls import Threshold
from ._columns import Table, numpy, read_table
from ._options import EngineOnceOptions, EngineOptions
from .bars import BarTime
from .errors import UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._replay import Replay

#: Ticks or bars of one forecast.
MOST_TICKS = 3000


class WindowOptions(EngineOnceOptions, total=False):
    """Options of `Engine.forecast`.

    bar_time: Required with bars: whether their timestamps are their beginnings or their ends.
    counterfactual: False: `detail["counterfactual"]` is None, which saves half of the time.
    """

    bar_time: Optional[BarTime]
    counterfactual: Optional[bool]


class SeriesOptions(EngineOptions, total=False):
    """Options of `Series.forecast`.

    ticks: Last ticks of the window; default: the number that suits the horizon.
    """

    ticks: Optional[int]


class LearnOptions(TypedDict, total=False):
    """Options of `Engine.learn`: as of `replay`."""

    ticks: Optional[int]
    min_move_bps: Optional[Threshold]
    range: Optional[Iterable[float]]
    bar_time: Optional[BarTime]


class ReplayOptions(EngineOptions, total=False):
    """Options of `Engine.replay`.

    bar_time: Required with bars: whether their timestamps are their beginnings or their ends.
    ticks: Ticks or bars of each window, 199 to 3000; default: the number that suits the horizon and the data.
    every: Time from one window to the next, such as "5m"; default: the horizon plus one second, of bars the horizon. If it is shorter, outcomes overlap.
    grid: "clock": windows end where a live series with this `every` forecasts, at the first tick of each interval of the clock.
    last: Only this many last windows.
    memory: "off": each window stands alone.
    """

    bar_time: Optional[BarTime]
    ticks: Optional[int]
    every: Optional[str]
    grid: Optional[Literal["clock"]]
    last: Optional[int]
    memory: Optional[Literal["off"]]


class SeriesMemory:
    """What earlier ticks and forecasts of one series said: sizes of moves and outcomes, no ticks. For one thread at a time."""

    def __init__(self, saved: bytes | None = None, *, bar_period_ms: int = 0) -> None:
        """saved: what `save` returned. bar_period_ms: of a new memory of bars; 0: of ticks."""
        self._saved = saved
        self._bar_period_ms = bar_period_ms
        #: Time of the first and of the last tick in milliseconds; None before a call has used it, and without a tick.
        self.since_ms: float | None = None
        self.last_ms: float | None = None

    def save(self) -> bytes:
        """At most 24 kB; empty before the first tick."""
        return self._saved or b""

    def _sent(self) -> dict[str, Any]:
        return {"saved": base64.b64encode(self._saved).decode() if self._saved else None, "bar_period_ms": self._bar_period_ms}

    def _keep(self, answer: Mapping[str, Any]) -> SeriesMemory:
        self._saved = base64.b64decode(answer["memory"])
        self.since_ms, self.last_ms = answer["since_ms"], answer["last_ms"]
        return self


@dataclass(frozen=True)
class EngineForecast(Forecast):
    """The answer of the engine; `detail` is always there. `plot()` draws price, cone and threshold."""

    #: Microseconds and prices of the ticks or bars that it was made from.
    times_us: Any = field(default=None, repr=False, compare=False)
    prices: Any = field(default=None, repr=False, compare=False)

    def plot(self, ax: Any = None) -> Any:
        """Axes of matplotlib with the last prices, the ranges that were asked for, and the threshold. Raises MissingPackage without matplotlib."""
        from .plots import plot_forecast

        return plot_forecast(self, ax)


class Engine:
    """Makes forecasts in this program, with the answers of the service for the same ticks. Nothing is sent over a network.

    It runs in a Node.js child, one for each process, which the first call starts. An Engine can be pickled, and used after a fork and from threads,
    whose calls come one after the other. Every method raises ApiError with the codes of the service, UsageError for an argument that cannot be sent,
    MissingPackage, and EngineStopped.
    """

    def __init__(self, version: str | Mapping[str, str | bytes] | os.PathLike[str] | None = None) -> None:
        """version: its id, its folder, or its files as `Tickmark.model_files` gives them. Default: the version that is shipped."""
        if isinstance(version, os.PathLike):
            version = {each.name: each.read_bytes() for each in Path(version).iterdir() if each.is_file()}
        self._version: Any = version
        if isinstance(version, Mapping):
            self._version = {name: _text_of(name, content) for name, content in version.items()}
        self._key = hashlib.sha256(repr(self._version).encode()).hexdigest()

    @property
    def version(self) -> str:
        """Id of the version."""
        return str(_child.opened(self._version, self._key)["version"])

    def ticks_for(self, horizon: str, series: SeriesMemory | None = None) -> int:
        """The number of ticks that suits a horizon, with the memory of a series or without."""
        return int(self._call("ticks_for", {"horizon": horizon}, **_memory(series))[0]["ticks"])

    def forecast(self, data: Any, horizon: str, *, series: SeriesMemory | None = None, **options: Unpack[WindowOptions]) -> EngineForecast:
        """A forecast from these ticks or bars: of more than 3,000, from the last ones.

        series: its memory is used, and learns from these ticks and the forecast.
        """
        table = _table(data, options).last(MOST_TICKS)
        answer, _ = self._call("forecast", {"horizon": horizon, **checked_options(options, WindowOptions)}, table.sent(), **_memory(series))
        if series is not None:
            series._keep(answer)
        return _forecast(answer["answer"], table.times_us(), table.price_array())

    def replay(self, data: Any, horizon: str, **options: Unpack[ReplayOptions]) -> Replay:
        """Forecasts in time order, each from the ticks or bars up to it, with what came: a data frame with a row for each window."""
        from ._replay import frame_of

        np = numpy()
        made, found = self._call("replay", {"horizon": horizon, **checked_options(options, ReplayOptions)}, _table(data, options).sent())
        frame = frame_of({name: np.frombuffer(values) for name, values in found.items()}, made["texts"])
        frame.attrs.update({"engine": made["version"], "horizon": horizon, "independent": made["independent"], "memory_unused": made["memory_unused"]})
        return frame

    def learn(self, data: Any, horizon: str, *, series: SeriesMemory | None = None, **options: Unpack[LearnOptions]) -> SeriesMemory:
        """The memory of a series that has seen all of these ticks or bars, and the forecasts of their last 100 windows.

        series: what earlier ticks of the series said, which learns on. Default: a new one.
        """
        sent = _table(data, options).sent()
        answer, _ = self._call("learn", {"horizon": horizon, **checked_options(options, LearnOptions)}, sent, **_memory(series))
        return (series or SeriesMemory())._keep(answer)

    def series(self, memory: SeriesMemory | None = None, *, bar_time: BarTime | None = None, period: str | None = None) -> Series:
        """A live series, with what an earlier run of it said. bar_time, period: it is one of bars, which have ended when they are pushed."""
        return Series(self, memory, {"bar_time": bar_time, "period": period})

    def _call(self, name: str, options: Mapping[str, Any], columns: _child.Columns = {}, **more: Any) -> tuple[_child.Call, _child.Found]:
        return _child.call(name, self._version, self._key, options, columns, **more)


class Series:
    """The last ticks of a live series, at most 3,000, and what it has said so far. It lives in the process that made it: save its memory."""

    def __init__(self, engine: Engine, memory: SeriesMemory | None, bars: Mapping[str, Any]) -> None:
        given = {name: value for name, value in bars.items() if value is not None}
        if len(given) == 1:
            raise UsageError('a series of bars needs both bar_time and period, such as bar_time="open", period="1m"')
        self._bars = given
        #: Ticks that are kept.
        self.ticks = 0
        self._id = engine._call("series", given, **_memory(memory))[0]["id"]
        self._child = _child.running()
        weakref.finalize(self, self._child.closed.append, self._id)

    def push(self, data: Any) -> None:
        """The next ticks, none before the last one, or the next bars, each once. All of them are kept, or ApiError is raised and none is."""
        self.ticks = self._call("push", {}, _table(data, self._bars).sent())[0]["ticks"]

    def forecast(self, horizon: str, **options: Unpack[SeriesOptions]) -> EngineForecast:
        """A forecast from the last ticks. It needs 199 of them."""
        answer, found = self._call("series_forecast", {"horizon": horizon, **checked_options(options, SeriesOptions)})
        return _forecast(answer["answer"], *(numpy().frombuffer(found[name]) for name in ("Timestamp", "Price")))

    @property
    def memory(self) -> SeriesMemory:
        """A copy of what the series has said so far."""
        return SeriesMemory()._keep(self._call("series_memory", {})[0])

    def _call(self, name: str, options: Mapping[str, Any], columns: _child.Columns = {}) -> tuple[_child.Call, _child.Found]:
        return _child.call_series(self._child, name, self._id, options, columns)


def _text_of(name: str, content: str | bytes) -> str:
    if isinstance(content, str):
        return content
    return base64.b64encode(content).decode() if name == "weights.bin" else content.decode()


def _memory(series: SeriesMemory | None) -> dict[str, Any]:
    return {} if series is None else {"memory": series._sent()}


def checked_options(options: Mapping[str, Any], known: Any) -> dict[str, Any]:
    """Raises TypeError for an option that there is not, as the client does."""
    names: frozenset[str] = known.__optional_keys__
    for name in options:
        if name not in names:
            raise TypeError(f"there is no option {name!r}; the options are {', '.join(sorted(names))}")
    return {name: list(value) if isinstance(value, Iterable) and not isinstance(value, str) else value for name, value in options.items()}


def _table(data: Any, options: Mapping[str, Any]) -> Table:
    table = read_table(data)
    if options.get("bar_time") is not None and "Price" in table.columns:
        # (time, close), or a Series of closes.
        table.columns["Close"] = table.columns.pop("Price")
    return table


def _forecast(answer: Mapping[str, Any], times_us: Any, prices: Any) -> EngineForecast:
    detail = cast(Any, answer["detail"])
    names = {each.name for each in fields(Forecast)}
    summary = {name: value for name, value in {**detail["opportunity"], **answer}.items() if name in names}
    entry = {name: value for name, value in answer.items() if name in ("trend_identified", "range", "above", "detail")}
    return EngineForecast(
        **{**summary, "answer": {answer["timestamp"]: entry}, "range": detail.get("range"), "above": detail.get("above")},
        times_us=times_us,
        prices=prices,
    )
