"""Paper trading: buys at the last price, with a stop where the chance that it is reached within the horizon is at most 10 %. It sends no order.

  pip install ccxt
  TICKMARK_KEY=tkm_live_… python3 examples/ccxt/paper_stop.py

Settings (environment): CHANCE (0.1), STEP_BPS (1: between the 16 prices that are asked about), and those of bot.py without COST_BPS and QUIET_S. A
position ends at its stop or after HORIZON (10s, 60s, 5m, 1h), and the next one begins. The last line compares how many were stopped with the
chances: what a stop costs when it is reached (the queue, a price beyond it) is not in it.
"""

import os
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import bot
from ask_tickmark import LEAST_TICKS, Refused, ask, settings

CHANCE = float(os.environ.get("CHANCE", "0.1"))
STEP_BPS = float(os.environ.get("STEP_BPS", "1"))
PRICES = 16
UNIT_MS = {"s": 1000, "m": 60_000, "h": 3_600_000}


def horizon_ms(text: str) -> int:
    found = re.fullmatch(r"([1-9]\d{0,4})([smh])", text)
    if found is None:
        raise SystemExit(f"HORIZON must be such as 60s, 5m or 1h; it is {text!r}")
    return int(found[1]) * UNIT_MS[found[2]]


def stop_below(ticks: list) -> tuple:
    """The nearest price below the last one that is reached with CHANCE at most, and its chance. Raises Refused where there is none."""
    last = ticks[-1]["price"]
    prices = [float(f"{last * (1 - step * STEP_BPS / 10_000):.10g}") for step in range(1, PRICES + 1)]
    (forecast,) = ask(ticks, [bot.HORIZON], series=bot.SYMBOL.replace("/", "-") + ":stop", touch=prices)
    try:
        chances = [(level["price"], level["probability"]) for level in forecast["touch"]["levels"]]
        known = [(price, chance) for price, chance in chances if chance is not None and 0 <= chance <= CHANCE and 0 < price < last]
    except (KeyError, TypeError) as error:
        raise Refused(f"status 200 with a body that is not of tickmark: no chances ({type(error).__name__})") from error
    if not known:
        raise Refused(f"no price of {PRICES} has a chance of {CHANCE:g} or less: raise STEP_BPS")
    return max(known)


class Paper:
    """One position at a time, followed trade by trade."""

    def __init__(self) -> None:
        self.stop = None
        self.begun = self.stopped = 0
        self.chances = 0.0
        self.seen_ms = self.end_ms = 0

    def begin(self, ticks: list) -> str:
        self.stop, chance = stop_below(ticks)
        self.seen_ms, self.end_ms = ticks[-1]["ms"], ticks[-1]["ms"] + horizon_ms(bot.HORIZON)
        return f"{self.seen_ms} bought at {ticks[-1]['price']:g}, stop at {self.stop:g}: reached with {100 * chance:.1f} %", chance

    def follow(self, ticks: list, chance: float) -> str:
        """What ended the position; empty: it goes on."""
        for tick in ticks:
            if tick["ms"] <= self.seen_ms:
                continue
            # The first second is for the order, as in the definition of a touch.
            is_hit = tick["price"] <= self.stop and tick["ms"] > self.end_ms - horizon_ms(bot.HORIZON) + 1000
            if is_hit or tick["ms"] > self.end_ms:
                is_stopped = is_hit and tick["ms"] <= self.end_ms
                self.begun, self.stopped, self.chances = self.begun + 1, self.stopped + is_stopped, self.chances + chance
                self.stop = None
                return f"{tick['ms']} {'stopped' if is_stopped else 'kept to its end'}"
        self.seen_ms = ticks[-1]["ms"]
        return ""


def main() -> None:
    try:
        settings()
    except Refused as refused:
        raise SystemExit(str(refused)) from refused
    horizon_ms(bot.HORIZON)
    exchange = bot.open_exchange()
    trades, paper, chance = bot.Trades(), Paper(), 0.0
    done = 0
    while bot.ROUNDS == 0 or done < bot.ROUNDS:
        done += 1
        line = ""
        try:
            try:
                trades.read(exchange)
            except Exception as error:  # ccxt, its network and a page of a proxy raise errors of many kinds.
                raise Refused(f"{bot.EXCHANGE} gives no trades: {type(error).__name__}: {error}"[:300]) from error
            ticks = list(trades.ticks)
            if paper.stop is not None:
                line = paper.follow(ticks, chance)
            elif len(ticks) >= LEAST_TICKS:
                line, chance = paper.begin(ticks)
        except Refused as refused:
            line = f"no forecast: {refused}"
        if line:
            print(line, flush=True)
        time.sleep(bot.EVERY_S)
    print(f"stopped {paper.stopped} of {paper.begun} positions; by the chances {paper.chances:.1f}", flush=True)


if __name__ == "__main__":
    main()
