"""Messages of a live connection, and the forecasts that a series asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict, Union

from ._options import PLAN_OPTIONS
from ._wire import LiveServerMessage
from .errors import UsageError

# As the service: without white space, and one day at most.
DURATION = re.compile(r"[1-9]\d{0,7}(ms|s|m|h|d)", re.ASCII)
BARS = re.compile(r"[1-9]\d{0,4}bars", re.ASCII)
PLAN_FIELDS = frozenset(("horizon", "every", "ticks", "id")) | PLAN_OPTIONS

Message = dict[str, Any]


class Connected(TypedDict):
    """There is a connection. is_resumed: it is not the first one; its series are opened again."""

    type: Literal["connected"]
    is_resumed: bool


class Disconnected(TypedDict):
    """The connection was lost, and is made again after `wait_s`. code: of the WebSocket."""

    type: Literal["disconnected"]
    code: int
    reason: str
    wait_s: float


class Dropped(TypedDict):
    """Messages that were not read in time."""

    type: Literal["dropped"]
    count: int


class TicksLeftOut(TypedDict):
    """Ticks or bars that were left out since the series was opened: `late` ones before the last one, and those far `ahead` of it that no other one
    confirmed; and quotes whose bid is above the ask (`crossed`). Told at 1, 2, 4, 8, …
    """

    type: Literal["ticks_left_out"]
    series: str
    late: int
    ahead: int
    crossed: int


class Restarted(TypedDict):
    """The times of the series have begun again at an earlier one: it was closed at the service and opened again, and its numbers begin at 0."""

    type: Literal["restarted"]
    series: str


LiveMessage = Union[LiveServerMessage, Connected, Disconnected, Dropped, TicksLeftOut, Restarted]
"""What a live connection gives: messages of the service as on the wire, and what happens to the connection. Told apart by `type`."""


def checked_plans(forecasts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Raises UsageError for what is no list of forecasts: the service would refuse the series, and a refused one ends the connection."""
    listed = [] if isinstance(forecasts, (str, Mapping)) else list(forecasts)
    if not listed:
        raise UsageError(f'forecasts must be a list such as [{{"horizon": "60s", "every": "5s"}}]; it is {forecasts!r}')
    for at, plan in enumerate(listed):
        if not isinstance(plan, Mapping):
            raise UsageError(f'forecast {at} must be a dict such as {{"horizon": "60s", "every": "5s"}}; it is {plan!r}')
        unknown = sorted(set(plan) - PLAN_FIELDS)
        if unknown:
            raise UsageError(f"forecast {at} has a field {unknown[0]!r}; the fields are {', '.join(sorted(PLAN_FIELDS))}")
        checked_horizon(plan.get("horizon"), f"horizon of forecast {at}", True)
        if plan.get("every") != "tick":
            checked_horizon(plan.get("every"), f"every of forecast {at}", False)
    return [dict(plan) for plan in listed]


def checked_horizon(text: Any, what: str, has_bars: bool) -> None:
    """Raises UsageError for what is no duration."""
    if isinstance(text, str) and (DURATION.fullmatch(text) or (has_bars and BARS.fullmatch(text))):
        return
    other = ", or of bars 3bars" if has_bars else ", or tick"
    raise UsageError(f"{what} must be a whole number with its unit, without a space, such as 10s, 5m{other}; it is {text!r}")
