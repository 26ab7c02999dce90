"""Ticks of invented markets, and the engine: without it, the tests of a module are skipped."""

from __future__ import annotations

from typing import Any

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")

from tickmark import Engine, _child  # noqa: E402

if not (_child.FOLDER / "child.js").exists():
    pytest.skip("the engine is not built: npm run test:python builds it", allow_module_level=True)

START_MS = 1_704_187_800_000  # 2024-01-02 09:30:00


def walk(seed: int, count: int, gap_ms: int = 400) -> tuple[Any, Any]:
    """Milliseconds, some of them equal, and prices."""
    random = np.random.default_rng(seed)
    times = START_MS + np.cumsum(np.floor(random.exponential(gap_ms, count)).astype(np.int64))
    prices = np.round(100 * np.exp(np.cumsum(random.normal(0, 5e-5, count))), 4)
    return times, prices


TIMES, PRICES = walk(1, 6000)
FRAME = pd.DataFrame({"timestamp": TIMES.astype("datetime64[ms]"), "price": PRICES})
QUOTES = FRAME.assign(bid=PRICES - 0.005, ask=PRICES + 0.005).drop(columns="price")
ENGINE = Engine()
