"""The windows of a replay as a data frame."""

from __future__ import annotations

from typing import Any

import pandas as pd
from pandas.plotting import PlotAccessor

#: Columns of `tickmark replay --windows`, with why an outcome is missing, and whether the version was trained on the ticks.
TYPES = {
    "timestamp": "datetime64[us, UTC]",
    "price": "float64",
    "trend_identified": "Int8",
    "probability": "float64",
    "baseline_probability": "float64",
    "min_move_bps": "float64",
    "move_bps": "float64",
    "outcome": "Int8",
    "outcome_missing": "object",
    "reasons": "object",
    "seen_in_training": "bool",
}


class _ReplayPlot(PlotAccessor):
    """`plot()` draws the replay; with arguments, and by its methods, it is that of pandas."""

    def __init__(self, frame: pd.DataFrame) -> None:
        super().__init__(frame)
        self._frame = frame

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if args or kwargs:
            return super().__call__(*args, **kwargs)
        from .plots import plot_replay

        return plot_replay(self._frame)


class Replay(pd.DataFrame):
    """One row for each window, in time order. `plot()` draws price, marks, threshold, and how often each probability came true.

    outcome: 1 where the price moved more than min_move_bps, else 0; missing where outcome_missing says why. attrs: `engine` (version), `horizon`,
    `independent`: whether no two outcomes overlap, which intervals need, and `memory_unused`: why the memory of the series was not used, or None.
    """

    @property
    def plot(self) -> _ReplayPlot:
        return _ReplayPlot(self)


def frame_of(columns: dict[str, Any], texts: list[str]) -> Replay:
    """columns: doubles of each; texts: those that outcome_missing and reasons count from 0."""
    missing, reasons = [None, *texts[1:]], texts
    made: dict[str, Any] = {}
    for name, values in columns.items():
        kind = TYPES.get(name, "float64")
        if name == "timestamp":
            made[name] = pd.to_datetime(values.astype("int64"), unit="us", utc=True).as_unit("us")
        elif kind == "object":
            named = missing if name == "outcome_missing" else reasons
            made[name] = pd.Series([named[int(code)] for code in values], dtype="object")
        elif kind == "Int8":
            made[name] = pd.Series(values, dtype="Float64").astype("Int8")
        else:
            made[name] = values.astype(kind)
    return Replay(made)
