"""Joins the messages of several connections to one sequence."""

from __future__ import annotations

from typing import Optional

from ._live_messages import Message


MOST_NUMBERS = 4096
"""Forecasts of one id that are remembered."""
ASK_ID = "ask"
"""The id of forecasts that answer ask(): they have no outcome."""


class _Known:
    """What was read of the forecasts of one id."""

    def __init__(self) -> None:
        # Number of the first forecast at the time of a last tick, oldest first.
        self.numbers: dict[str, int] = {}
        # Forecasts by number, in order, from the oldest without outcome on: the time, and whether the outcome is known.
        self.open: dict[int, tuple[str, bool]] = {}
        # The outcomes of all forecasts up to this time are known; empty before the first one.
        self.settled_until = ""
        # The number after that of the forecast at that time: a connection that resumes there counts from it, as long as the first ticks are kept.
        self.resumed_from = 0
        # Time of the last tick of the newest forecast; and that time when this connection began.
        self.newest = self.read_until = ""
        self.next_number = 0
        # Added to the numbers of this connection; None until it is known.
        self.offset: Optional[int] = None


class Resume:
    """Joins the messages of several connections to one sequence: ticks that are sent again give earlier forecasts again, with other numbers."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _Known] = {}

    def restart(self) -> None:
        """A new connection counts from 0 again."""
        for known in self._known.values():
            known.offset, known.read_until = None, known.newest

    def after(self, series: str, forecast_id: str) -> Optional[str]:
        """Up to which time the service need not make the forecasts of an id again; None: none was made."""
        known = self._known.get((series, forecast_id))
        return known.settled_until or None if known is not None else None

    def forget(self, series: str) -> None:
        self._known = {key: known for key, known in self._known.items() if key[0] != series}

    def read(self, message: Message) -> Optional[Message]:
        """The message as the reader gets it; None: it was read before."""
        if message["type"] == "forecast" and message["id"] != ASK_ID:
            return self._forecast(message)
        return self._outcome(message) if message["type"] == "outcome" else message

    def _forecast(self, message: Message) -> Optional[Message]:
        known = self._known.setdefault((message["series"], message["id"]), _Known())
        second, _, fraction = message["timestamp"].partition(".")
        at = f"{second}.{fraction:0<6}"
        is_new = at > known.read_until
        # A later forecast may come first: that it is the next one would give its number to two.
        number = max(known.next_number, known.resumed_from + message["n"]) if is_new else known.numbers.get(at)
        if number is not None and known.offset is None:
            known.offset = number - message["n"]
        if not is_new or known.offset is None:
            return None
        n = message["n"] + known.offset
        known.open[n] = (at, False)
        # Forecasts that are computed at the same time may come in another order.
        if n < known.next_number:
            known.open = dict(sorted(known.open.items()))
        known.newest, known.next_number = max(known.newest, at), max(known.next_number, n + 1)
        known.numbers.setdefault(at, n)
        if len(known.numbers) > MOST_NUMBERS:
            del known.numbers[next(iter(known.numbers))]
        if len(known.open) > MOST_NUMBERS:
            del known.open[next(iter(known.open))]
        return {**message, "n": n}

    def _outcome(self, message: Message) -> Optional[Message]:
        known = self._known.get((message["series"], message["id"]))
        if known is None or known.offset is None:
            return None
        n = message["n"] + known.offset
        at, is_settled = known.open.get(n, ("", True))
        if is_settled:
            return None
        known.open[n] = (at, True)
        # Forecasts at one time are settled together: the service compares times only.
        settled: Optional[tuple[str, int]] = None
        for number, (at, is_settled) in list(known.open.items()):
            if not is_settled:
                settled = None if settled is not None and at == settled[0] else settled
                break
            del known.open[number]
            settled = (at, number + 1)
        if settled is not None:
            known.settled_until, known.resumed_from = settled
        return {**message, "n": n}
