"""The async client. `write_sync.py` writes `_sync.py` from this file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Optional, Union

import httpx

from . import _wire as wire
from ._async_account import AsyncAccount
from ._answers import Forecast, StreamedForecast, frame_row, read_batch, read_forecast, read_horizons
from ._calls import Body, Threshold, batch_call, dump, forecast_query, horizons_query, listed, make_call, read_settings, series_query
from ._calls import split_batch, threshold_text, timestamps_of
from ._lines import Chunk, Windows
from ._live import Live
from ._options import BatchOptions, ForecastOptions, HorizonOptions
from ._run_async import Source, each, iterate, sleep
from .bars import MOST_BARS, Bar, bar_rows, body_of, build_bar_body, has_bars
from .errors import ApiError, MissingPackage, UsageError
from .ticks import Time, future_body, series_ticks, time_us

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

USUAL_WINDOW = 500
"""Where a version names no number."""
LEAST_WINDOW, MOST_TICKS = 199, 3000
COLUMNS = ["trend_identified", "status", "reason", "probability", "min_move_bps", "error", "pointer", "hint"]


class AsyncTickmark(AsyncAccount):
    """Calls of one tickmark service. `async with` closes it. Every method raises TickmarkError.

    base_url, api_key: default those of the environment, TICKMARK_URL and TICKMARK_KEY; without TICKMARK_URL, http://127.0.0.1:8080.
    timeout_s: for a whole call, retries and waits included; None: no limit. retries: tries after the first one, of what is safe to repeat.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        timeout_s: Optional[float] = 30.0,
        retries: int = 3,
        transport: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        url, self._key = read_settings(base_url, api_key)
        self._timeout_s = timeout_s
        self._retries = retries
        self._http = httpx.AsyncClient(base_url=url, transport=transport)

    async def __aenter__(self) -> AsyncTickmark:
        return self

    async def __aexit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections to the service."""
        await self._http.aclose()

    async def sign_up(self, email: str, password: str, company_id: Optional[str] = None) -> wire.SignupAnswer:
        """Creates an account. The key is returned only once. Never repeated: the first try may have succeeded."""
        body = {"email": email, "password": password, "confirm_password": password}
        return await self._ask(wire.SignupAnswer, make_call("signUp", body=body if company_id is None else {**body, "company_id": company_id}))

    async def forecast(self, body: Body, *, last_only: bool = False, **options: Unpack[ForecastOptions]) -> Forecast:
        """Whether a trade opportunity is identified at the last, future timestamp of the body, which may have any form of the API.

        options: those of ForecastOptions, such as min_move_bps=2.5. last_only: answer has that timestamp alone.
        """
        query = forecast_query(ForecastOptions, options)
        stamps = timestamps_of(body)
        answer, headers = await self._send(make_call("tickForecast", key=self._key, query=query, body=body), self._limit())
        return read_forecast(stamps, answer, headers, last_only)

    async def forecast_horizons(
        self,
        body: Union[Body, Iterable[Bar], pd.DataFrame],
        horizons: Optional[Iterable[str]] = None,
        *,
        horizon_bars: Optional[Iterable[int]] = None,
        min_moves_bps: Optional[Iterable[Threshold]] = None,
        series: Optional[str] = None,
        **options: Unpack[HorizonOptions],
    ) -> list[wire.HorizonForecast]:
        """A forecast for each horizon ("10s", "5m") and threshold, of the same ticks or bars. Each uses one forecast of the limit.

        body: the lists of the ticks without a future entry, in any form of the API: Timestamp as texts or as integer milliseconds or
        microseconds, with Price, or with Bid and Ask. Or bars as build_bar_body takes them: lists of ccxt, a DataFrame, rates of MetaTrader.
        horizon_bars: of bars, horizons in bars, in place of horizons: [3, 12].
        series, options: as of forecast(), those of HorizonOptions.
        """
        query = forecast_query(HorizonOptions, options, has_horizons=True)
        if series is not None:
            query["series"] = series
        thresholds = None if min_moves_bps is None else [threshold_text(bps) for bps in listed(min_moves_bps, "min_moves_bps")]
        asked = horizons_query(query, horizons, horizon_bars)
        if thresholds is not None:
            query["min_move_bps"] = ",".join(thresholds)
        answer, _ = await self._send(make_call("tickForecast", key=self._key, query=query, body=body_of(body)), self._limit())
        return read_horizons(answer, asked * (1 if thresholds is None else len(thresholds)))

    async def forecast_batch(
        self,
        bodies: Iterable[Body],
        *,
        concurrency: int = 4,
        last_only: bool = False,
        series: Union[str, Iterable[str], None] = None,
        **options: Unpack[BatchOptions],
    ) -> list[Union[Forecast, ApiError]]:
        """A result for each body, in order: an invalid one fails alone. Items that met a limit are sent again.

        series: the name of the series of all bodies, or a list of one for each: the forecasts are counted in the track record, and each uses what
        the earlier ones of its series said; the requests are then sent one after the other. options: those of BatchOptions.
        """
        query = forecast_query(BatchOptions, options)
        listed_bodies = listed(bodies, "bodies")
        # An empty body is one that the service refuses.
        stamps = [list(body.get("Timestamp") or [""]) for body in listed_bodies]
        return await self._batch(
            listed_bodies, query, series, concurrency, lambda index, answer, headers: read_forecast(stamps[index], answer, headers, last_only)
        )

    async def forecast_horizons_batch(
        self,
        bodies: Iterable[Union[Body, Iterable[Bar], pd.DataFrame]],
        horizons: Optional[Iterable[str]] = None,
        *,
        horizon_bars: Optional[Iterable[int]] = None,
        min_moves_bps: Optional[Iterable[Threshold]] = None,
        concurrency: int = 4,
        series: Union[str, Iterable[str], None] = None,
        **options: Unpack[HorizonOptions],
    ) -> list[Union[list[wire.HorizonForecast], ApiError]]:
        """As forecast_batch(), with a forecast for each horizon and threshold of each body: bodies are those of forecast_horizons()."""
        query = forecast_query(HorizonOptions, options, has_horizons=True)
        thresholds = None if min_moves_bps is None else [threshold_text(bps) for bps in listed(min_moves_bps, "min_moves_bps")]
        count = horizons_query(query, horizons, horizon_bars) * (1 if thresholds is None else len(thresholds))
        if thresholds is not None:
            query["min_move_bps"] = ",".join(thresholds)
        sent = [body_of(body) for body in listed(bodies, "bodies")]
        return await self._batch(sent, query, series, concurrency, lambda _, answer, __: read_horizons(answer, count))

    async def _batch(
        self, bodies: list[Any], query: dict[str, str], series: Any, concurrency: int, read: Callable[[int, Any, httpx.Headers], Any]
    ) -> list[Any]:
        texts = [dump(body) for body in bodies]
        query_of = series_query(query, series, len(texts))
        results: list[Any] = [None] * len(texts)
        limit = self._limit()

        async def answer_group(group: list[int]) -> None:
            done = 0
            while group:
                answer, headers = await self._send(batch_call(texts, group, self._key, query_of(group)), limit)
                group, longest = read_batch(read, group, answer, headers, results)
                wait_s = None if longest is None else limit.wait_s(longest, done)
                if wait_s is None:
                    return
                await sleep(wait_s)
                done += 1

        # Each forecast of a series learns from those before it.
        await each(split_batch(texts), answer_group, concurrency if series is None else 1)
        return results

    async def forecast_stream(
        self,
        source: Source[Chunk],
        *,
        window: Optional[int] = None,
        step: Optional[int] = None,
        horizon_s: float,
        last_only: bool = False,
        **options: Unpack[ForecastOptions],
    ) -> AsyncIterator[StreamedForecast]:
        """A forecast for each window of ticks, or of chunks of a CSV; ticks are (time, price) or (time, bid, ask).

        step: ticks between windows, default the window.

        window: default the number that the version names for the horizon (window_ticks of models()); fewer ticks than that, but at least
        199, give one forecast of them all. options: those of ForecastOptions.
        """
        if window is None:
            windows = Windows(await self._suitable_window(horizon_s, options.get("model")), step, horizon_s, LEAST_WINDOW)
        else:
            windows = Windows(window, step, horizon_s)
        index = 0
        async for chunk in iterate(source):
            for body, ticks_read, last_us, last_price, future_us in windows.push(chunk):
                made = await self.forecast(body, last_only=last_only, **options)
                yield StreamedForecast(index, ticks_read, last_us, last_price, future_us, made)
                index += 1
        for body, ticks_read, last_us, last_price, future_us in windows.end():
            made = await self.forecast(body, last_only=last_only, **options)
            yield StreamedForecast(index, ticks_read, last_us, last_price, future_us, made)
            index += 1

    async def forecast_frame(
        self,
        data: Union[pd.DataFrame, pd.Series[Any]],
        futures: Iterable[Time],
        *,
        window: Optional[int] = None,
        **options: Unpack[BatchOptions],
    ) -> pd.DataFrame:
        """A row for each future time, from the last `window` ticks of the data, or bars if it has a close and no price: trend_identified, status and reason of a null, probability,
        min_move_bps (the threshold); where the service refused it, error (its code), and the pointer and the hint of the first broken rule.

        window: default the number that the version names for the longest horizon (window_ticks of models()); of bars all, 3,000 at most.
        options: those of BatchOptions.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingPackage("forecast_frame() needs pandas, the extra pandas of this package: in a clone, pip install './clients/python[pandas]'") from error
        times = [time_us(future) for future in listed(futures, "futures")]
        if has_bars(data):
            bars = bar_rows(data, window or MOST_BARS)
            results = await self.forecast_batch([build_bar_body(bars, future) for future in times], **options)
            return pd.DataFrame([frame_row(result) for result in results], index=pd.to_datetime(times, unit="us", utc=True), columns=COLUMNS)
        ticks = series_ticks(data, MOST_TICKS if window is None else window)
        if window is None and len(ticks) > 0 and len(times) > 0:
            window = await self._suitable_window((max(times) - ticks[-1][0]) / 1e6, options.get("model"))
        ticks = ticks[-(window or USUAL_WINDOW) :]
        bodies = [future_body(ticks, future) for future in times]
        results = await self.forecast_batch(bodies, **options)
        return pd.DataFrame([frame_row(result) for result in results], index=pd.to_datetime(times, unit="us", utc=True), columns=COLUMNS)

    def live(
        self, *, max_waiting: int = 10_000, first_wait_s: float = 0.25, longest_wait_s: float = 30.0, give_up_s: Optional[float] = None
    ) -> Live:
        """A connection to live series: push ticks, and iterate over forecasts and outcomes. Needs the package websockets.

        max_waiting: messages that wait for the reader; beyond it, the oldest is dropped and counted. The waits are those before the first
        attempt to connect again, and the longest between two. give_up_s: so long after the connection was lost, ConnectionFailed is raised;
        None: never.
        """
        if self._key is None:
            raise UsageError("live() needs a client with an api_key, or TICKMARK_KEY")
        url = f"{str(self._http.base_url).rstrip('/')}/auth/live".replace("http", "ws", 1)
        return Live(url, self._key, max_waiting=max_waiting, first_wait_s=first_wait_s, longest_wait_s=longest_wait_s, give_up_s=give_up_s)

    async def _suitable_window(self, horizon_s: float, model: Optional[str]) -> int:
        """The number of ticks that suits the horizon; the usual one from a service that names none."""
        answer = await self.models()
        for one in answer["models"]:
            for entry in one.get("window_ticks", []) if one["id"] == (model or answer["default"]) else []:
                if entry["up_to_s"] is None or horizon_s <= entry["up_to_s"]:
                    return entry["ticks"]
        return USUAL_WINDOW
