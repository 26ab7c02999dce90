"""A replay of many series, as one function that Ray Data, Dask and Spark call in their workers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from .engine import Engine, ReplayOptions, checked_options
from .errors import ApiError, UsageError

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

_SPARK_TYPES = {"datetime64[us, UTC]": "timestamp", "float64": "double", "Int8": "tinyint", "object": "string", "bool": "boolean"}


class EachReplay(partial["pd.DataFrame"]):
    """A function from a data frame of whole series to the frame of their windows. It can be pickled."""

    @property
    def types(self) -> dict[str, str]:
        """The type that pandas has for each column of the result."""
        from ._replay import TYPES

        levels = self.keywords["options"].get("range") or []
        bands = [f"{side}_{float(f'{100 * level:.12g}'):g}" for level in levels for side in ("low", "high")]
        return {self.keywords["by"]: "object", **TYPES, **dict.fromkeys(bands, "float64")}

    @property
    def meta(self) -> pd.DataFrame:
        """The result without a row, for Dask: `frame.map_partitions(each, meta=each.meta)`."""
        import pandas as pd

        return pd.DataFrame({name: pd.Series([], dtype=kind) for name, kind in self.types.items()})

    @property
    def schema(self) -> str:
        """The columns of the result, for Spark: `frame.groupBy("series").applyInPandas(each, each.schema)`."""
        return ", ".join(f"`{name}` {_SPARK_TYPES[kind]}" for name, kind in self.types.items())


def replay_each(
    horizon: str, *, by: str = "series", order: str | None = None, version: str | Mapping[str, str | bytes] | None = None, **options: Unpack[ReplayOptions]
) -> EachReplay:
    """The replay of each series of a data frame, for workers: the result is the same for any number of them, since no series is split.

    by: the column with the name of the series; all ticks of one are in the same frame. order: the column that ticks are sorted by; without it, they must
    be in time order already. A series with fewer ticks than a window has no row.
    """
    return EachReplay(_replay_frame, engine=Engine(version), horizon=horizon, by=by, order=order, options=checked_options(options, ReplayOptions))


def _replay_frame(frame: pd.DataFrame, /, *, engine: Engine, horizon: str, by: str, order: str | None, options: Mapping[str, Any]) -> pd.DataFrame:
    import pandas as pd

    each = EachReplay(_replay_frame, engine=engine, horizon=horizon, by=by, order=order, options=options)
    for needed in (by, order):
        if needed is not None and needed not in frame.columns:
            raise UsageError(f"the frame has no column {needed}; it has {', '.join(map(str, frame.columns)) or 'none'}")
    made: list[pd.DataFrame] = []
    for name, ticks in frame.groupby(by, sort=True, observed=True):
        if order is not None:
            ticks = ticks.sort_values(order, kind="stable")
        try:
            windows = engine.replay(ticks.drop(columns=[by]), horizon, **options)
        except ApiError as error:
            codes = {each["code"] for each in error.field_errors}
            if codes == {"ticks.too_few"}:
                continue
            hint = "; name the column of their order: order=…" if codes & {"timestamp.step_back", "timestamp.not_increasing"} and order is None else ""
            raise ApiError({**error.problem, "detail": f"series {name}: {error.detail}{hint}"}) from error
        windows.insert(0, by, pd.Series([str(name)] * len(windows), dtype="object"))
        made.append(pd.DataFrame(windows))
    return pd.concat(made, ignore_index=True) if made else each.meta
