"""Without a service: stamps, retries, errors, CSV."""

import asyncio
import base64
import gzip
import hashlib
import hmac
import inspect
import json
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

import tickmark
import tickmark._answers as _answers
import tickmark._sync_account as sync
from tickmark._options import QUERY_NAMES
from tickmark import (
    ERROR_CODES,
    ApiError,
    AsyncTickmark,
    ConnectionFailed,
    CsvError,
    Forecast,
    TickError,
    Tickmark,
    TickmarkError,
    TimedOut,
    UnexpectedAnswer,
    UsageError,
    __version__,
    build_bar_body,
    build_tick_body,
    series_ticks,
    verify_webhook,
)
from tickmark._version import COMMIT
from tickmark._wire import PASSING_CODES
from tickmark._calls import split_batch
from tickmark._lines import Lines, Windows
from tickmark.ticks import price_of

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


def test_stamps_are_exact() -> None:
    at = datetime(2024, 1, 2, 9, 32, 0, 478_123)
    zoned = at.replace(tzinfo=timezone.utc).astimezone(timezone(timedelta(hours=5)))
    assert build_tick_body([(at, 1.5), (zoned, 2)], 1_704_187_980_000_000) == {
        "Timestamp": ["2024-01-02 09:32:00.478123"] * 2 + ["2024-01-02 09:33:00.000000"],
        "Price": [1.5, 2.0, 0.0],
    }
    assert build_tick_body([], 1_704_187_980_000_000)["Timestamp"] == ["2024-01-02 09:33:00.000"]
    with pytest.raises(ValueError):
        build_tick_body([(-1, 1)], 1)


def test_quotes_are_sent_as_they_are_and_have_the_mid_of_the_service() -> None:
    quotes = [(1.1, 1.3), (1.0000000005, 1.0000000006), (4503599.627370495, 4503599.627370496), (2.5e-10, 7.5e-10), (1, 2)]
    mids = [1.2, 1.000000001, 4503599.627370496, 5e-10, 1.5]
    ticks: list[Any] = [(US + i, bid, ask) for i, (bid, ask) in enumerate(quotes)]
    body: Any = build_tick_body(ticks, US + 9)
    assert (body["Bid"], body["Ask"]) == ([*(bid for bid, _ in quotes), 0.0], [*(ask for _, ask in quotes), 0.0])
    assert "Price" not in body
    mixed: Any = build_tick_body([*ticks, (US + 8, 7.0)], US + 9)
    assert (mixed["Price"], "Bid" in mixed) == ([*mids, 7.0, 0.0], False)
    text = "\n".join(["time,bid,ask", *(f"2024-01-02 09:32:0{i},{bid!r},{ask!r}" for i, (bid, ask) in enumerate(quotes))])
    rows = Lines().push(text + "\n")
    assert ([row[1:] for row in rows], [price_of(row) for row in rows]) == (quotes, mids)
    window: Any = Windows(5, None, 60).push(text + "\n")[0]
    assert (window[0]["Bid"][:5], window[3]) == ([bid for bid, _ in quotes], mids[-1])


@pytest.mark.parametrize("code", ERROR_CODES)
def test_only_what_passes_is_tried_again(code: str) -> None:
    client, sent = over(refusal(code), (200, ANSWER))
    if code in PASSING_CODES:
        assert client.forecast(BODY).trend_identified == 1
    else:
        with pytest.raises(ApiError) as caught:
            client.forecast(BODY)
        assert caught.value.code == code
    assert len(sent) == (2 if code in PASSING_CODES else 1)


def test_what_may_have_been_done_is_sent_once() -> None:
    login = ("a", "b")
    for name, args in {"sign_up": login, "rotate_key": (), "issue_key": (login,), "change_password": (login, "n"), "delete_account": (login,)}.items():
        client, sent = over(refusal("service.not_ready"))
        with pytest.raises(ApiError):
            getattr(client, name)(*args)
        assert len(sent) == 1, name


