"""A Freqtrade strategy that asks tickmark before each entry, and enters only where a move larger than the cost is identified.

tickmark says nothing about the direction: populate_entry_trend is the place for your own rule. Copy this file and ask_tickmark.py to
user_data/strategies, set TICKMARK_KEY (and TICKMARK_URL), and try it with `freqtrade trade --dry-run --strategy TickmarkFilter`.
It collects the best bid and ask at each loop of the bot; entries are refused until there are 199 of a pair (about 17 minutes at 5 s).
"""

import logging
import os
import sys
from collections import defaultdict, deque
from pathlib import Path

for folder in (Path(__file__).resolve().parent, Path(__file__).resolve().parent.parent):
    sys.path.insert(0, str(folder))
from ask_tickmark import LEAST_TICKS, Refused, ask
from freqtrade.strategy import IStrategy

HORIZON = os.environ.get("TICKMARK_HORIZON", "5m")
COST_BPS = float(os.environ.get("TICKMARK_COST_BPS", "10"))
log = logging.getLogger(__name__)


class TickmarkFilter(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "1m"
    can_short = False
    process_only_new_candles = True
    minimal_roi = {"0": 0.004, "10": 0}
    stoploss = -0.01

    def __init__(self, config: dict) -> None:
        super().__init__(config)
        self.ticks: dict = defaultdict(lambda: deque(maxlen=500))

    def bot_loop_start(self, current_time, **kwargs) -> None:
        ms = int(current_time.timestamp() * 1000)
        for pair in self.dp.current_whitelist():
            ticker = self.dp.ticker(pair)
            if ticker.get("bid") and ticker.get("ask"):
                self.ticks[pair].append({"ms": ms, "bid": ticker["bid"], "ask": ticker["ask"]})

    def populate_indicators(self, dataframe, metadata: dict):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata: dict):
        # Your own rule: here, every candle may enter, and the filter decides.
        dataframe["enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata: dict):
        dataframe["exit_long"] = 0
        return dataframe

    def confirm_trade_entry(self, pair, order_type, amount, rate, time_in_force, current_time, entry_tag, side, **kwargs) -> bool:
        ticks = list(self.ticks[pair])
        if len(ticks) < LEAST_TICKS:
            log.info("%s: %s ticks; entries start at %s", pair, len(ticks), LEAST_TICKS)
            return False
        try:
            (forecast,) = ask(ticks, [HORIZON], [COST_BPS], series=pair.replace("/", "-"))
        except Refused as refused:
            log.warning("%s: no forecast, so no entry: %s", pair, refused)
            return False
        log.info("%s: %s %s", pair, forecast["status"], forecast["reason"] or "")
        return forecast["status"] == "identified"
