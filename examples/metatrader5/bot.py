"""Reads the ticks of a MetaTrader 5 terminal, and prints the forecast of several horizons at the current spread. It places no order.

  pip install MetaTrader5        (Windows, with a running terminal)
  set TICKMARK_KEY=tkm_live_…
  python examples/metatrader5/bot.py

Settings (environment): SYMBOL (EURUSD), HORIZONS (10s,60s,5m), COST_SPREADS (1: the threshold in spreads), EVERY_S (5), ROUNDS (0: endless);
TICKMARK_URL and TICKMARK_KEY. The terminal has the time of the broker's server, not UTC: SERVER_HOURS are the hours of the server ahead of UTC.
A round without a new tick (a closed market, a terminal without connection) has no forecast, and neither has one without an answer of the
terminal or of tickmark: a line says so, and the next round tries again.
"""

import os
import sys
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import MetaTrader5 as mt5
from ask_tickmark import LEAST_TICKS, Refused, ask, settings

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
            raise Refused(f"MetaTrader 5 has no ticks of {SYMBOL}: {mt5.last_error()}")
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


def lines_of(before_ms: int) -> tuple:
    """What to print of this round, and the time of the last tick. Raises Refused where there is no forecast."""
    try:
        ticks = read_ticks()
    except Refused:
        raise
    except Exception as error:
        raise Refused(f"MetaTrader 5 gives no ticks: {type(error).__name__}: {error}") from error
    if len(ticks) < LEAST_TICKS:
        return [f"{len(ticks)} ticks; forecasts start at {LEAST_TICKS}"], before_ms
    last = ticks[-1]
    if last["ms"] <= before_ms:
        raise Refused(f"{SYMBOL} has no new tick")
    spread_bps = (last["ask"] - last["bid"]) / last["bid"] * 10_000
    forecasts = ask(ticks, HORIZONS, [max(0.01, COST_SPREADS * spread_bps)], series=SYMBOL)
    return [f"{SYMBOL} {each['horizon']}: {each['status']} {each['reason'] or ''}".rstrip() for each in forecasts], last["ms"]


def main() -> None:
    try:
        settings()
    except Refused as refused:
        raise SystemExit(str(refused)) from refused
    if not mt5.initialize():
        raise SystemExit(f"MetaTrader 5 does not answer: {mt5.last_error()}")
    try:
        if not mt5.symbol_select(SYMBOL, True):
            raise SystemExit(f"MetaTrader 5 has no symbol {SYMBOL}: {mt5.last_error()}")
        last_ms = done = 0
        while ROUNDS == 0 or done < ROUNDS:
            done += 1
            try:
                lines, last_ms = lines_of(last_ms)
            except Refused as refused:
                lines = [f"no forecast: {refused}"]
            print("\n".join(lines), flush=True)
            time.sleep(EVERY_S)
    finally:
        mt5.shutdown()


if __name__ == "__main__":
    main()