@pytest.mark.parametrize("id", ["", ".", ".."])
def test_an_id_that_would_call_another_route_is_refused(id: str) -> None:
    client, sent = over((200, {"id": "..."}))
    login = ("a", "b")
    for call in (lambda: client.revoke_key(login, id), lambda: client.remove_webhook(login, id), lambda: client.model(id)):
        with pytest.raises(ValueError, match="id must not be empty"):
            call()
    assert sent == []
    client.revoke_key(login, "...")
    assert sent[0].url.path == "/account/keys/..."


@pytest.mark.parametrize("key", ["tkm_live_x\n", "tkm_live_x y", "ключ", ""])
def test_a_key_that_no_header_can_have_is_refused_without_its_value(key: str) -> None:
    for kind in (Tickmark, AsyncTickmark):
        with pytest.raises(ValueError) as caught:
            kind(api_key=key)
        assert str(caught.value) == "api_key must be visible ASCII characters without white space"


def test_thresholds_of_other_number_types_are_sent_as_numbers() -> None:
    class Float64(float):
        def __repr__(self) -> str:
            return f"np.float64({float(self)})"

    bps = Float64(2.5)
    client, sent = over((200, ANSWER))
    client.forecast(BODY, min_move_bps=bps)
    over_batch, sent_batch = over((200, {"results": [{"body": ANSWER}]}))
    over_batch.forecast_batch([BODY], min_move_bps=bps)
    over_horizons, sent_horizons = over((200, {"forecasts": [{"trend_identified": None, "status": "none"}] * 2}))
    over_horizons.forecast_horizons(BODY, ["10s"], min_moves_bps=[bps, 1])
    queries = [request.url.params["min_move_bps"] for request in [*sent, *sent_batch, *sent_horizons]]
    assert queries == ["2.5", "2.5", "2.5,1.0"]


def test_the_cost_and_the_smallest_probability_are_sent_in_every_form() -> None:
    options: Any = {"min_probability": 0.4}
    client, sent = over((200, ANSWER))
    client.forecast(BODY, min_move_bps="cost", **options)
    over_batch, sent_batch = over((200, {"results": [{"body": ANSWER}]}))
    over_batch.forecast_batch([BODY], min_move_bps="cost", **options)
    over_horizons, sent_horizons = over((200, {"forecasts": [{"trend_identified": None, "status": "none"}] * 2}))
    over_horizons.forecast_horizons(BODY, ["10s"], min_moves_bps=[1, "cost"], **options)
    queries = [request.url.params for request in [*sent, *sent_batch, *sent_horizons]]
    assert [query["min_move_bps"] for query in queries] == ["cost", "cost", "1.0,cost"]
    assert [query["min_probability"] for query in queries] == ["0.4"] * 3
    rated, sent_rated = over((200, ANSWER))
    rated.forecast(BODY, series="s", mark_rate=0.05)
    assert dict(sent_rated[0].url.params) == {"answer": "summary", "mark_rate": "0.05", "series": "s"}
    with pytest.raises(ValueError, match="min_move_bps must be a number; it is 'costs'"):
        client.forecast(BODY, min_move_bps="costs")  # type: ignore[arg-type]


def test_the_memory_of_a_series_can_be_left_out() -> None:
    client, sent = over((200, ANSWER))
    client.forecast(BODY, series="s", memory_off=True)
    assert str(sent[0].url) == "http://x/auth/ti-tick?answer=summary&series=s&memory=off"


