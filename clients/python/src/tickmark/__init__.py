"""Client of tickmark, a self-hosted forecasting service for tick data: sync `Tickmark`, async `AsyncTickmark`."""

from ._async import AsyncTickmark
from ._calls import Forecast, StreamedForecast
from ._lines import CsvError
from ._live import Live
from ._sync import Tickmark
from .errors import (
    ERROR_CODES,
    ApiError,
    ConnectionFailed,
    ErrorCode,
    LiveRefused,
    TickError,
    TickmarkError,
    TimedOut,
    UnexpectedAnswer,
)
from .ticks import TickBody, build_tick_body, format_stamps, series_ticks

__all__ = [
    "ERROR_CODES",
    "ApiError",
    "AsyncTickmark",
    "ConnectionFailed",
    "CsvError",
    "ErrorCode",
    "Forecast",
    "Live",
    "LiveRefused",
    "StreamedForecast",
    "TickBody",
    "TickError",
    "Tickmark",
    "TickmarkError",
    "TimedOut",
    "UnexpectedAnswer",
    "build_tick_body",
    "format_stamps",
    "series_ticks",
]
