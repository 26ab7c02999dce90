"""Ticks, stamps and CSV, without a service."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from tickmark import CsvError, TickError, TickmarkError, UsageError, build_bar_body, build_tick_body, series_ticks
from tickmark._lines import Lines, Windows
from tickmark.ticks import price_of

from replies import ANSWER, BODY, MS, US, over


def test_stamps_are_exact() -> None:
    at = datetime(2024, 1, 2, 9, 32, 0, 478_123)
    zoned = at.replace(tzinfo=timezone.utc).astimezone(timezone(timedelta(hours=5)))
    assert build_tick_body([(at, 1.5), (zoned, 2)], 1_704_187_980_000_000) == {
        "Timestamp": ["2024-01-02 09:32:00.478123"] * 2 + ["2024-01-02 09:33:00.000000"],
        "Price": [1.5, 2.0, 0.0],
    }
    assert build_tick_body([], 1_704_187_980_000_000)["Timestamp"] == ["2024-01-02 09:33:00.000"]
    with pytest.raises(ValueError):
        build_tick_body([(-1, 1)], 1)


def test_quotes_are_sent_as_they_are_and_have_the_mid_of_the_service() -> None:
    quotes = [(1.1, 1.3), (1.0000000005, 1.0000000006), (4503599.627370495, 4503599.627370496), (2.5e-10, 7.5e-10), (1, 2)]
    mids = [1.2, 1.000000001, 4503599.627370496, 5e-10, 1.5]
    ticks: list[Any] = [(US + i, bid, ask) for i, (bid, ask) in enumerate(quotes)]
    body: Any = build_tick_body(ticks, US + 9)
    assert (body["Bid"], body["Ask"]) == ([*(bid for bid, _ in quotes), 0.0], [*(ask for _, ask in quotes), 0.0])
    assert "Price" not in body
    mixed: Any = build_tick_body([*ticks, (US + 8, 7.0)], US + 9)
    assert (mixed["Price"], "Bid" in mixed) == ([*mids, 7.0, 0.0], False)
    text = "\n".join(["time,bid,ask", *(f"2024-01-02 09:32:0{i},{bid!r},{ask!r}" for i, (bid, ask) in enumerate(quotes))])
    rows = Lines().push(text + "\n")
    assert ([row[1:] for row in rows], [price_of(row) for row in rows]) == (quotes, mids)
    window: Any = Windows(5, None, 60).push(text + "\n")[0]
    assert (window[0]["Bid"][:5], window[3]) == ([bid for bid, _ in quotes], mids[-1])


def test_csv_however_cut() -> None:
    text = "\ufefftimestamp,price\r\n2024-01-02 09:32:00.478,1.25\n\n2024-01-02T09:32:01Z,1.5\n".encode()
    for cut in range(len(text)):
        lines = Lines()
        assert lines.push(text[:cut]) + lines.push(text[cut:]) == [(1_704_187_920_478_000, 1.25), (1_704_187_921_000_000, 1.5)]
    for line in ["1704187921,1.5", "1704187921000;1,5", "1704187921000000\t1.5", 'S,"Bid","Ask","Time"\nX,1.25,1.75,"2024-01-02 09:32:01"']:
        assert [(row[0], price_of(row)) for row in Lines().push(line + "\n")] == [(1_704_187_921_000_000, 1.5)]
    for line in ["a", "time,volume", "time,price\nx,1", "time,price\n2024-01-02 09:32:01,"]:
        with pytest.raises(CsvError, match=r"line \d"):
            Lines().push(line + "\n")


@pytest.mark.parametrize("time", [US, US // 1000, datetime(2024, 1, 2, 9, 32)])
def test_units_of_time_are_those_of_the_service(time: Any) -> None:
    np = pytest.importorskip("numpy")
    times = [time, np.int64(time)] if isinstance(time, int) else [time]
    for each in times:
        body = build_tick_body([(each, np.float32(1.5))], each)
        assert {*body["Timestamp"]} == {"2024-01-02 09:32:00.000"}
        (cut,) = Windows(1, 1, 60).push((each, 1.0))
        assert cut[2] == US


@pytest.mark.parametrize("time", [0, -1, US // 10**6, US * 1000, 10**400, 1.7e12, True, None, "2024", datetime(9999, 1, 1), datetime(1960, 1, 1)])
def test_a_doubtful_time_is_refused_by_name(time: Any) -> None:
    for call in (lambda: build_tick_body([(US, 1.0), (time, 1.0)], US), lambda: build_tick_body([(US, 1.0)], time)):
        with pytest.raises(TickmarkError, match="milliseconds"):
            call()
    with pytest.raises(TickError, match="tick 0: time") as caught:
        build_tick_body([(time, 1.0)], US)
    assert caught.value.index == 0


def test_one_value_in_place_of_a_list_is_refused() -> None:
    client, sent = over((200, ANSWER))
    calls: list[Callable[[], Any]] = [
        lambda: client.forecast_horizons(BODY, "60s"),
        lambda: client.forecast_horizons(BODY, horizon_bars=3),  # type: ignore[arg-type]
        lambda: client.forecast_horizons(BODY, horizon_bars="3"),  # type: ignore[arg-type]
        lambda: client.forecast_horizons(BODY, ["60s"], min_moves_bps="cost"),
        lambda: client.forecast_horizons(BODY, ["60s"], min_moves_bps=2.5),  # type: ignore[arg-type]
        lambda: client.forecast(BODY, price_range="0.5"),  # type: ignore[arg-type]
        lambda: client.forecast(BODY, price_range=0.5),  # type: ignore[arg-type]
        lambda: client.forecast_batch(BODY),  # type: ignore[arg-type]
        lambda: client.forecast_batch([BODY], series=3),  # type: ignore[arg-type]
        lambda: client.add_webhook(("a@example.com", "p"), "https://x", events="mark"),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(UsageError, match="must be a list; it is"):
            call()
    assert sent == []


def test_most_quotes_that_are_crossed_are_refused() -> None:
    quotes = [(MS + i, 2.0, 1.0) for i in range(3)]
    with pytest.raises(TickError, match="ask must not be below the bid"):
        build_tick_body(quotes, MS + 60_000)
    assert build_tick_body([(MS, 1.0, 2.0), *quotes[:1]], MS + 60_000)["Bid"] == [1.0, 2.0, 0.0]  # type: ignore[typeddict-item]


def test_times_of_numpy_and_frames_of_polars() -> None:
    np = pytest.importorskip("numpy")
    stamp = np.datetime64("2024-01-02T09:30:00.123456789")
    assert build_tick_body([(stamp, 1.0)], MS * 1000 + 10**9)["Timestamp"][0] == "2024-01-02 09:30:00.123456"
    with pytest.raises(UsageError, match="NaT"):
        build_tick_body([], np.datetime64("NaT"))
    with pytest.raises(UsageError, match=r"no integer: round it, in pandas by .astype\('int64'\)"):
        build_tick_body([(float(MS), 1.0)], MS)
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"timestamp": [datetime(2024, 1, 2, 9, 30, i) for i in range(3)], "price": [1.0, 2.0, 3.0]})
    assert [row[1] for row in series_ticks(frame)] == [1.0, 2.0, 3.0]
    assert build_tick_body(frame, MS + 60_000)["Price"] == [1.0, 2.0, 3.0, 0.0]  # type: ignore[typeddict-item]
    quotes = frame.rename({"price": "bid"}).with_columns(ask=pl.col("bid") + 1)
    assert [row[1:] for row in series_ticks(quotes, 1)] == [(3.0, 4.0)]
    bars = pl.DataFrame({"date": [MS, MS + 60_000], "close": [1.0, 2.0]})
    assert build_bar_body(bars)["Close"] == [1.0, 2.0]
    for wrong, words in ((frame.rename({"timestamp": "t"}), "timestamp and price"), (frame.lazy(), "collect"), ([1], "polars")):
        with pytest.raises(UsageError, match=words):
            series_ticks(wrong)
