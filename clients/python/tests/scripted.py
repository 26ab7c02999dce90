"""A scripted server of live series."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from tickmark import AsyncTickmark

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