def test_a_target_of_alerts_has_a_rule_and_a_format() -> None:
    answer = {"message": "m", "id": "i", "url": "u", "events": [], "created_at": "t", "secret": "s"}
    client, sent = over((201, answer))
    rule: Any = {"min_probability": 0.4, "quiet_hours": "22:00-06:00"}
    client.add_webhook(("a@example.com", "p"), "https://x", rule=rule, format="telegram", chat_id="42")
    client.add_webhook(("a@example.com", "p"), "https://x", ["record.worse"])
    assert [json.loads(request.content) for request in sent] == [
        {"url": "https://x", "rule": rule, "format": "telegram", "chat_id": "42"},
        {"url": "https://x", "events": ["record.worse"]},
    ]


def test_ranges_and_the_chance_above_a_price_can_be_asked_for() -> None:
    band = {"level": 0.9, "move_bps": 2.0, "low": 1.0, "high": 2.0, "reason": None, "coverage": None}
    last = {**ANSWER[list(ANSWER)[-1]], "range": [band]}
    client, sent = over((200, {**ANSWER, list(ANSWER)[-1]: last}))
    made = client.forecast(BODY, price_range=[0.5, 0.9], above=1.085)
    assert sent[0].url.params["range"] == "0.5,0.9"
    assert sent[0].url.params["above"] == "1.085"
    assert (made.range, made.above) == ([band], None)


def test_an_answer_for_epoch_numbers_has_them_as_texts() -> None:
    for last in (2_000, 2_000.0):
        body: Any = {"Timestamp": [1_000, last], "Price": [1, 0]}
        made = over((200, {"1000": {"trend_identified": None}, "2000": {"trend_identified": 1}}))[0].forecast(body)
        assert (made.timestamp, made.trend_identified) == ("2000", 1)
        short = over((200, {"timestamp": "2000", "trend_identified": 1, "status": "identified", "reason": None}))[0].forecast(body, last_only=True)
        assert (short.timestamp, short.answer) == ("2000", {"2000": {"trend_identified": 1}})


@pytest.mark.parametrize("timeout_s", [float("inf"), 1e12])
def test_a_time_limit_beyond_all_timers_is_none(timeout_s: float) -> None:
    limits = []

    def answer(request: httpx.Request) -> httpx.Response:
        limits.append(request.extensions["timeout"]["read"])
        return httpx.Response(200, json={"models": []})

    Tickmark("http://x", timeout_s=timeout_s, transport=httpx.MockTransport(answer)).models()
    assert limits == [None]


def test_a_wait_beyond_all_timers_is_not_begun() -> None:
    client, sent = over(refusal("limit.exceeded", "99999999999"), timeout_s=None)
    with pytest.raises(ApiError):
        client.forecast(BODY)
    assert len(sent) == 1


def test_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(sync, "sleep", waited.append)
    over(refusal("limit.exceeded", "7"), httpx.ConnectError("gone"), (200, ANSWER))[0].forecast(BODY)
    assert 7 <= waited[0] <= 7.25 and 0.1 <= waited[1] <= 0.4
    client, sent = over(refusal("limit.exceeded", "3600"))
    with pytest.raises(ApiError) as caught:
        client.forecast(BODY)
    assert (caught.value.retry_after_s, len(sent)) == (3600, 1)
    client, sent = over(refusal("limit.exceeded"), retries=2)
    with pytest.raises(ApiError):
        client.forecast(BODY)
    assert len(sent) == 3


def test_other_failures() -> None:
    with pytest.raises(ConnectionFailed):
        over(httpx.ConnectError("gone"), retries=0)[0].models()
    with pytest.raises(TimedOut):
        over(httpx.ReadTimeout("slow"))[0].models()
    with pytest.raises(UnexpectedAnswer):
        over((404, "page"))[0].models()


def test_batches_split() -> None:
    assert [len(group) for group in split_batch(["x"] * 130)] == [64, 64, 2]
    assert [len(group) for group in split_batch(["x" * 5_000_000] * 2)] == [1, 1]
    assert split_batch([]) == []


