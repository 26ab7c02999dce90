"""Reads the ticks of a MetaTrader 5 terminal, and prints the forecast of several horizons at the current spread. It places no order.

  pip install MetaTrader5        (Windows, with a running terminal)
  set TICKMARK_KEY=tkm_live_…
  python examples/metatrader5/bot.py

Settings (environment): SYMBOL (EURUSD), HORIZONS (10s,60s,5m), COST_SPREADS (1: the threshold in spreads), EVERY_S (5), ROUNDS (0: endless);
TICKMARK_URL and TICKMARK_KEY. The terminal has the time of the broker's server, not UTC: the forecast of a version with the time of day of
its market would use a wrong hour. Such a version answers clock_mismatch, or needs SERVER_HOURS, the hours of the server ahead of UTC.
"""

import os
import sys
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import MetaTrader5 as mt5
from ask_tickmark import LEAST_TICKS, Refused, ask

SYMBOL = os.environ.get("SYMBOL", "EURUSD")
HORIZONS = os.environ.get("HORIZONS", "10s,60s,5m").split(",")
COST_SPREADS = float(os.environ.get("COST_SPREADS", "1"))
EVERY_S = float(os.environ.get("EVERY_S", "5"))
ROUNDS = int(os.environ.get("ROUNDS", "0"))
SERVER_HOURS = float(os.environ.get("SERVER_HOURS", "0"))
WINDOW = 500


def read_ticks() -> list:
    """The last ticks with a bid and an ask, oldest first."""
    now = datetime.now(timezone.utc) + timedelta(hours=SERVER_HOURS)
    for minutes in (15, 120, 1440, 4320):
        found = mt5.copy_ticks_range(SYMBOL, now - timedelta(minutes=minutes), now + timedelta(minutes=5), mt5.COPY_TICKS_ALL)
        if found is None:
            raise RuntimeError(f"MetaTrader 5 has no ticks of {SYMBOL}: {mt5.last_error()}")
        shift_ms = int(SERVER_HOURS * 3_600_000)
        # The fields are numbers of numpy, which JSON does not know.
        ticks = [
            {"ms": int(tick["time_msc"]) - shift_ms, "bid": float(tick["bid"]), "ask": float(tick["ask"])}
            for tick in found
            if tick["bid"] > 0 and tick["ask"] > 0
        ]
        if len(ticks) >= WINDOW:
            break
    return ticks[-WINDOW:]


def main() -> None:
    if not mt5.initialize():
        raise SystemExit(f"MetaTrader 5 does not answer: {mt5.last_error()}")
    try:
        mt5.symbol_select(SYMBOL, True)
        done = 0
        while ROUNDS == 0 or done < ROUNDS:
            done += 1
            ticks = read_ticks()
            if len(ticks) < LEAST_TICKS:
                print(f"{len(ticks)} ticks; forecasts start at {LEAST_TICKS}", flush=True)
            else:
                last = ticks[-1]
                spread_bps = (last["ask"] - last["bid"]) / last["bid"] * 10_000
                try:
                    for forecast in ask(ticks, HORIZONS, [max(0.01, COST_SPREADS * spread_bps)], series=SYMBOL):
                        print(f"{SYMBOL} {forecast['horizon']}: {forecast['status']} {forecast['reason'] or ''}".rstrip(), flush=True)
                except Refused as refused:
                    print(f"no forecast: {refused}", flush=True)
            time.sleep(EVERY_S)
    finally:
        mt5.shutdown()


if __name__ == "__main__":
    main()
