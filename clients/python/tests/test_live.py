"""live() against a scripted server: series, ticks and requests."""

import asyncio
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tickmark import AsyncTickmark, TickError, Tickmark, TickmarkError, UsageError
from tickmark._order import RisingOrder
from tickmark._live_buffers import TickBuffer

from scripted import PLAN, US, forecast, outcome, read, run, say, served

pytest.importorskip("websockets")


def test_opens_pushes_and_asks() -> None:
    sent: list[dict[str, Any]] = []

    async def script(socket: Any, _: int) -> None:
        async for text in socket:
            sent.append(json.loads(text))
            if sent[-1]["type"] == "close":
                await say(socket, forecast(0, 5), outcome(0))

    async def work() -> None:
        async with served(script) as live:
            live.open("s", [PLAN], model="mine", memory_off=True)
            live.push("s", (datetime(2024, 1, 2), 1.5))
            live.push("s", [(1_704_153_600_000_001, 2), (1_704_153_600_000_001, 3)])
            live.ask("s", "60s", detail=True)
            live.score("s")
            while len(sent) < 4:
                await asyncio.sleep(0.01)
            live.close_series("s")
            assert [message["type"] for message in await read(live, 3)] == ["connected", "forecast", "outcome"]

    run(work())
    assert sent == [
        {"type": "open", "series": "s", "forecasts": [PLAN], "model": "mine", "memory": "off"},
        {
            "type": "ticks",
            "series": "s",
            "Timestamp": ["2024-01-02 00:00:00.000000", "2024-01-02 00:00:00.000001", "2024-01-02 00:00:00.000001"],
            "Price": [1.5, 2.0, 3.0],
        },
        {"type": "ask", "series": "s", "horizon": "60s", "detail": True},
        {"type": "score", "series": "s"},
        {"type": "close", "series": "s"},
    ]


def test_sends_the_ticks_of_a_series_that_is_closed_at_once() -> None:
    sent: list[dict[str, Any]] = []

    async def script(socket: Any, _: int) -> None:
        async for text in socket:
            sent.append(json.loads(text))
            if sent[-1]["type"] == "close":
                await say(socket, forecast(0, 5))

    async def work() -> None:
        async with served(script) as live:
            live.open("s", [PLAN])
            live.push("s", (datetime(2024, 1, 2), 1.5))
            live.score("s")
            live.close_series("s")
            assert [message["type"] for message in await read(live, 2)] == ["connected", "forecast"]

    run(work())
    assert [message["type"] for message in sent] == ["open", "ticks", "score", "close"]


def test_closes_a_series_before_it_opens_another_one_with_that_name() -> None:
    sent: list[dict[str, Any]] = []

    async def script(socket: Any, _: int) -> None:
        async for text in socket:
            sent.append(json.loads(text))

    async def work() -> None:
        async with served(script) as live:
            live.open("s", [PLAN])
            live.push("s", (US + 2_000, 1.5))
            while len(sent) < 2:
                await asyncio.sleep(0.01)
            live.push("s", (US + 3_000, 2.0))
            live.score("s")
            live.close_series("s")
            live.open("s", [PLAN])
            live.push("s", (US + 1_000, 2.5))
            live.score("s")
            while len(sent) < 8:
                await asyncio.sleep(0.01)

    run(work())
    assert [message["type"] for message in sent] == ["open", "ticks", "ticks", "score", "close", "open", "ticks", "score"]
    assert [message["Price"] for message in sent if message["type"] == "ticks"] == [[1.5], [2.0], [2.5]]


def test_does_not_close_a_series_that_the_loss_of_its_connection_has_closed() -> None:
    sent: list[list[tuple[str, str]]] = []

    async def script(socket: Any, count: int) -> None:
        sent.append([])
        async for text in socket:
            message = json.loads(text)
            sent[-1].append((message["type"], message["series"]))
            if message == {"type": "score", "series": "t"}:
                await (socket.close(1001) if count == 1 else say(socket, {"type": "score", "series": "t", "scores": []}))

    async def work() -> None:
        async with served(script) as live:
            live.open("s", [PLAN])
            live.open("t", [PLAN])
            live.score("t")
            assert [message["type"] for message in await read(live, 2)] == ["connected", "disconnected"]
            live.push("s", (US + 1_000, 1.5))
            live.score("s")
            live.close_series("s")
            live.close_series("t")
            live.open("t", [PLAN])
            live.score("t")
            assert [message["type"] for message in await read(live, 2)] == ["connected", "score"]

    run(work())
    assert sent == [[("open", "s"), ("open", "t"), ("score", "t")], [("open", "t"), ("score", "t")]]


