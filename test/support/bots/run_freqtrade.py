"""Calls a strategy as Freqtrade does, with one-minute candles of FEED, and prints when it would enter: argv[2] more entries at the end."""

import json
import logging
import os
import sys
from datetime import datetime, timedelta, timezone

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
sys.path.insert(0, sys.argv[1])
from freqtrade.strategy import strategy_safe_wrapper
from TickmarkFilter import TickmarkFilter

PAIR = "BTC/USDT"
MINUTE = timedelta(minutes=1)


class Frame(dict):
    """The part of a DataFrame that a strategy uses."""

    def tail(self, count):
        return Frame({name: column[-count:] for name, column in self.items()})


def candles(count):
    """The last ones before NOW; their prices are those of FEED, five to a candle."""
    prices = [price for _, price in json.load(open(os.environ["FEED"]))]
    frame = Frame({name: [] for name in ("date", "open", "high", "low", "close", "volume")})
    for i in range(count):
        part = [prices[(5 * i + k) % len(prices)] for k in range(6)]
        row = (NOW - (count - i) * MINUTE, part[0], max(part), min(part), part[-1], 1.0)
        for name, value in zip(frame, row):
            frame[name].append(value)
    return frame


NOW = datetime.now(timezone.utc).replace(second=0, microsecond=0)


class Provider:
    frame = None
    frame_of = None

    def current_whitelist(self):
        return [PAIR]

    def get_pair_dataframe(self, pair, timeframe):
        assert (pair, timeframe) == (PAIR, "1m")
        return self.frame if self.frame_of is None else self.frame_of()


strategy = TickmarkFilter({})
strategy.dp = provider = Provider()
assert strategy.informative_pairs() == [(PAIR, "1m")]
assert strategy.populate_entry_trend(strategy.populate_indicators({}, {}), {}) == {"enter_long": 1}
assert strategy.populate_exit_trend({}, {}) == {"exit_long": 0}


def confirm(now=NOW + timedelta(seconds=5)):
    call = strategy_safe_wrapper(strategy.confirm_trade_entry, default_retval=True)
    return call(
        pair=PAIR, order_type="limit", amount=1.0, rate=1.0, time_in_force="GTC", current_time=now, entry_tag=None, side="long"
    )


provider.frame = candles(101)
print("early", confirm())
provider.frame = candles(700)
print("late", confirm())
for number in range(int(sys.argv[2]) if len(sys.argv) > 2 else 0):
    print("entry", confirm())
# What an exchange and Freqtrade may give.
for name, value in {
    "down": lambda: 1 / 0,
    "a frame without candles": lambda: Frame({name: [] for name in ("date", "open", "high", "low", "close")}),
    "a frame without columns": Frame,
    "no frame": lambda: None,
    "a price of NaN": lambda: Frame({**provider.frame, "close": [*provider.frame["close"][:-1], float("nan")]}),
}.items():
    provider.frame_of = value
    print(f"exchange {name}:", confirm())
provider.frame_of = None
print("candles of an hour ago:", confirm(NOW + timedelta(hours=1)))
print("candles of the future:", confirm(NOW - timedelta(hours=1)))
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
