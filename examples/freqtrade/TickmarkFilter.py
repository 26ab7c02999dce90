"""A Freqtrade strategy that asks tickmark before each entry, and enters only where a move larger than the cost is identified.

tickmark says nothing about the direction: populate_entry_trend is the place for your own rule. Copy this file and ask_tickmark.py to
user_data/strategies, set TICKMARK_KEY (and TICKMARK_URL), and try it with `freqtrade trade --dry-run --strategy TickmarkFilter`.
The forecast is made from the one-minute candles of the pair, whatever the timeframe of the strategy: informative_pairs makes Freqtrade load them.
They have ended, and their date is when they began (bar_time=open).

Freqtrade enters a trade if confirm_trade_entry raises any exception. So this one catches all of them: without a forecast from candles up to
the last minute, it answers False and logs why; in a backtest, too. Without a TICKMARK_KEY, the bot does not start.
"""

import logging
import os
import sys
from pathlib import Path

for folder in (Path(__file__).resolve().parent, Path(__file__).resolve().parent.parent):
    sys.path.insert(0, str(folder))
from ask_tickmark import LEAST_TICKS, Refused, ask, is_mark, settings
from freqtrade.strategy import IStrategy

CANDLES = "1m"
CANDLE_S = 60
HORIZON = os.environ.get("TICKMARK_HORIZON", "30m")
COST_BPS = float(os.environ.get("TICKMARK_COST_BPS", "10"))
log = logging.getLogger(__name__)


class TickmarkFilter(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "5m"
    can_short = False
    process_only_new_candles = True
    startup_candle_count = 500
    minimal_roi = {"0": 0.004, "30": 0}
    stoploss = -0.01

    def __init__(self, config: dict) -> None:
        super().__init__(config)
        settings()

    def informative_pairs(self):
        return [(pair, CANDLES) for pair in self.dp.current_whitelist()]

    def populate_indicators(self, dataframe, metadata: dict):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata: dict):
        # Your own rule: here, every candle may enter, and the filter decides.
        dataframe["enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata: dict):
        dataframe["exit_long"] = 0
        return dataframe

    def confirm_trade_entry(self, pair, order_type, amount, rate, time_in_force, current_time, *args, **kwargs) -> bool:
        try:
            return self.is_marked(pair, current_time.timestamp())
        except Refused as refused:
            log.warning("%s: no forecast, so no entry: %s", pair, refused)
        except Exception:
            log.exception("%s: no forecast, so no entry", pair)
        return False

    def is_marked(self, pair: str, now_s: float) -> bool:
        frame = self.dp.get_pair_dataframe(pair=pair, timeframe=CANDLES).tail(500)
        columns = [frame[name] for name in ("open", "high", "low", "close")]
        bars = [
            {"ms": round(date.timestamp() * 1000), "open": float(first), "high": float(most), "low": float(least), "close": float(last)}
            for date, first, most, least, last in zip(frame["date"], *columns)
        ]
        if len(bars) < LEAST_TICKS:
            log.info("%s: %s candles; entries start at %s", pair, len(bars), LEAST_TICKS)
            return False
        ended_s = bars[-1]["ms"] / 1000 + CANDLE_S
        # In a backtest, the frame has candles of the future.
        if not -CANDLE_S < now_s - ended_s < 3 * CANDLE_S:
            raise Refused(f"the last candle ended {now_s - ended_s:.0f} s ago")
        (forecast,) = ask(bars, [HORIZON], [COST_BPS], series=f"{pair.replace('/', '-')}-{CANDLES}", bar_time="open")
        log.info("%s: %s %s", pair, forecast["status"], forecast["reason"] or "")
        return is_mark(forecast)
