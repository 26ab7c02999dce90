"""Calls a strategy as Freqtrade does, with the ticks of FEED, and prints when it would enter: argv[2] more entries at the end."""

import json
import logging
import os
import sys
from datetime import datetime, timezone

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
sys.path.insert(0, sys.argv[1])
from freqtrade.strategy import strategy_safe_wrapper
from TickmarkFilter import TickmarkFilter

PAIR = "BTC/USDT"


class Provider:
    whitelist = [PAIR]
    ticker_of = None

    def current_whitelist(self):
        return self.whitelist

    def ticker(self, pair):
        return {"bid": self.price - 0.01, "ask": self.price + 0.01} if self.ticker_of is None else self.ticker_of()


strategy = TickmarkFilter({})
strategy.dp = provider = Provider()
assert strategy.populate_entry_trend(strategy.populate_indicators({}, {}), {}) == {"enter_long": 1}
assert strategy.populate_exit_trend({}, {}) == {"exit_long": 0}


def confirm(pair=PAIR):
    now = datetime.now(timezone.utc)
    call = strategy_safe_wrapper(strategy.confirm_trade_entry, default_retval=True)
    return call(
        pair=pair, order_type="limit", amount=1.0, rate=1.0, time_in_force="GTC", current_time=now, entry_tag=None, side="long"
    )


def loop(ms):
    strategy_safe_wrapper(strategy.bot_loop_start, supress_error=True)(current_time=datetime.fromtimestamp(ms / 1000, timezone.utc))


for i, (ms, provider.price) in enumerate(json.load(open(os.environ["FEED"]))):
    loop(ms)
    if i == 100:
        print("early", confirm())
print("late", confirm())
for number in range(int(sys.argv[2]) if len(sys.argv) > 2 else 0):
    print("entry", confirm())
# What the exchange may do: the ticks before it are old, and no mark of them is one of now.
for name, value in {
    "down": lambda: 1 / 0,
    "a ticker without prices": dict,
    "a ticker of NaN": lambda: {"bid": float("nan"), "ask": 1.0},
    "a ticker that is none": lambda: None,
}.items():
    provider.ticker_of = value
    loop(ms := ms + 1000)
    print(f"exchange {name}:", confirm())
provider.ticker_of = None
provider.whitelist = ["ETH/USDT"]
loop(ms + 1000)
print("not in the whitelist:", confirm())
provider.whitelist = None
loop(ms + 2000)
print("no whitelist:", confirm())
provider.whitelist = [PAIR]
loop(ms + 3000)
print("back:", confirm())
for name, key in {"wrong key": "tkm_live_wrong", "key with a line end": "tkm_x\n", "key of other letters": "ключ"}.items():
    os.environ["TICKMARK_KEY"] = key
    print(name, confirm())
del os.environ["TICKMARK_KEY"]
print("no key", confirm())
os.environ["TICKMARK_KEY"] = "tkm_x"
for name, url in {"refused port": "http://127.0.0.1:1", "no scheme": "127.0.0.1:8080", "no host": "http://"}.items():
    os.environ["TICKMARK_URL"] = url
    print(name, confirm())
loop(ms - 3_600_000)
print("clock went back:", confirm())
