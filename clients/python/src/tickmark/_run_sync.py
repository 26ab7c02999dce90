"""Waiting, and one after the other, for the sync client."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import httpx

from ._answers import check_size
from ._calls import Limit

T = TypeVar("T")
Source = Iterable[T]

sleep = time.sleep


class Limited(httpx.SyncByteStream):
    """A body whose reading ends with the time limit of its call."""

    def __init__(self, body: Any, limit: Limit) -> None:
        self._body, self._limit = body, limit

    def __iter__(self) -> Iterator[bytes]:
        for part in self._body:
            self._limit.left_s()
            yield part

    def close(self) -> None:
        self._body.close()


def each(items: Iterable[list[int]], run: Callable[[list[int]], None], at_once: int) -> None:
    for item in items:
        run(item)


def iterate(source: Iterable[T]) -> Iterable[T]:
    return source


def read_body(response: httpx.Response) -> bytes:
    """Raises UnexpectedAnswer for a body that is too long, whatever its encoding makes of it."""
    body = bytearray()
    for part in response.iter_bytes():
        body += part
        check_size(response, len(body))
    return bytes(body)
