"""A client over replies that are known before, without a service."""

from typing import Any

import httpx

from tickmark import Tickmark

US = 1_704_187_920_000_000  # 2024-01-02 09:32:00
MS = US // 1000
BODY: Any = {"Timestamp": ["a", "b"], "Price": [1, 0]}
ANSWER = {"a": {"trend_identified": None}, "b": {"trend_identified": 1}}


def over(*replies: Any, **options: Any) -> tuple[Tickmark, list[httpx.Request]]:
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        reply = replies[min(len(sent), len(replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return httpx.Response(reply[0], json=reply[1], headers=reply[2] if len(reply) > 2 else None)

    return Tickmark("http://x", "k", transport=httpx.MockTransport(answer), **options), sent


def refusal(code: str, retry_after: str = "0") -> tuple[int, dict[str, Any], dict[str, str]]:
    return 503, {"code": code, "detail": "d", "status": 503, "requestId": "r"}, {"retry-after": retry_after}
