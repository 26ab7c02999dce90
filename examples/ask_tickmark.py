"""One call of tickmark for the bots in this folder. Python 3.9 or newer, no packages.

Settings (environment): TICKMARK_URL, default http://127.0.0.1:8080, and TICKMARK_KEY, of POST /signup.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request

#: Fewest and most observed ticks of a request; 500 are recommended.
LEAST_TICKS = 199
MOST_TICKS = 3000


class Refused(Exception):
    """The service answered with an error, or not at all."""


def ask(ticks: list[dict], horizons: list[str], thresholds_bps: list[float] | None = None, series: str | None = None) -> list[dict]:
    """A forecast for each horizon ("60s") and threshold.

    ticks: observed ticks, oldest first, each with "ms" (integer milliseconds since 1970) and either "price" or "bid" and "ask".
    series: counts the forecasts in the track record of the key.
    """
    body: dict[str, list] = {"Timestamp": [tick["ms"] for tick in ticks]}
    if "price" in ticks[0]:
        body["Price"] = [tick["price"] for tick in ticks]
    else:
        body["Bid"] = [tick["bid"] for tick in ticks]
        body["Ask"] = [tick["ask"] for tick in ticks]
    query = {"horizons": ",".join(horizons)}
    if thresholds_bps is not None:
        query["min_move_bps"] = ",".join(f"{bps:g}" for bps in thresholds_bps)
    if series is not None:
        query["series"] = series
    base = os.environ.get("TICKMARK_URL", "http://127.0.0.1:8080").rstrip("/")
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['TICKMARK_KEY']}"}
    url = f"{base}/auth/ti-tick?{urllib.parse.urlencode(query, safe=',')}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)["forecasts"]
    except urllib.error.HTTPError as error:
        problem = json.loads(error.read() or b"{}")
        raise Refused(f"{problem.get('code', error.code)}: {problem.get('detail', error.reason)}") from error
    except OSError as error:
        raise Refused(f"{base} does not answer: {error}") from error
