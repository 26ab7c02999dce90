"""Waiting, and several at once, for the async client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, TypeVar

import httpx

from ._answers import check_size
from ._calls import Limit

T = TypeVar("T")
Source = AsyncIterable[T] | Iterable[T]

sleep = asyncio.sleep


class Limited(httpx.AsyncByteStream):
    """A body whose reading ends with the time limit of its call."""

    def __init__(self, body: Any, limit: Limit) -> None:
        self._body, self._limit = body, limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._body:
            self._limit.left_s()
            yield part

    async def aclose(self) -> None:
        await self._body.aclose()


async def each(items: Iterable[list[int]], run: Callable[[list[int]], Awaitable[None]], at_once: int) -> None:
    """Runs all, `at_once` at a time; where one fails, the others are cancelled."""
    waiting = iter(items)

    async def worker() -> None:
        for item in waiting:
            await run(item)

    tasks = [asyncio.ensure_future(worker()) for _ in range(max(1, at_once))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def iterate(source: Source[T]) -> AsyncIterator[T]:
    if isinstance(source, AsyncIterable):
        async for item in source:
            yield item
    else:
        for item in source:
            yield item


async def read_body(response: httpx.Response) -> bytes:
    """Raises UnexpectedAnswer for a body that is too long, whatever its encoding makes of it."""
    body = bytearray()
    async for part in response.aiter_bytes():
        body += part
        check_size(response, len(body))
    return bytes(body)
