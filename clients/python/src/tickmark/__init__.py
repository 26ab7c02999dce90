"""Client of tickmark, a self-hosted forecasting service for tick data: sync `Tickmark`, async `AsyncTickmark`."""

from ._async import AsyncTickmark
from ._answers import Forecast, StreamedForecast
from ._live import Live, SyncLive
from ._live_messages import LiveMessage
from ._options import AskOptions, BatchOptions, ForecastOptions, HorizonOptions
from ._sync import Tickmark
from ._version import __version__
from ._webhooks import verify_webhook
from .cluster import EachReplay, replay_each
from .engine import Engine, EngineForecast, Series, SeriesMemory
from .bars import Bar, BarTime, build_bar_body
from .errors import (
    ERROR_CODES,
    ApiError,
    ConnectionFailed,
    CsvError,
    EngineStopped,
    ErrorCode,
    LiveRefused,
    MissingPackage,
    TickError,
    TickmarkError,
    TimedOut,
    UnexpectedAnswer,
    UsageError,
)
from .ticks import TickBody, build_tick_body, format_stamps, series_ticks

__all__ = [
    "ERROR_CODES",
    "ApiError",
    "AskOptions",
    "AsyncTickmark",
    "Bar",
    "BarTime",
    "BatchOptions",
    "ConnectionFailed",
    "CsvError",
    "EachReplay",
    "Engine",
    "EngineForecast",
    "EngineStopped",
    "ErrorCode",
    "Forecast",
    "ForecastOptions",
    "HorizonOptions",
    "Live",
    "LiveMessage",
    "LiveRefused",
    "MissingPackage",
    "Series",
    "SeriesMemory",
    "StreamedForecast",
    "SyncLive",
    "TickBody",
    "TickError",
    "Tickmark",
    "TickmarkError",
    "TimedOut",
    "UnexpectedAnswer",
    "UsageError",
    "__version__",
    "build_bar_body",
    "build_tick_body",
    "format_stamps",
    "replay_each",
    "series_ticks",
    "verify_webhook",
]
