"""Forwards the alerts of tickmark to a Telegram chat.

  pip install ./clients/python
  WEBHOOK_SECRET=whsec_… TELEGRAM_TOKEN=123:abc TELEGRAM_CHAT=42 python3 examples/telegram/forward.py

An alert that Telegram did not take is answered with 502: tickmark sends it again.

Settings (environment):
  WEBHOOK_SECRET      whsec_… of POST /account/webhooks
  TELEGRAM_TOKEN      of the bot, from @BotFather
  TELEGRAM_CHAT       id of the chat
  PORT                default 8787, on the loopback address: a proxy in front of it ends TLS
  TELEGRAM_API        default https://api.telegram.org
"""

import json
import os
import urllib.request
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tickmark import TickmarkError, verify_webhook

MAX_BODY_BYTES = 64 * 1024
MAX_ANSWER_BYTES = 64 * 1024
MOST_REMEMBERED = 1000
#: For each read and write; tickmark waits for an answer for 10 s.
TIMEOUT_S = float(os.environ.get("TIMEOUT_S", "8"))


def setting(name: str) -> str:
    value = os.environ.get(name, "")
    if value == "":
        raise SystemExit(f"{name} is not set: the first lines of this file list the settings")
    return value


SECRET = setting("WEBHOOK_SECRET")
TOKEN = setting("TELEGRAM_TOKEN")
CHAT = setting("TELEGRAM_CHAT")
API = os.environ.get("TELEGRAM_API", "https://api.telegram.org")

#: Ids that were forwarded: an alert may arrive more than once.
seen: "OrderedDict[str, None]" = OrderedDict()


def text_of(alert: dict) -> str:
    kind, data = alert["type"], alert["data"]
    if kind == "forecast.marked":
        return f"{data['series']}: {data['text']}"
    if kind == "forecast.settled":
        return f"{data['series']}: the mark for {data['future']} UTC {'came true' if data['moved'] else 'did not come true'}, {data['move_bps']:+.2f} bps"
    if kind == "record.worse":
        return f"The record since {data['from']} is worse than the baseline: {data['outcomes']} outcomes, {data['hits']} of {data['marks']} marks came true"
    return data.get("message", kind)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Another server would get the token."""

    def redirect_request(self, *_: object) -> None:
        return None


def send(text: str) -> None:
    """Raises an error unless Telegram says that it took the message."""
    body = json.dumps({"chat_id": CHAT, "text": text}).encode()
    request = urllib.request.Request(f"{API}/bot{TOKEN}/sendMessage", body, {"Content-Type": "application/json"})
    with urllib.request.build_opener(NoRedirect).open(request, timeout=TIMEOUT_S) as answer:
        reply = json.loads(answer.read(MAX_ANSWER_BYTES))
    if not isinstance(reply, dict) or reply.get("ok", True) is not True:
        raise ValueError("the answer is not one of Telegram")


class Forwarder(BaseHTTPRequestHandler):
    timeout = TIMEOUT_S

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or int(length) > MAX_BODY_BYTES:
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not verify_webhook(SECRET, self.headers, body):
            return self.answer(401)
        message_id = self.headers["webhook-id"]
        if message_id in seen:
            return self.answer(200)
        try:
            send(text_of(json.loads(body)))
        except Exception as error:  # Whatever it was, the alert is not delivered. No message of it: it may have the token.
            print(f"alert {message_id} was not delivered: {type(error).__name__}", flush=True)
            return self.answer(502)
        seen[message_id] = None
        while len(seen) > MOST_REMEMBERED:
            seen.popitem(last=False)
        return self.answer(200)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    try:
        verify_webhook(SECRET, {}, b"")
    except TickmarkError as error:
        raise SystemExit(f"WEBHOOK_SECRET: {error}") from error
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8787"))), Forwarder)
    print(f"forwarding from http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
