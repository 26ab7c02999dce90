"""Waiting, and one after the other, for the sync client."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
Source = Iterable[T]

sleep = time.sleep


def each(items: Iterable[list[int]], run: Callable[[list[int]], None], at_once: int) -> None:
    for item in items:
        run(item)


def iterate(source: Iterable[T]) -> Iterable[T]:
    return source
