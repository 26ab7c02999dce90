"""A Freqtrade strategy that asks tickmark before each entry, and enters only where a move larger than the cost is identified.

tickmark says nothing about the direction: populate_entry_trend is the place for your own rule. Copy this file and ask_tickmark.py to
user_data/strategies, set TICKMARK_KEY (and TICKMARK_URL), and try it with `freqtrade trade --dry-run --strategy TickmarkFilter`.
It collects the best bid and ask at each loop of the bot; entries are refused until there are 199 of a pair (about 17 minutes at 5 s).

Freqtrade enters a trade if confirm_trade_entry raises any exception. So this one catches all of them: without a forecast of ticks up to
this loop, it answers False and logs why. Without a TICKMARK_KEY, the bot does not start.
"""

import logging
import math
import os
import sys
from collections import defaultdict, deque
from pathlib import Path

for folder in (Path(__file__).resolve().parent, Path(__file__).resolve().parent.parent):
    sys.path.insert(0, str(folder))
from ask_tickmark import LEAST_TICKS, Refused, ask, is_mark, settings
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
        settings()
        self.ticks: dict = defaultdict(lambda: deque(maxlen=500))
        #: Pairs whose last tick is of this loop.
        self.fresh: set = set()

    def bot_loop_start(self, current_time, **kwargs) -> None:
        self.fresh = set()
        ms = int(current_time.timestamp() * 1000)
        for pair in self.dp.current_whitelist():
            try:
                ticker = self.dp.ticker(pair)
                bid, ask_price = float(ticker["bid"]), float(ticker["ask"])
                if not (0 < bid < math.inf and 0 < ask_price < math.inf):
                    raise ValueError(f"bid {bid}, ask {ask_price}")
            except Exception as error:
                log.warning("%s: no ticker, so no entry: %r", pair, error)
                continue
            ticks = self.ticks[pair]
            if ticks and ms < ticks[-1]["ms"]:
                log.warning("%s: the clock went back, so the ticks start again", pair)
                ticks.clear()
            ticks.append({"ms": ms, "bid": bid, "ask": ask_price})
            self.fresh.add(pair)

    def populate_indicators(self, dataframe, metadata: dict):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata: dict):
        # Your own rule: here, every candle may enter, and the filter decides.
        dataframe["enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata: dict):
        dataframe["exit_long"] = 0
        return dataframe

    def confirm_trade_entry(self, pair, *args, **kwargs) -> bool:
        try:
            return self.is_marked(pair)
        except Refused as refused:
            log.warning("%s: no forecast, so no entry: %s", pair, refused)
        except Exception:
            log.exception("%s: no forecast, so no entry", pair)
        return False

    def is_marked(self, pair: str) -> bool:
        ticks = list(self.ticks[pair])
        if len(ticks) < LEAST_TICKS:
            log.info("%s: %s ticks; entries start at %s", pair, len(ticks), LEAST_TICKS)
            return False
        if pair not in self.fresh:
            raise Refused("the last tick is not of this loop")
        (forecast,) = ask(ticks, [HORIZON], [COST_BPS], series=pair.replace("/", "-"))
        log.info("%s: %s %s", pair, forecast["status"], forecast["reason"] or "")
        return is_mark(forecast)
