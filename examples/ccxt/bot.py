"""Watches the trades of an exchange with ccxt, and prints each change of the forecast. It places no order.

  pip install ccxt
  TICKMARK_KEY=tkm_live_… python3 examples/ccxt/bot.py

Settings (environment): EXCHANGE (binance), SYMBOL (BTC/USDT), HORIZON (60s), COST_BPS (2.5: fee and half the spread, both ways), EVERY_S (5),
ROUNDS (0: endless), QUIET_S (30); TICKMARK_URL and TICKMARK_KEY. A round without an answer of the exchange or of tickmark has no forecast, and
neither has an exchange without new trades for QUIET_S: a line says so, and the next round tries again.
"""

import os
import sys
import time
from collections import deque
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import ccxt
from ask_tickmark import LEAST_TICKS, Refused, ask, settings

EXCHANGE = os.environ.get("EXCHANGE", "binance")
SYMBOL = os.environ.get("SYMBOL", "BTC/USDT")
HORIZON = os.environ.get("HORIZON", "60s")
COST_BPS = float(os.environ.get("COST_BPS", "2.5"))
EVERY_S = float(os.environ.get("EVERY_S", "5"))
QUIET_S = float(os.environ.get("QUIET_S", "30"))
ROUNDS = int(os.environ.get("ROUNDS", "0"))


class Trades:
    """The last trades of a symbol, each once."""

    def __init__(self) -> None:
        self.ticks: deque = deque(maxlen=500)
        self.last_ms = 0
        self.ids_at_last: set = set()
        self.new_at = time.monotonic()

    def read(self, exchange) -> int:
        """How many were new."""
        count = 0
        for trade in exchange.fetch_trades(SYMBOL, since=self.last_ms or None, limit=1000):
            ms, price = int(trade["timestamp"]), float(trade["price"])
            # `since` includes trades of the same millisecond that were read before.
            if ms < self.last_ms or trade["id"] in self.ids_at_last:
                continue
            if ms > self.last_ms:
                self.last_ms, self.ids_at_last = ms, set()
            self.ids_at_last.add(trade["id"])
            self.ticks.append({"ms": ms, "price": price})
            count += 1
            self.new_at = time.monotonic()
        return count


def state_of(exchange, trades: Trades, before) -> tuple:
    """What to print of this round, without and with its time; `before` where nothing is new. Raises Refused where there is no forecast."""
    try:
        new = trades.read(exchange)
    except Exception as error:  # ccxt, its network and a page of a proxy raise errors of many kinds.
        raise Refused(f"{EXCHANGE} gives no trades: {type(error).__name__}: {error}"[:300]) from error
    if len(trades.ticks) < LEAST_TICKS:
        waiting = f"{len(trades.ticks)} trades; forecasts start at {LEAST_TICKS}"
        return waiting, waiting
    if new == 0 and time.monotonic() - trades.new_at < QUIET_S:
        return before, ""
    if new == 0:
        return "quiet", f"no forecast: {EXCHANGE} has no new trades for {QUIET_S:g} s"
    (forecast,) = ask(list(trades.ticks), [HORIZON], [COST_BPS], series=SYMBOL.replace("/", "-"))
    state = f"{SYMBOL} {HORIZON}: {forecast['status']} {forecast['reason'] or ''}".rstrip()
    return state, f"{forecast['timestamp']} {state}"


def open_exchange():
    if EXCHANGE not in getattr(ccxt, "exchanges", [EXCHANGE]):
        raise SystemExit(f"EXCHANGE must be an exchange of ccxt; it is {EXCHANGE!r}")
    return getattr(ccxt, EXCHANGE)({"enableRateLimit": True})


def main() -> None:
    try:
        settings()
    except Refused as refused:
        raise SystemExit(str(refused)) from refused
    exchange = open_exchange()
    trades = Trades()
    before = None
    done = 0
    while ROUNDS == 0 or done < ROUNDS:
        done += 1
        try:
            state, line = state_of(exchange, trades, before)
        except Refused as refused:
            state, line = None, f"no forecast: {refused}"
        if line and (state is None or state != before):
            print(line, flush=True)
        before = state
        time.sleep(EVERY_S)


if __name__ == "__main__":
    main()
