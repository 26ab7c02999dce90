"""The order of what only rises, the rows of a series that wait for the service: as in the TypeScript client."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Generic, Literal, TypeVar

from .errors import UsageError

Item = TypeVar("Item")
Order = Literal["next", "held", "late", "confirmed", "restarted"]

# A tick is far ahead of the one before it by more than so many usual steps, and by more than these microseconds.
FAR_STEPS = 20
FAR_US = 2_000_000
# Ticks before a usual step is known.
FIRST_TICKS = 8
# Steps of the mean.
MEAN_STEPS = 64
# Different stamps that confirm each other, and ticks that do so if their stamps are equal.
STAMPS = 3
EQUAL_STAMPS = 1000
# So many ticks in a row that are far behind are a series that has begun again: as many as the first forecast needs, so none is later for it.
BEHIND = 200
# Rows that wait for the service: so many that a program which ignores `unsent` is told before its memory is used up.
MOST_UNSENT = 1_000_000
# After so many sent rows, the service is asked whether it has handled them.
CONFIRM_ROWS = 3000


class RisingOrder(Generic[Item]):
    """The one rule for times that only rise. A tick far ahead of the one before it is held until two later stamps confirm it, and left out if the
    next tick goes on where the ticks before it ended. A tick before the last one is left out; 200 in a row that are far behind begin a new series.
    So one wrong stamp costs its own tick. Bounded memory.
    """

    def __init__(self, can_restart: bool = True) -> None:
        self.last: float = -math.inf
        # Left out because they were before the last one, or far ahead of it.
        self.late = self.ahead = 0
        #: After "confirmed" and "restarted": the rows to use, in order.
        self.released: list[tuple[int, Item]] = []
        self._usual = 0.0
        self._steps = 0
        self._ahead: list[tuple[int, Item]] = []
        self._stamps = 0
        self._can_restart = can_restart
        self._behind: _Behind[Item] | None = None

    def take(self, value: int, item: Item) -> Order:
        """next: use it. held: others must confirm it. late: it is left out. confirmed: use `released`, which ends with it. restarted: use
        `released` as a series of its own, because the ticks before have a later time.
        """
        step = value - self.last
        if step < 0:
            return self._late(value, item, -step)
        if step > self._far() and self._steps >= FIRST_TICKS:
            return self._hold(value, item)
        if self._ahead:
            self._drop_ahead(0)
        self._drop_behind()
        self._accept(value)
        return "next"

    def revise(self, value: int, item: Item) -> bool:
        """A new form of what is held. False: nothing of that time is."""
        for held in (self._ahead, self._behind.entries if self._behind is not None else []):
            for at, (time, _) in enumerate(held):
                if time == value:
                    held[at] = (value, item)
                    return True
        return self._behind is not None and self._behind.order.revise(value, item)

    def _far(self) -> float:
        return max(FAR_US, FAR_STEPS * self._usual)

    def _accept(self, value: int) -> None:
        step = value - self.last
        self.last = value
        if not 0 < step < math.inf:
            return
        # A pause moves the mean, but not much.
        counted = min(step, 2 * self._far())
        self._steps += 1
        self._usual += (counted - self._usual) / min(self._steps, MEAN_STEPS)

    def _hold(self, value: int, item: Item) -> Order:
        held = self._ahead
        later = next((at for at, (time, _) in enumerate(held) if time > value), None)
        if later is not None:
            self._drop_ahead(later)
        before = held[-1][0] if held else value
        # Nor does one that is far ahead of those that are held.
        step = (before - held[0][0]) / max(1, self._stamps - 1) if held else 0.0
        is_far = self._stamps > 1 and value - before > max(self._far(), FAR_STEPS * step)
        if not held or before != value:
            self._stamps += 1
        held.append((value, item))
        if (self._stamps < STAMPS or is_far) and len(held) < EQUAL_STAMPS:
            return "held"
        self._drop_behind()
        self._ahead = []
        return self._release(held, "confirmed")

    def _late(self, value: int, item: Item, back: float) -> Order:
        if not self._can_restart or back <= self._far():
            self.late += 1
            return "late"
        behind = self._behind = self._behind or _Behind()
        behind.taken += 1
        found = behind.order.take(value, item)
        if found == "next":
            behind.entries.append((value, item))
        elif found == "confirmed":
            behind.entries += behind.order.released
        if len(behind.entries) < BEHIND:
            return "held"
        self._behind = None
        self._drop_ahead(0)
        self.late += behind.taken - len(behind.entries)
        self.last, self._usual, self._steps = -math.inf, 0.0, 0
        return self._release(behind.entries, "restarted")

    def _release(self, entries: list[tuple[int, Item]], order: Order) -> Order:
        for value, _ in entries:
            self._accept(value)
        self.released = entries
        self._stamps = 0
        return order

    def _drop_ahead(self, start: int) -> None:
        """Those from here on."""
        self.ahead += len(self._ahead) - start
        del self._ahead[start:]
        self._stamps = len({time for time, _ in self._ahead})

    def _drop_behind(self) -> None:
        if self._behind is not None:
            self.late += self._behind.taken
            self._behind = None


class _Behind(Generic[Item]):
    def __init__(self) -> None:
        self.order: RisingOrder[Item] = RisingOrder(can_restart=False)
        # Those of `taken` that are in order.
        self.entries: list[tuple[int, Item]] = []
        self.taken = 0


class RowBuffer:
    """The rows of a series in order: all that the service has not handled yet, as far as is known, and the last ones before them. A row begins with
    its time.
    """

    kind = ""

    def __init__(self, kept: int) -> None:
        """kept: rows for a reconnection, of those that the service has handled."""
        self._kept = kept
        self._order: RisingOrder[Any] = RisingOrder()
        self._rows: list[Any] = []
        self._sent = 0
        # Rows that the service has handled, and those that it was asked about.
        self._handled = 0
        self._asked: int | None = None
        # Rows at the end that are not ready.
        self._waiting = 0
        self.crossed = 0
        #: Its times have begun again at an earlier one: what the service has is another series.
        self.is_restarted = False
        #: What was sent is no longer right.
        self.is_changed = False

    @property
    def unsent(self) -> int:
        """Rows that are not sent, but ready."""
        return max(0, len(self._rows) - self._waiting - self._sent)

    @property
    def left_out(self) -> dict[str, int]:
        """Rows that were left out: before the last one, far ahead of it, and crossed quotes."""
        return {"late": self._order.late, "ahead": self._order.ahead, "crossed": self.crossed}

    def rewind(self) -> None:
        """All that is kept counts as not sent."""
        self._trim()
        self._sent, self._handled, self._asked = 0, 0, None
        self.is_changed = False

    def asks(self) -> bool:
        """Whether the service is to be asked now whether it has handled what was sent; then it counts as asked."""
        if self._asked is not None or self._sent - self._handled < CONFIRM_ROWS:
            return False
        self._asked = self._sent
        return True

    def answered(self, is_handled: bool) -> None:
        """The service has answered. is_handled: all of which it was asked."""
        if is_handled and self._asked is not None:
            self._handled = self._asked
        self._asked = None
        if self._handled > 2 * self._kept:
            self._trim()

    def _revise(self, row: Any) -> bool:
        """A new form of the last row, or of one that is held. False: there is none of its time."""
        if not self._rows or row[0] != self._rows[-1][0]:
            return self._order.revise(row[0], row)
        self._rows[-1] = row
        self.is_changed = self.is_changed or self._sent == len(self._rows)
        return True

    def _add(self, rows: Sequence[Any]) -> None:
        """Raises UsageError where too many wait: none is kept then."""
        if self.unsent + len(rows) > MOST_UNSENT:
            raise UsageError(f"{self.unsent} {self.kind} are unsent, and {len(rows)} more are too many: wait for drained()")
        order = self._order
        # A list that goes on where the last one ended may repeat what came before.
        goes_on = bool(rows) and rows[-1][0] >= order.last
        for row in rows:
            if goes_on and row[0] < order.last:
                order.late += 1
                continue
            found = order.take(row[0], row)
            if found == "restarted":
                self._rows, self._sent, self._handled, self._asked, self.is_restarted = [], 0, 0, None, True
            if found == "next":
                self._rows.append(row)
            elif found in ("confirmed", "restarted"):
                self._rows += [released for _, released in order.released]
        if self._sent > MOST_UNSENT:
            self._trim()

    def _next(self, most: int) -> list[Any]:
        """The next rows of one width, which then count as sent."""
        start = self._sent
        end = min(start + most, start + self.unsent)
        while self._sent < end and len(self._rows[self._sent]) == len(self._rows[start]):
            self._sent += 1
        return self._rows[start : self._sent]

    def _trim(self) -> None:
        # A service that never answers has the last of a million.
        extra = max(0, (self._sent if self._sent > MOST_UNSENT else self._handled) - self._kept)
        del self._rows[:extra]
        self._sent -= extra
        self._handled = max(0, self._handled - extra)
        self._asked = None if self._asked is None else max(0, self._asked - extra)