def test_csv_however_cut() -> None:
    text = "\ufefftimestamp,price\r\n2024-01-02 09:32:00.478,1.25\n\n2024-01-02T09:32:01Z,1.5\n".encode()
    for cut in range(len(text)):
        lines = Lines()
        assert lines.push(text[:cut]) + lines.push(text[cut:]) == [(1_704_187_920_478_000, 1.25), (1_704_187_921_000_000, 1.5)]
    for line in ["1704187921,1.5", "1704187921000;1,5", "1704187921000000\t1.5", 'S,"Bid","Ask","Time"\nX,1.25,1.75,"2024-01-02 09:32:01"']:
        assert [(row[0], price_of(row)) for row in Lines().push(line + "\n")] == [(1_704_187_921_000_000, 1.5)]
    for line in ["a", "time,volume", "time,price\nx,1", "time,price\n2024-01-02 09:32:01,"]:
        with pytest.raises(CsvError, match=r"line \d"):
            Lines().push(line + "\n")


def test_is_typed() -> None:
    assert (Path(sync.__file__).parent / "py.typed").exists()


def test_a_server_that_trickles_meets_the_time_limit() -> None:
    def trickle() -> Any:
        for _ in range(200):
            time.sleep(0.02)
            yield b" "

    client = Tickmark("http://x", "k", timeout_s=0.2, transport=httpx.MockTransport(lambda _: httpx.Response(200, content=trickle())))
    start = time.monotonic()
    with pytest.raises(TimedOut):
        client.models()
    assert time.monotonic() - start < 2


def test_bytes_that_are_no_json_are_told() -> None:
    client = Tickmark("http://x", "k", retries=0, transport=httpx.MockTransport(lambda _: httpx.Response(200, content=b"\xff<html>")))
    with pytest.raises(UnexpectedAnswer) as caught:
        client.models()
    assert "<html>" in str(caught.value)


@pytest.mark.parametrize("fault", ["stalls", "drips", "is cut"])
def test_a_body_that_never_ends_meets_the_time_limit_in_every_method(fault: str) -> None:
    """The server holds each body open until all calls have ended."""
    is_over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(200)
            self.send_header("content-length", "5000")
            self.end_headers()
            self.wfile.write(b'{"a"')
            while fault == "drips" and not is_over.wait(0.02):
                try:
                    self.wfile.write(b" ")
                except OSError:
                    break
            if fault == "stalls":
                is_over.wait()

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    login = ("a", "b")
    ticks = [(US + i, 1.0) for i in range(3)]
    calls: dict[str, Any] = {
        "sign_up": login, "forecast": (BODY,), "forecast_horizons": (BODY, ["10s"]), "forecast_batch": ([BODY],), "me": (), "track_record": (),
        "rotate_key": (), "list_keys": (login,), "issue_key": (login,), "revoke_key": (login, "x"), "models": (), "model": ("x",), "rules": (),
        "sample": (), "sample_forecast": (), "health": (), "liveness": (),
    }  # fmt: skip
    wanted = ConnectionFailed if fault == "is cut" else TimedOut
    options: Any = {"timeout_s": 60 if fault == "is cut" else 0.1, "retries": 0}
    try:
        with Tickmark(url, "k", **options) as client:
            for name, args in calls.items():
                with pytest.raises(wanted):
                    getattr(client, name)(*args)
            with pytest.raises(wanted):
                list(client.forecast_stream(ticks, window=2, horizon_s=1))

        async def ask() -> None:
            async with AsyncTickmark(url, "k", **options) as other:
                for name, args in calls.items():
                    with pytest.raises(wanted):
                        await getattr(other, name)(*args)

        asyncio.run(ask())
        assert not is_over.is_set()
    finally:
        is_over.set()
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("answer", [{}, {"a": {}}, {"b": {}}, {"b": None}, {"b": {"trend_identified": True}}, {"b": {"trend_identified": 0}}, {"forecasts": []}])
def test_an_answer_without_the_forecast_is_not_one(answer: Any) -> None:
    with pytest.raises(UnexpectedAnswer):
        over((200, answer))[0].forecast(BODY)
    with pytest.raises(UnexpectedAnswer):
        over((200, answer))[0].forecast_horizons(BODY, ["10s"])
    for results in ([{"body": answer}], [], None, [{}], [{"problem": {}}]):
        with pytest.raises(UnexpectedAnswer):
            over((200, {"results": results}))[0].forecast_batch([BODY])


