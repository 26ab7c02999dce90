"""Stands for the package ccxt: the trades of FEED, a JSON list of [milliseconds, price], a page further with each call.

FAULTS: a JSON list of what a call does instead, in order; null: nothing else.
"""

import json
import os

FEED = json.load(open(os.environ["FEED"]))
FAULTS = json.loads(os.environ.get("FAULTS", "[]"))
PAGE = 150


class NetworkError(Exception):
    pass


class recorded:
    def __init__(self, settings):
        assert settings == {"enableRateLimit": True}
        self.read = 0

    def fetch_trades(self, symbol, since=None, limit=None):
        assert (symbol, limit) == ("BTC/USDT", 1000)
        fault = FAULTS.pop(0) if FAULTS else None
        if fault == "down":
            raise NetworkError("recorded GET https://exchange 502 Bad Gateway <html>")
        if fault == "nothing new":
            return []
        if fault == "broken":
            return [{"id": "1", "timestamp": None, "price": None}]
        self.read = min(len(FEED), self.read + PAGE)
        trades = [{"id": str(i), "timestamp": ms, "price": price} for i, (ms, price) in enumerate(FEED[: self.read])]
        return [trade for trade in trades if since is None or trade["timestamp"] >= since]
