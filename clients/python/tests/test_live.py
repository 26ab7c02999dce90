"""live() against a scripted server."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import pytest

from tickmark import AsyncTickmark, LiveRefused, TickError, build_tick_body
from tickmark._live import Resume, TickBuffer, _Queue

pytest.importorskip("websockets")

PLAN = {"horizon": "60s", "every": "5s"}
Script = Callable[[Any, int], Awaitable[None]]


def forecast(n: int, second: int, **given: Any) -> dict[str, Any]:
    stamp = f"2024-01-02 09:00:{second:02}.000"
    return {"type": "forecast", "series": "s", "id": "60s", "n": n, "timestamp": stamp, "future": "f", "trend_identified": 1, **given}


def outcome(n: int, **given: Any) -> dict[str, Any]:
    return {"type": "outcome", "series": "s", "id": "60s", "n": n, "moved": True, "move_bps": 3.0, **given}


@asynccontextmanager
async def served(script: Script, **options: Any) -> AsyncIterator[Any]:
    """A live connection to a server that runs the script with each connection and its number."""
    from websockets.asyncio.server import serve

    count = 0

    async def handle(socket: Any) -> None:
        nonlocal count
        count += 1
        assert (socket.subprotocol, socket.request.path) == ("tickmark.v1", "/auth/live")
        assert json.loads(await socket.recv()) == {"type": "auth", "api_key": "k"}
        await script(socket, count)

    async with serve(handle, "127.0.0.1", 0, subprotocols=["tickmark.v1"]) as server:  # type: ignore[list-item]
        port = server.sockets[0].getsockname()[1]
        async with AsyncTickmark(f"http://127.0.0.1:{port}", "k") as client:
            async with client.live(**{"first_wait_s": 0.01, "longest_wait_s": 0.05, **options}) as live:
                yield live


async def say(socket: Any, *messages: dict[str, Any]) -> None:
    for message in messages:
        await socket.send(json.dumps(message))


async def read(live: Any, count: int) -> list[dict[str, Any]]:
    found = []
    async for message in live:
        found.append(message)
        if len(found) == count:
            break
    return found


def run(work: Awaitable[Any]) -> Any:
    async def limited() -> Any:
        return await asyncio.wait_for(work, 30)

    return asyncio.run(limited())


def test_opens_pushes_and_asks() -> None:
    sent: list[dict[str, Any]] = []

    async def script(socket: Any, _: int) -> None:
        async for text in socket:
            sent.append(json.loads(text))
            if sent[-1]["type"] == "close":
                await say(socket, forecast(0, 5), outcome(0))

    async def work() -> None:
        async with served(script) as live:
            live.open("s", [PLAN], model="mine")
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
        {"type": "open", "series": "s", "forecasts": [PLAN], "model": "mine"},
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
            live.push("s", (2_000, 1.5))
            while len(sent) < 2:
                await asyncio.sleep(0.01)
            live.push("s", (3_000, 2.0))
            live.score("s")
            live.close_series("s")
            live.open("s", [PLAN])
            live.push("s", (1_000, 2.5))
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
            live.push("s", (1_000, 1.5))
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
        ((7, float("nan")), "tick 1: price must be above 0 and below 1e12; it is nan"),
        ((7, 0), "it is 0"),
        ((7, "1"), "it is '1'"),
        ((-1, 1.0), "tick 1: time must be a datetime, or integer microseconds since 1970; it is -1"),
        ((1.5, 1.0), "it is 1.5"),
        ((5_000, 1.0), r"must not be before the tick before it \(1970-01-01 00:00:00.006\); it is '1970-01-01 00:00:00.005'"),
    ],
)
def test_names_the_bad_tick_and_keeps_none(tick: Any, words: str) -> None:
    buffer = TickBuffer(10)
    with pytest.raises(TickError, match=words) as caught:
        buffer.push([(6_000, 1.0), tick])
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


def test_pushes_quotes_as_their_mid() -> None:
    buffer = TickBuffer(10, [(1, 1.0, 1.5)])
    buffer.push([(60_000_000, 1.1, 1.3), (60_000_001, 2.5), (60_000_002, 1.0000000005, 1.0000000006)])
    assert buffer.take(3)["Price"] == [1.2, 2.5, 1.000000001]
    assert buffer.closes()["closes"]["Price"] == [1.25]
    for tick, words in (((60_000_003, 1.0, -1.0), "tick 0: ask must be above 0"), ((60_000_003, 1e-10, 1e-10), "tick 0: bid and ask")):
        with pytest.raises(TickError, match=words):
            buffer.push([tick])


def test_keeps_the_closes_of_ticks_that_it_no_longer_keeps() -> None:
    minute = 60_000_000
    buffer = TickBuffer(100, [(minute * i, 50.0 + i) for i in range(20)])
    assert buffer.closes()["closes"]["Price"] == [50.0 + i for i in range(20)]
    ticks = [(20 * minute + i * minute // 4, 100.0 + i % 9) for i in range(400)]
    buffer.push(ticks)
    buffer.rewind()
    closes = buffer.closes()["closes"]
    assert closes["Price"][20:] == [price for i, (_, price) in enumerate(ticks[:300]) if i % 4 == 3]
    assert closes["Timestamp"][20] == "1970-01-01 00:20:45.000"
    with pytest.raises(TickError, match="tick 1: price must be above 0"):
        TickBuffer(10, [(1, 1.0), (2, 0.0)])
    assert TickBuffer(10).closes() == {}


def test_resumes_with_the_last_ticks_and_gives_each_message_once() -> None:
    ticks: list[list[float]] = []
    resumed: list[Any] = []

    async def script(socket: Any, count: int) -> None:
        opened = json.loads(await socket.recv())
        assert opened["type"] == "open"
        resumed.append(opened["forecasts"][0].get("resume_after"))
        ticks.append([])
        while not ticks[-1] or ticks[-1][-1] < 4000:
            ticks[-1] += json.loads(await socket.recv())["Price"]
        if count == 1:
            await say(socket, forecast(0, 5), forecast(1, 10), outcome(0), forecast(3, 20))
            await socket.close(1001, "going away")
        elif count == 2:
            # The ticks from 10 s on were sent again: the service counts from 0.
            await say(socket, forecast(0, 10), forecast(1, 15), forecast(2, 20), outcome(0), outcome(1), forecast(3, 25), outcome(2))
            await socket.close(1011)
        else:
            await say(socket, forecast(0, 50), outcome(0))
            await socket.wait_closed()

    async def work() -> list[dict[str, Any]]:
        async with served(script) as live:
            live.open("s", [PLAN])
            for i in range(4001):
                live.push("s", (i * 1000, float(i) or 0.5))
            return await read(live, 14)

    messages = run(work())
    assert [message["n"] for message in messages if message["type"] == "forecast"] == [0, 1, 3, 4, 5]
    assert [message["n"] for message in messages if message["type"] == "outcome"] == [0, 1, 3, 5]
    lost = [(message["code"], message["reason"]) for message in messages if message["type"] == "disconnected"]
    assert lost == [(1001, "going away"), (1011, "")]
    assert [(len(prices), prices[0]) for prices in ticks] == [(3000, 1001.0)] * 3
    # Up to the last forecast before the oldest one without outcome.
    assert resumed == [None, "2024-01-02 09:00:05.000000", "2024-01-02 09:00:20.000000"]


def test_a_refused_key_ends_the_connection() -> None:
    async def script(socket: Any, count: int) -> None:
        assert count == 1
        await socket.close(4401, "auth.key_refused")

    async def work() -> None:
        async with served(script) as live:
            await read(live, 9)

    with pytest.raises(LiveRefused) as caught:
        run(work())
    assert caught.value.code == 4401


def test_waits_for_a_service_that_does_not_answer() -> None:
    async def work() -> list[dict[str, Any]]:
        async with AsyncTickmark("http://127.0.0.1:1", "k").live(first_wait_s=0.01, longest_wait_s=0.02) as live:
            return await read(live, 3)

    messages = run(work())
    assert [message["type"] for message in messages] == ["disconnected"] * 3
    assert 0.005 <= messages[0]["wait_s"] <= 0.01 <= messages[2]["wait_s"] <= 0.02


def test_a_slow_reader_loses_the_oldest_and_is_told() -> None:
    async def work() -> list[Any]:
        queue = _Queue(2)
        for n in range(5):
            queue.put(forecast(n, n))
        queue.end(None)
        return [await queue.take() for _ in range(4)]

    dropped, *rest, end = run(work())
    assert (dropped, [message["n"] for message in rest], end) == ({"type": "dropped", "count": 3}, [3, 4], None)


def test_wrong_calls() -> None:
    async def work() -> None:
        with pytest.raises(ValueError, match="api_key"):
            AsyncTickmark().live()
        live = AsyncTickmark(api_key="k").live()
        with pytest.raises(ValueError, match="'a b'"):
            live.open("a b", [PLAN])
        live.open("s", [PLAN])
        with pytest.raises(ValueError, match="open already"):
            live.open("s", [PLAN])
        with pytest.raises(ValueError, match="'t' is not open"):
            live.push("t", (0, 1.0))
        for _ in range(60):
            live.score("s")
        for _ in range(4):
            live.open("closed", [PLAN])
            live.close_series("closed")
        with pytest.raises(ValueError, match="64 requests wait"):
            live.score("s")

    run(work())


def test_a_gap_is_seen_and_a_stamp_of_any_form_compared() -> None:
    buffer = TickBuffer(3)
    buffer.push([(i, 1.0) for i in range(7)])
    assert buffer.has_gap
    buffer.rewind()
    assert (buffer.has_gap, buffer.take(9)["Timestamp"]) == (False, build_tick_body([(i, 1.0) for i in (4, 5)], 6)["Timestamp"])
    resume = Resume()
    assert resume.read(forecast(0, 5)) is not None
    resume.restart()
    assert resume.read(forecast(4, 5, timestamp="2024-01-02 09:00:05.000000")) is None
    assert resume.read(outcome(4)) == outcome(0)
