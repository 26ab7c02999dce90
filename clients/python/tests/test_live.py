"""live() against a scripted server."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tickmark import ApiError, AsyncTickmark, ConnectionFailed, LiveRefused, TickError, Tickmark, TickmarkError, TimedOut, UsageError, build_tick_body
from tickmark._order import RisingOrder
from tickmark._live_buffers import Queue, TickBuffer
from tickmark._live_resume import Resume

pytest.importorskip("websockets")

US = 1_704_186_000_000_000  # 2024-01-02 09:00:00
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


def test_resumes_with_the_last_ticks_and_gives_each_message_once() -> None:
    ticks: list[list[float]] = []
    resumed: list[Any] = []

    async def script(socket: Any, count: int) -> None:
        opened = json.loads(await socket.recv())
        assert opened["type"] == "open"
        resumed.append(opened["forecasts"][0].get("resume_after"))
        ticks.append([])
        while not ticks[-1] or ticks[-1][-1] < 4000:
            message = json.loads(await socket.recv())
            ticks[-1] += message.get("Price", [])
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
                live.push("s", (US + i * 1000, float(i) or 0.5))
            return await read(live, 14)

    messages = run(work())
    assert [message["n"] for message in messages if message["type"] == "forecast"] == [0, 1, 3, 4, 5]
    assert [message["n"] for message in messages if message["type"] == "outcome"] == [0, 1, 3, 5]
    lost = [(message["code"], message["reason"]) for message in messages if message["type"] == "disconnected"]
    assert lost == [(1001, "going away"), (1011, "")]
    assert [(len(prices), prices[0]) for prices in ticks] == [(4001, 0.5)] * 3
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


def test_a_first_connection_that_fails_raises_at_once_with_the_reason() -> None:
    from websockets.asyncio.server import serve

    async def refused(url: str) -> str:
        with pytest.raises(ConnectionFailed) as caught:
            async with AsyncTickmark(url, "k").live(first_wait_s=60):
                pass
        return str(caught.value)

    async def work() -> list[str]:
        async def ignore(socket: Any) -> None:
            await socket.wait_closed()

        def answer(status: int, **headers: str) -> Any:
            def respond(connection: Any, _: Any) -> Any:
                response = connection.respond(status, "")
                response.headers.update(headers)
                return response

            return respond

        urls = ["http://127.0.0.1:1", "http://no-such-host.invalid"]
        async with (
            serve(ignore, "127.0.0.1", 0, process_request=answer(404)) as missing,
            serve(ignore, "127.0.0.1", 0) as other,
            serve(ignore, "127.0.0.1", 0, process_request=answer(302, Location="ws://127.0.0.1:1/")) as moved,
        ):
            urls += [f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}" for server in (missing, other, moved)]
            return [await refused(url) for url in urls]

    port, host, missing, other, moved = run(work())
    assert "Connect call failed" in port and "404" in missing and "302" in moved
    assert "no-such-host.invalid" in host and "no subprotocol tickmark.v1" in other


def test_a_refused_open_raises_with_the_reason() -> None:
    problem = {"type": "error", "message": "open", "series": "s", "code": "model.unknown", "detail": "No model.", "status": 404, "requestId": "r"}

    async def script(socket: Any, _: int) -> None:
        await socket.recv()
        await say(socket, problem)
        await socket.wait_closed()

    async def work() -> None:
        async with served(script) as live:
            live.open("s", [PLAN])
            with pytest.raises(ApiError, match="model.unknown: No model."):
                await read(live, 9)
            # A push after the refusal raises too.
            with pytest.raises(ApiError, match="model.unknown"):
                live.push("s", (US, 1.0))

    run(work())


@pytest.mark.parametrize(("give_up_s", "lost"), [(0, 0), (None, 3)])
def test_a_connection_that_worked_is_made_again_until_the_limit_of_the_caller(give_up_s: Any, lost: int) -> None:
    async def script(socket: Any, count: int) -> None:
        await socket.recv()
        if count == 1:
            await say(socket, {"type": "score", "series": "s", "scores": []})
        # A service that starts refuses for a while.
        else:
            await say(socket, {"type": "error", "message": "open", "code": "service.not_ready", "detail": "d", "status": 503, "requestId": "r"})
            await socket.wait_closed()

    found: list[str] = []

    async def work() -> None:
        async with served(script, give_up_s=give_up_s) as live:
            live.open("s", [PLAN])
            async for message in live:
                found.append(message["type"])
                if found.count("disconnected") == lost > 0:
                    break

    if give_up_s is None:
        run(work())
    else:
        with pytest.raises(ConnectionFailed, match="no connection for 0 s"):
            run(work())
    assert found.count("disconnected") == lost


def test_ticks_that_could_not_be_sent_are_sent_after_the_reconnection() -> None:
    prices: list[float] = []

    async def script(socket: Any, count: int) -> None:
        await socket.recv()
        if count == 1:
            await socket.close(1001)
        async for text in socket:
            prices.extend(json.loads(text).get("Price", []))

    async def work() -> None:
        async with served(script, first_wait_s=0.3, longest_wait_s=0.3) as live:
            live.open("s", [PLAN])
            assert [message["type"] for message in await read(live, 2)] == ["connected", "disconnected"]
            assert live.push("s", [(US + i, 1.0 + i) for i in range(7000)]) == 7000
            assert [message["type"] for message in await read(live, 1)] == ["connected"]
            await live.drained()
            while len(prices) < 7000:
                await asyncio.sleep(0.01)

    run(work())
    assert prices == [1.0 + i for i in range(7000)]


def test_who_pushes_fast_is_slowed_down_and_loses_nothing() -> None:
    from websockets.sync.server import serve

    connections: list[list[float]] = []

    def handle(socket: Any) -> None:
        socket.recv()
        prices: list[float] = []
        connections.append(prices)
        for text in socket:
            prices.extend(json.loads(text).get("Price", []))
            if len(connections) == 1 and len(prices) > 20_000:
                socket.close(1001)
                return

    with serve(handle, "127.0.0.1", 0, subprotocols=["tickmark.v1"]) as server:  # type: ignore[list-item]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Tickmark(f"http://127.0.0.1:{server.socket.getsockname()[1]}", "k").live(first_wait_s=0.01) as live:
            live.open("s", [PLAN])
            for chunk in range(200):
                assert live.push("s", [(US + 1000 * chunk + i, 1.0 + 1000 * chunk + i) for i in range(1000)]) <= 30_000
            live.drained()
            last = connections[-1]
            while not last or last[-1] != 200_000:
                last = connections[-1]
        server.shutdown()
    assert len(connections) == 2
    assert last == [1.0 + i for i in range(int(last[0]) - 1, 200_000)]
    assert last[0] <= connections[0][-1] + 1
    with pytest.raises(UsageError, match="closed"):
        live.drained()


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


def test_sync_live_is_pushed_from_another_thread_while_it_is_read() -> None:
    from websockets.sync.server import serve

    pushed: list[float] = []

    def handle(socket: Any) -> None:
        assert json.loads(socket.recv()) == {"type": "auth", "api_key": "k"}
        for text in socket:
            message = json.loads(text)
            pushed.extend(message.get("Price", []))
            if len(pushed) == 2000:
                socket.send(json.dumps({"type": "score", "series": "s", "scores": []}))

    with serve(handle, "127.0.0.1", 0, subprotocols=["tickmark.v1"]) as server:  # type: ignore[list-item]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Tickmark(f"http://127.0.0.1:{server.socket.getsockname()[1]}", "k").live() as live:
            live.open("s", [PLAN])
            assert live.read()["type"] == "connected"
            with pytest.raises(TimedOut):
                live.read(timeout_s=0)
            feeds = [threading.Thread(target=lambda: [live.push("s", (US, 1.0)) for _ in range(1000)]) for _ in range(2)]
            for feed in feeds:
                feed.start()
            for message in live:
                assert message["type"] == "score"
                break
            with pytest.raises(TickError):
                live.push("s", (US, 0))
        server.shutdown()
    with pytest.raises(UsageError, match="closed"):
        live.push("s", (US, 1.0))
    with pytest.raises(ConnectionFailed):
        with Tickmark("http://127.0.0.1:1", "k").live():
            pass


def test_a_slow_reader_loses_the_oldest_and_is_told() -> None:
    async def work() -> list[Any]:
        queue = Queue(2)
        for n in range(5):
            queue.put(forecast(n, n))
        queue.end(None)
        return [await queue.take() for _ in range(4)]

    dropped, *rest, end = run(work())
    assert (dropped, [message["n"] for message in rest], end) == ({"type": "dropped", "count": 3}, [3, 4], None)


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


def test_a_stamp_of_any_form_is_compared() -> None:
    resume = Resume()
    assert resume.read(forecast(0, 5)) is not None
    resume.restart()
    assert resume.read(forecast(4, 5, timestamp="2024-01-02 09:00:05.000000")) is None
    assert resume.read(outcome(4)) == outcome(0)


def test_a_later_forecast_that_comes_first_takes_no_number_of_another_one() -> None:
    resume = Resume()
    read: dict[int, int] = {}

    def come(number: int, second: int) -> None:
        message = resume.read(forecast(number, second))
        if message is not None:
            assert message["n"] not in read
            read[message["n"]] = second

    for second in (0, 1, 3, 2):
        come(second, second)
    for number in (0, 1):
        assert resume.read(outcome(number)) == outcome(number)
    resume.restart()
    # The outcomes up to second 1 are known, so second 2 has the number 0 again.
    for second in (5, 4, 2, 3, 6):
        come(second - 2, second)
    assert read == {second: second for second in range(7)}
    # The forecast that came after a later one is settled first.
    assert resume.read(outcome(0)) == outcome(2)
    assert resume.after("s", "60s") == "2024-01-02 09:00:02.000000"


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