def test_does_not_open_again_a_series_that_is_closed_before_that() -> None:
    sent: list[list[tuple[str, str]]] = []

    async def script(socket: Any, count: int) -> None:
        sent.append([])
        async for text in socket:
            message = json.loads(text)
            sent[-1].append((message["type"], message["series"]))
            if message["type"] == "score":
                await (socket.close(1001) if count == 1 else say(socket, {"type": "score", "series": "a", "scores": []}))

    async def work() -> None:
        async with served(script) as live:
            live.open("a", [PLAN])
            live.open("b", [PLAN])
            live.score("b")
            assert [message["type"] for message in await read(live, 2)] == ["connected", "disconnected"]
            # Read before the first message of the connection is sent.
            assert [message["type"] for message in await read(live, 1)] == ["connected"]
            live.close_series("b")
            live.score("a")
            assert [message["type"] for message in await read(live, 1)] == ["score"]

    run(work())
    assert sent == [[("open", "a"), ("open", "b"), ("score", "b")], [("open", "a"), ("score", "a")]]


@pytest.mark.parametrize(
    ("tick", "words"),
    [
        ((US + 7_000, float("nan")), "tick 1: price must be above 0 and below 1e12; it is nan"),
        ((US + 7_000, 0), "it is 0"),
        ((US + 7_000, "1"), "it is '1'"),
        ((US + 7_000, None), "it is None"),
        ((-1, 1.0), "tick 1: time must be a datetime, or integer milliseconds .*; it is -1"),
        ((1.5, 1.0), "it is 1.5"),
        ((1_704_186_000, 1.0), "may be seconds: multiply them by 1000; it is 1704186000"),
        ((US * 1000, 1.0), "may be nanoseconds: divide them by 1000"),
        ((US + 5_000, 1.0), r"must not be before the tick before it \(2024-01-02 09:00:00.006\): .*; it is '2024-01-02 09:00:00.005'"),
        ((datetime(9999, 1, 1), 1.0), "tick 1: time must be a datetime"),
        ("ab", "tick 1: tick must be"),
    ],
)
def test_names_the_bad_tick_and_keeps_none(tick: Any, words: str) -> None:
    buffer = TickBuffer(10)
    with pytest.raises(TickError, match=words) as caught:
        buffer.push([(US + 6_000, 1.0), tick])
    assert (caught.value.index, buffer.unsent) == (1, 0)


def test_watches_also_after_a_reconnection() -> None:
    copy = {"source": "x", "message": {"type": "closed", "series": "s"}}

    async def script(socket: Any, count: int) -> None:
        assert json.loads(await socket.recv()) == {"type": "watch"}
        await say(socket, {"type": "watched", "copies": [copy], "dropped": count})

    async def work() -> list[dict[str, Any]]:
        async with served(script) as live:
            live.watch()
            return await read(live, 6)

    found = run(work())
    assert [message["dropped"] for message in found if message["type"] == "watched"] == [1, 2]
    assert [message["type"] for message in found] == ["connected", "watched", "disconnected"] * 2


def test_sends_quotes_as_they_are_in_messages_of_one_kind() -> None:
    buffer = TickBuffer(10)
    buffer.push([(US + 60_000_000, 1.1, 1.3), (US + 60_000_001, 2.5), (US + 60_000_001, 3), (US + 60_000_002, 1.0000000005, 1.0000000006)])
    taken = []
    while buffer.unsent:
        taken.append({name: values for name, values in buffer.take(3).items() if name != "Timestamp"})
    assert taken == [{"Bid": [1.1], "Ask": [1.3]}, {"Price": [2.5, 3.0]}, {"Bid": [1.0000000005], "Ask": [1.0000000006]}]
    with pytest.raises(TickError, match="tick 0: ask must be above 0"):
        buffer.push([(US + 60_000_003, 1.0, -1.0)])


