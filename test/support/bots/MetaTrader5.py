"""Stands for the package MetaTrader5: the ticks of FEED, a JSON list of [milliseconds, price], with a spread.

HELD: so many of them come later, one with each call. FAULTS: a JSON list of what a call does instead, in order; null: nothing else.
"""

import json
import os

COPY_TICKS_ALL = -1
FEED = json.load(open(os.environ["FEED"]))
FAULTS = json.loads(os.environ.get("FAULTS", "[]"))
held = int(os.environ.get("HELD", "0"))
is_open = False


def initialize():
    global is_open
    is_open = True
    return True


def symbol_select(symbol, enable):
    return symbol == "EURUSD" and enable


def last_error():
    return (1, "Success")


def copy_ticks_range(symbol, date_from, date_to, flags):
    assert is_open and symbol == "EURUSD" and date_from < date_to and flags == COPY_TICKS_ALL
    global held
    fault = FAULTS.pop(0) if FAULTS else None
    if fault == "down":
        return None
    if fault == "broken":
        raise OSError("IPC timeout")
    if fault != "closed market":
        held = max(0, held - 1)
    ticks = [{"time_msc": ms, "bid": price - 0.01, "ask": price + 0.01} for ms, price in FEED[: len(FEED) - held]]
    return [{"time_msc": FEED[0][0], "bid": 0.0, "ask": 0.0}, *ticks]


def shutdown():
    assert is_open
    print("closed", flush=True)
