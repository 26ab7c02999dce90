"""Calls a strategy as Freqtrade does, with the ticks of FEED, and prints when it would enter."""

import json
import logging
import os
import sys
from datetime import datetime, timezone

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
sys.path.insert(0, sys.argv[1])
from TickmarkFilter import TickmarkFilter


class Provider:
    def current_whitelist(self):
        return ["BTC/USDT"]

    def ticker(self, pair):
        return {"bid": self.price - 0.01, "ask": self.price + 0.01}


strategy = TickmarkFilter({})
strategy.dp = provider = Provider()
assert strategy.populate_entry_trend(strategy.populate_indicators({}, {}), {}) == {"enter_long": 1}
assert strategy.populate_exit_trend({}, {}) == {"exit_long": 0}


def confirm():
    now = datetime.now(timezone.utc)
    return strategy.confirm_trade_entry("BTC/USDT", "limit", 1.0, 1.0, "GTC", now, None, "long")


for i, (ms, provider.price) in enumerate(json.load(open(os.environ["FEED"]))):
    strategy.bot_loop_start(datetime.fromtimestamp(ms / 1000, timezone.utc))
    if i == 100:
        print("early", confirm())
print("late", confirm())
os.environ["TICKMARK_KEY"] = "tkm_live_wrong"
print("wrong key", confirm())
