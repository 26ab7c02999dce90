"""Bars, without a service."""

from datetime import datetime, timedelta, timezone
from typing import Any

import httpx
import pytest

from tickmark import TickError, Tickmark, UsageError, build_bar_body
from tickmark._live_buffers import BarBuffer
from tickmark.bars import bar_rows

START = datetime(2024, 1, 2, 9, 30, tzinfo=timezone.utc)
MS = int(START.timestamp() * 1000)
OHLCV = [[MS + 60_000 * i, 100.0 + i, 101.0 + i, 99.5 + i, 100.5 + i, 12.0] for i in range(4)]
BODY = {
    "Timestamp": ["2024-01-02 09:30:00.000", "2024-01-02 09:31:00.000", "2024-01-02 09:32:00.000", "2024-01-02 09:33:00.000"],
    "Open": [100.0, 101.0, 102.0, 103.0],
    "High": [101.0, 102.0, 103.0, 104.0],
    "Low": [99.5, 100.5, 101.5, 102.5],
    "Close": [100.5, 101.5, 102.5, 103.5],
}


def frames() -> dict[str, Any]:
    """The same bars as their sources give them."""
    pd = pytest.importorskip("pandas")
    np = pytest.importorskip("numpy")
    index = pd.DatetimeIndex([START + timedelta(minutes=i) for i in range(4)])
    prices = {name: BODY[name] for name in ("Open", "High", "Low", "Close")}
    lower = {name.lower(): values for name, values in prices.items()}
    yahoo = pd.DataFrame({**prices, "Volume": 1}, index=index.tz_convert("America/New_York"))
    several = yahoo.copy()
    several.columns = pd.MultiIndex.from_tuples([(name, "AAPL") for name in several.columns], names=["Price", "Ticker"])
    rates = np.array(
        [(row[0] // 1000, *row[1:5], 7, 1, 0) for row in OHLCV],
        dtype=[("time", "<i8"), ("open", "<f8"), ("high", "<f8"), ("low", "<f8"), ("close", "<f8"), ("tick_volume", "<u8"), ("spread", "<i4"), ("real_volume", "<u8")],
    )
    return {
        "freqtrade": pd.DataFrame({"date": index, **lower, "volume": 1.0}),
        "yfinance, one market": yahoo,
        "yfinance, columns of two levels": several,
        "a column time": pd.DataFrame({"time": index.tz_localize(None), **lower}),
        "milliseconds": pd.DataFrame({"timestamp": [row[0] for row in OHLCV], **lower}),
        "metatrader rates": rates,
        "a frame of metatrader rates": pd.DataFrame(rates),
        "a frame of metatrader rates with dates": pd.DataFrame(rates).assign(time=index.tz_localize(None)),
    }


def test_lists_of_ccxt_and_tuples() -> None:
    assert build_bar_body(OHLCV) == BODY
    assert build_bar_body([(START + timedelta(minutes=i), *row[1:5]) for i, row in enumerate(OHLCV)]) == BODY
    closes = build_bar_body([(row[0], row[4]) for row in OHLCV])
    assert closes == {"Timestamp": BODY["Timestamp"], "Close": BODY["Close"]}


def test_frames_of_every_source_are_the_same_bars() -> None:
    for name, data in frames().items():
        assert build_bar_body(data) == BODY, name


def test_a_future_time() -> None:
    body = build_bar_body(OHLCV, START + timedelta(minutes=9))
    assert body["Timestamp"][-1] == "2024-01-02 09:39:00.000"
    assert [body[name][-1] for name in ("Open", "High", "Low", "Close")] == [0.0] * 4


def test_only_the_last_3000_bars_are_sent() -> None:
    many = [(MS + 60_000 * i, 100.0) for i in range(3100)]
    assert len(build_bar_body(many)["Close"]) == 3000
    with pytest.raises(TickError, match="^bar 3050: close must be above 0"):
        build_bar_body([*many[:3050], (MS + 60_000 * 3050, -1.0), *many[3051:]])


@pytest.mark.parametrize(
    ("bars", "said"),
    [
        ([(MS, 1.0), (MS, 1.0)], "bar 1: time must be later than that of the bar before it"),
        ([(MS, 1.0), (MS + 60_000, 1.0, 2.0, 0.5, 1.5)], "bar 1: bar must have open, high and low if the others have them"),
        ([(MS, 1.0, 2.0)], r"bar 0: bar must be \(time, close\) or"),
        ([(MS // 1000, 1.0)], "bar 0: time must be"),
        ([], "there are no bars"),
        (None, "there are no bars: copy_rates_from of MetaTrader gives None where it failed"),
    ],
)
def test_bad_bars(bars: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        bar_rows(bars)


def test_bad_frames() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(UsageError, match="must have a column close; it has price"):
        build_bar_body(pd.DataFrame({"price": [1.0]}))
    twice = pd.DataFrame([[1.0, 2.0]], columns=pd.MultiIndex.from_tuples([("Close", "A"), ("Close", "B")]))
    with pytest.raises(UsageError, match="several columns close: name one market"):
        build_bar_body(twice)


def over(reply: Any) -> tuple[Tickmark, list[httpx.Request]]:
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json=reply)

    return Tickmark("http://x", "k", transport=httpx.MockTransport(answer)), sent


def test_horizons_in_bars() -> None:
    client, sent = over({"forecasts": [{"horizon": "3bars", "status": "none", "trend_identified": None}]})
    assert client.forecast_horizons(OHLCV, horizon_bars=[3], bar_time="open")[0]["horizon"] == "3bars"
    assert dict(sent[0].url.params) == {"bar_time": "open", "horizon_bars": "3"}
    assert b'"Close":[100.5,' in sent[0].content
    for horizons in ({}, {"horizons": ["5m"], "horizon_bars": [3]}):
        with pytest.raises(UsageError, match="name horizons"):
            client.forecast_horizons(OHLCV, bar_time="open", **horizons)  # type: ignore[arg-type]


def test_a_frame_of_bars() -> None:
    pytest.importorskip("pandas")
    stamp = "2024-01-02 09:39:00.000"
    detail = {"opportunity": {"probability": 0.2, "min_move_bps": 3.0}, "reasons": [{"code": "below_threshold"}], "status": "none"}
    client, sent = over({"results": [{"status": 200, "body": {stamp: {"trend_identified": None, "detail": detail}}}]})
    made = client.forecast_frame(frames()["freqtrade"], [START + timedelta(minutes=9)], bar_time="open")
    assert (made["probability"].iloc[0], made["reason"].iloc[0]) == (0.2, "below_threshold")
    assert dict(sent[0].url.params) == {"answer": "summary", "bar_time": "open"}
    assert b'"High":[101.0,' in sent[0].content


def test_a_live_series_sends_each_bar_once() -> None:
    buffer = BarBuffer(3000)
    buffer.push(OHLCV[:2])
    assert buffer.take(3000) == {name: values[:2] for name, values in BODY.items()}
    buffer.push(OHLCV)
    assert buffer.take(3000) == {name: values[2:] for name, values in BODY.items()}
    buffer.rewind()
    assert buffer.take(3000) == BODY


def test_the_newest_form_of_the_last_bar_counts() -> None:
    buffer = BarBuffer(3000)

    def bar(i: int, close: float) -> list[float]:
        return [MS + 60_000 * i, 100, 200, 50, close, 1]

    sent: list[float] = []
    changes = 0
    for i in range(1, 12):
        ended = [bar(k, 100 + k) for k in range(i)][-5:]
        for close in (77, 78):
            buffer.push([*ended, bar(i, close)])
            if buffer.is_changed:
                changes += 1
                buffer.rewind()
                sent = []
            sent += buffer.take(3000)["Close"] if buffer.unsent else []
    assert (changes, sent) == (1, [100.0 + k for k in range(11)])
