"""Watches the trades of an exchange with ccxt, and prints each change of the forecast. It places no order.

  pip install ccxt
  TICKMARK_KEY=tkm_live_… python3 examples/ccxt/bot.py

Settings (environment): EXCHANGE (binance), SYMBOL (BTC/USDT), HORIZON (60s), COST_BPS (2.5: fee and half the spread, both ways), EVERY_S (5),
ROUNDS (0: endless); TICKMARK_URL and TICKMARK_KEY.
"""

import os
import sys
import time
from collections import deque
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import ccxt
from ask_tickmark import LEAST_TICKS, Refused, ask

EXCHANGE = os.environ.get("EXCHANGE", "binance")
SYMBOL = os.environ.get("SYMBOL", "BTC/USDT")
HORIZON = os.environ.get("HORIZON", "60s")
COST_BPS = float(os.environ.get("COST_BPS", "2.5"))
EVERY_S = float(os.environ.get("EVERY_S", "5"))
ROUNDS = int(os.environ.get("ROUNDS", "0"))


def main() -> None:
    exchange = getattr(ccxt, EXCHANGE)({"enableRateLimit": True})
    ticks: deque = deque(maxlen=500)
    last_ms, ids_at_last = 0, set()
    before = None
    done = 0
    while ROUNDS == 0 or done < ROUNDS:
        done += 1
        for trade in exchange.fetch_trades(SYMBOL, since=last_ms or None, limit=1000):
            # `since` includes trades of the same millisecond that were read before.
            if trade["timestamp"] < last_ms or trade["id"] in ids_at_last:
                continue
            if trade["timestamp"] > last_ms:
                last_ms, ids_at_last = trade["timestamp"], set()
            ids_at_last.add(trade["id"])
            ticks.append({"ms": trade["timestamp"], "price": trade["price"]})
        if len(ticks) < LEAST_TICKS:
            print(f"{len(ticks)} trades; forecasts start at {LEAST_TICKS}", flush=True)
        else:
            try:
                (forecast,) = ask(list(ticks), [HORIZON], [COST_BPS], series=SYMBOL.replace("/", "-"))
                state = forecast["status"]
                if state != before:
                    print(f"{forecast['timestamp']} {SYMBOL} {HORIZON}: {state} {forecast['reason'] or ''}".rstrip(), flush=True)
                before = state
            except Refused as refused:
                print(f"no forecast: {refused}", flush=True)
        time.sleep(EVERY_S)


if __name__ == "__main__":
    main()
