"""Without a service: calls, retries, time limits, errors."""

import asyncio
import base64
import gzip
import hashlib
import hmac
import inspect
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

import tickmark
import tickmark._answers as _answers
import tickmark._sync_account as sync
from tickmark import (
    ERROR_CODES,
    ApiError,
    AsyncTickmark,
    ConnectionFailed,
    Tickmark,
    TickmarkError,
    TimedOut,
    UnexpectedAnswer,
    UsageError,
    __version__,
    verify_webhook,
)
from tickmark._version import COMMIT
from tickmark._wire import PASSING_CODES

from replies import ANSWER, BODY, US, over, refusal


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


def test_a_missing_key_is_told_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TICKMARK_KEY", raising=False)
    sent: list[httpx.Request] = []
    client = Tickmark("http://x", transport=httpx.MockTransport(lambda request: sent.append(request) or httpx.Response(200)))  # type: ignore[func-returns-value]
    for call in (lambda: client.forecast(BODY), client.me, lambda: client.forecast_batch([BODY]), client.track_record):
        with pytest.raises(UsageError, match="the client has no API key"):
            call()
    assert sent == []


def test_an_answer_that_grows_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_answers, "MOST_ANSWER_BYTES", 2**20)
    bomb = gzip.compress(b" " * 2**24)
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=bomb, headers={"content-encoding": "gzip"}))
    with pytest.raises(UnexpectedAnswer, match="longer than 1 MiB"):
        Tickmark("http://x", "k", transport=transport, retries=0).me()
