"""live() against a scripted server: connections that are lost, and readers that wait."""

import asyncio
import json
import threading
from typing import Any

import pytest

from tickmark import ApiError, AsyncTickmark, ConnectionFailed, LiveRefused, TickError, Tickmark, TimedOut, UsageError
from tickmark._live_buffers import Queue
from tickmark._live_resume import Resume

from scripted import PLAN, US, forecast, outcome, read, run, say, served

pytest.importorskip("websockets")


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
