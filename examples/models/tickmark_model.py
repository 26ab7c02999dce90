"""Answers the windows of `tickmark evaluate FILES --model 'python my_model.py'`. In my_model.py: `serve(probability_of)`."""

import json
import sys
from collections import deque


def serve(probability_of, keep=3000, on_ticks=None, on_outcome=None):
    """Calls `probability_of(window)` for each window: a dict with `times_us` and `prices` (the last `keep` ticks), `time_us`,
    `horizon_ms`, `threshold_bps` and `series`. It returns the probability that the price moves by more than the threshold.
    Optional: `on_ticks(times_us, prices)` with every tick of the series once, `on_outcome(id, moved, move_bps)` with outcomes that are known.
    """
    times, prices = deque(maxlen=keep), deque(maxlen=keep)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            times.extend(message["times_us"])
            prices.extend(message["prices"])
            if on_ticks:
                on_ticks(message["times_us"], message["prices"])
            continue
        for outcome in message["outcomes"] if on_outcome else ():
            on_outcome(**outcome)
        probability = probability_of({**message, "times_us": times, "prices": prices})
        print(json.dumps({"id": message["id"], "probability": float(probability)}), flush=True)
