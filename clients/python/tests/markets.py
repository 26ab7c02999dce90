"""Ticks of invented markets."""

from __future__ import annotations

from typing import Any

import numpy as np

START_MS = 1_704_187_800_000  # 2024-01-02 09:30:00


def walk(seed: int, count: int, gap_ms: int = 400) -> tuple[Any, Any]:
    """Milliseconds, some of them equal, and prices."""
    random = np.random.default_rng(seed)
    times = START_MS + np.cumsum(np.floor(random.exponential(gap_ms, count)).astype(np.int64))
    prices = np.round(100 * np.exp(np.cumsum(random.normal(0, 5e-5, count))), 4)
    return times, prices