@pytest.mark.parametrize("time", [US, US // 1000, datetime(2024, 1, 2, 9, 32)])
def test_units_of_time_are_those_of_the_service(time: Any) -> None:
    np = pytest.importorskip("numpy")
    times = [time, np.int64(time)] if isinstance(time, int) else [time]
    for each in times:
        body = build_tick_body([(each, np.float32(1.5))], each)
        assert {*body["Timestamp"]} == {"2024-01-02 09:32:00.000"}
        (cut,) = Windows(1, 1, 60).push((each, 1.0))
        assert cut[2] == US


@pytest.mark.parametrize("time", [0, -1, US // 10**6, US * 1000, 10**400, 1.7e12, True, None, "2024", datetime(9999, 1, 1), datetime(1960, 1, 1)])
def test_a_doubtful_time_is_refused_by_name(time: Any) -> None:
    for call in (lambda: build_tick_body([(US, 1.0), (time, 1.0)], US), lambda: build_tick_body([(US, 1.0)], time)):
        with pytest.raises(TickmarkError, match="milliseconds"):
            call()
    with pytest.raises(TickError, match="tick 0: time") as caught:
        build_tick_body([(time, 1.0)], US)
    assert caught.value.index == 0


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://x", "", "http://", "x"])
def test_a_url_that_cannot_be_right_is_refused_before_a_call(url: str) -> None:
    for kind in (Tickmark, AsyncTickmark):
        with pytest.raises(TickmarkError, match="base_url must be an address"):
            kind(url)


def test_url_and_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TICKMARK_URL", "http://here:1/")
    monkeypatch.setenv("TICKMARK_KEY", "k_env")
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json={"email": "a"})

    Tickmark(transport=httpx.MockTransport(answer)).me()
    Tickmark("http://there", "k", transport=httpx.MockTransport(answer)).me()
    assert [(str(each.url), each.headers["api-key"]) for each in sent] == [("http://here:1/auth/me", "k_env"), ("http://there/auth/me", "k")]
    assert sent[0].headers["user-agent"] == f"tickmark-client-python/{__version__}" + (f"+{COMMIT}" if COMMIT else "")


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 522])
def test_what_a_proxy_answers_for_a_while_is_tried_again(status: int) -> None:
    client, sent = over((status, "<html>", {"retry-after": "0"}), (200, ANSWER))
    assert client.forecast(BODY).trend_identified == 1 and len(sent) == 2


def test_verifies_alerts() -> None:
    secret, body, now = "whsec_" + base64.b64encode(b"x" * 32).decode(), b'{"type":"a"}', 1_704_187_920
    digest = hmac.new(b"x" * 32, f"msg_1.{now}.".encode() + body, hashlib.sha256).digest()
    good = {"Webhook-Id": "msg_1", "webhook-timestamp": str(now), "webhook-signature": "v1,other v1," + base64.b64encode(digest).decode()}
    assert verify_webhook(secret, good, body, now_s=now + 299) and verify_webhook(secret, good, body.decode(), now_s=now - 299)
    wrong: list[dict[str, Any]] = [{}, {**good, "webhook-timestamp": "²"}, {**good, "webhook-timestamp": "9" * 500}, {**good, "Webhook-Id": "msg_2"}]
    wrong += [{**good, "webhook-signature": value} for value in ("", "v1,é", None, "v1,", "v2," + base64.b64encode(digest).decode())]
    assert not any(verify_webhook(secret, headers, body, now_s=now) for headers in wrong)
    assert not verify_webhook(secret, good, body + b" ", now_s=now) and not verify_webhook(secret, good, body, now_s=now + 301)
    for bad in ("", "whsec_", "whsec_?", None):
        with pytest.raises(TickmarkError, match="secret must be"):
            verify_webhook(bad, good, body)  # type: ignore[arg-type]
    with pytest.raises(TickmarkError, match="body must be the bytes or the text"):
        verify_webhook(secret, good, {})  # type: ignore[arg-type]
    assert not verify_webhook(secret, {**good, "webhook-signature": "v1,\udc80"}, "\udc80", now_s=now)


def test_every_public_class_and_method_has_a_docstring() -> None:
    from tickmark import __all__ as names

    found = [getattr(tickmark, name) for name in names if isinstance(getattr(tickmark, name), type)]
    assert len(found) > 15
    methods = [getattr(each, name) for each in found for name in dir(each) if not name.startswith("_") and each.__module__.startswith("tickmark")]
    for each in [*found, *(method for method in methods if callable(method))]:
        assert inspect.getdoc(each), each


def test_one_value_in_place_of_a_list_is_refused() -> None:
    client, sent = over((200, ANSWER))
    calls: list[Callable[[], Any]] = [
        lambda: client.forecast_horizons(BODY, "60s"),
        lambda: client.forecast_horizons(BODY, horizon_bars=3),  # type: ignore[arg-type]
        lambda: client.forecast_horizons(BODY, horizon_bars="3"),  # type: ignore[arg-type]
        lambda: client.forecast_horizons(BODY, ["60s"], min_moves_bps="cost"),
        lambda: client.forecast_horizons(BODY, ["60s"], min_moves_bps=2.5),  # type: ignore[arg-type]
        lambda: client.forecast(BODY, price_range="0.5"),  # type: ignore[arg-type]
        lambda: client.forecast(BODY, price_range=0.5),  # type: ignore[arg-type]
        lambda: client.forecast_batch(BODY),  # type: ignore[arg-type]
        lambda: client.forecast_batch([BODY], series=3),  # type: ignore[arg-type]
        lambda: client.add_webhook(("a@example.com", "p"), "https://x", events="mark"),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(UsageError, match="must be a list; it is"):
            call()
    assert sent == []


def test_a_missing_key_is_told_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TICKMARK_KEY", raising=False)
    sent: list[httpx.Request] = []
    client = Tickmark("http://x", transport=httpx.MockTransport(lambda request: sent.append(request) or httpx.Response(200)))  # type: ignore[func-returns-value]
    for call in (lambda: client.forecast(BODY), client.me, lambda: client.forecast_batch([BODY]), client.track_record):
        with pytest.raises(UsageError, match="the client has no API key"):
            call()
    assert sent == []


def test_a_batch_has_series_horizons_and_outlook() -> None:
    summary = {"timestamp": list(ANSWER)[-1], "trend_identified": None, "status": "none", "reason": "below_threshold", "probability": 0.25}
    client, sent = over((200, {"results": [{"body": summary}] * 2}))
    first, _ = client.forecast_batch([BODY, BODY], series=["a", "b"], price_range=[0.5], above=2, memory_off=True, mark_rate=0.1)
    assert isinstance(first, Forecast)
    assert (first.status, first.reason, first.probability) == ("none", "below_threshold", 0.25)
    assert list(first.answer) == [str(stamp) for stamp in BODY["Timestamp"]]
    assert dict(sent[0].url.params) == {
        **{"answer": "summary", "series": "a,b", "range": "0.5", "above": "2.0", "memory": "off", "mark_rate": "0.1"},
    }
    forecast = {"trend_identified": None, "status": "none", "probability": 0.25}
    client, sent = over((200, {"results": [{"body": {"forecasts": [forecast] * 4}}]}))
    assert client.forecast_horizons_batch([BODY], ["10s", "60s"], min_moves_bps=[1, 2], series="a") == [[forecast] * 4]
    assert dict(sent[0].url.params) == {"horizons": "10s,60s", "min_move_bps": "1.0,2.0", "series": "a"}
    with pytest.raises(UsageError, match="one for each of 1 bodies; it is 2 names"):
        client.forecast_batch([BODY], series=["a", "b"])


def test_an_answer_that_grows_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_answers, "MOST_ANSWER_BYTES", 2**20)
    bomb = gzip.compress(b" " * 2**24)
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=bomb, headers={"content-encoding": "gzip"}))
    with pytest.raises(UnexpectedAnswer, match="longer than 1 MiB"):
        Tickmark("http://x", "k", transport=transport, retries=0).me()