def test_a_million_unsent_ticks_are_refused() -> None:
    buffer = TickBuffer(3000)
    ticks = [(US + i, 1.0) for i in range(500_001)]
    buffer.push(ticks)
    with pytest.raises(UsageError, match=r"wait for drained\(\)"):
        buffer.push([(us + 600_000, price) for us, price in ticks])


def test_a_tick_far_ahead_late_ones_and_crossed_quotes_are_left_out_and_told() -> None:
    sent: list[dict[str, Any]] = []

    async def script(socket: Any, _: int) -> None:
        async for text in socket:
            sent.append(json.loads(text))

    async def work() -> list[dict[str, Any]]:
        async with served(script) as live:
            live.open("s", [PLAN])
            for i in range(300):
                live.push("s", (US + 400_000 * i + (86_400_000_000 if i == 100 else 0), 1.0 + i))
            for _ in range(5):
                live.push("s", (US + 100_000, 1.0))
            live.push("s", (US + 400_000 * 300, 301.0))
            live.push("s", (US + 400_000 * 301, 2.0, 1.0))
            await live.drained()
            for i in range(201):
                live.push("s", (US - 3_600_000_000 + 400_000 * i, 1.0 + i))
            await live.drained()
            while len(sent) < 4 or sum(len(message.get("Price", [])) for message in sent) < 501:
                await asyncio.sleep(0.01)
            return await read(live, 4)

    connected, *told, restarted = run(work())
    assert told == [
        {"type": "ticks_left_out", "series": "s", "late": 0, "ahead": 1, "crossed": 0},
        {"type": "ticks_left_out", "series": "s", "late": 5, "ahead": 1, "crossed": 0},
    ]
    assert restarted == {"type": "restarted", "series": "s"}
    prices = [price for message in sent for price in message.get("Price", [])]
    assert prices == [1.0 + i for i in range(301) if i != 100] + [1.0 + i for i in range(201)]
    kinds = [message["type"] for message in sent]
    assert kinds.index("close") < len(kinds) - 1 - kinds[::-1].index("open")


@pytest.mark.parametrize(
    "forecasts",
    [[], "60s", PLAN, ["60s"], [{"horizon": "60 s", "every": "5s"}], [{"horizon": "60s", "every": "5 s"}], [{"horizon": "60s"}]]
    + [[{**PLAN, "horizont": 1}], [{**PLAN, "horizon": 60}], [{**PLAN, "every": "3bars"}]],
)
def test_forecasts_that_the_service_would_refuse_are_refused_at_once(forecasts: Any) -> None:
    live = Tickmark("http://x", "k").live()
    with pytest.raises(UsageError, match="forecast|must be"):
        live.open("s", forecasts)
    live.open("s", [PLAN, {"horizon": "3bars", "every": "tick"}])


def test_wrong_calls() -> None:
    async def work() -> None:
        with pytest.raises(TickmarkError, match="api_key"):
            AsyncTickmark().live()
        live = AsyncTickmark(api_key="k").live()
        with pytest.raises(TickmarkError, match="'a b'"):
            live.open("a b", [PLAN])
        live.open("s", [PLAN])
        with pytest.raises(TickmarkError, match="open already"):
            live.open("s", [PLAN])
        with pytest.raises(TickmarkError, match="'t' is not open"):
            live.push("t", (US, 1.0))
        for _ in range(60):
            live.score("s")
        for _ in range(4):
            live.open("closed", [PLAN])
            live.close_series("closed")
        with pytest.raises(TickmarkError, match="64 requests wait"):
            live.score("s")

    run(work())


def test_the_order_of_stamps_is_that_of_the_typescript_client() -> None:
    recorded = json.loads((Path(__file__).parents[3] / "test" / "golden" / "risingOrder.json").read_text())
    for series in recorded:
        order: RisingOrder[int] = RisingOrder()
        orders, us = "", 0
        for step in series["steps"]:
            us += step
            found = order.take(us, us)
            orders += found[0] + (str(len(order.released)) if found in ("confirmed", "restarted") else "")
        assert (orders, order.late, order.ahead) == (series["orders"], series["late"], series["ahead"])