def test_most_quotes_that_are_crossed_are_refused() -> None:
    quotes = [(MS + i, 2.0, 1.0) for i in range(3)]
    with pytest.raises(TickError, match="ask must not be below the bid"):
        build_tick_body(quotes, MS + 60_000)
    assert build_tick_body([(MS, 1.0, 2.0), *quotes[:1]], MS + 60_000)["Bid"] == [1.0, 2.0, 0.0]  # type: ignore[typeddict-item]


def test_times_of_numpy_and_frames_of_polars() -> None:
    np = pytest.importorskip("numpy")
    stamp = np.datetime64("2024-01-02T09:30:00.123456789")
    assert build_tick_body([(stamp, 1.0)], MS * 1000 + 10**9)["Timestamp"][0] == "2024-01-02 09:30:00.123456"
    with pytest.raises(UsageError, match="NaT"):
        build_tick_body([], np.datetime64("NaT"))
    with pytest.raises(UsageError, match=r"no integer: round it, in pandas by .astype\('int64'\)"):
        build_tick_body([(float(MS), 1.0)], MS)
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"timestamp": [datetime(2024, 1, 2, 9, 30, i) for i in range(3)], "price": [1.0, 2.0, 3.0]})
    assert [row[1] for row in series_ticks(frame)] == [1.0, 2.0, 3.0]
    assert build_tick_body(frame, MS + 60_000)["Price"] == [1.0, 2.0, 3.0, 0.0]  # type: ignore[typeddict-item]
    quotes = frame.rename({"price": "bid"}).with_columns(ask=pl.col("bid") + 1)
    assert [row[1:] for row in series_ticks(quotes, 1)] == [(3.0, 4.0)]
    bars = pl.DataFrame({"date": [MS, MS + 60_000], "close": [1.0, 2.0]})
    assert build_bar_body(bars)["Close"] == [1.0, 2.0]
    for wrong, words in ((frame.rename({"timestamp": "t"}), "timestamp and price"), (frame.lazy(), "collect"), ([1], "polars")):
        with pytest.raises(UsageError, match=words):
            series_ticks(wrong)


def test_every_option_is_sent_by_its_name_and_others_are_refused() -> None:
    samples = {"text": "a", "list": [0.5, 0.9], "number": 2.5}
    client, sent = over((200, ANSWER))
    for name, (on_wire, form) in QUERY_NAMES.items():
        value: Any = samples.get(form.split()[0], True)
        client.forecast(BODY, **{name: value})
        wanted = {"text": "a", "list": "0.5,0.9", "number": "2.5"}.get(form.split()[0], form[1:])
        assert dict(sent[-1].url.params) == {"answer": "summary", on_wire: wanted}
        client.forecast(BODY, **{name: None})
        assert dict(sent[-1].url.params) == {"answer": "summary"}
    refused: Any = {"min_probabilty": 0.4}
    with pytest.raises(TypeError, match="no option 'min_probabilty'; the options are above, bar_time"):
        client.forecast(BODY, **refused)
    with pytest.raises(TypeError, match="no option 'timing'"):
        client.forecast_batch([BODY], timing=True)  # type: ignore[call-arg]
