"""Forwards the alerts of tickmark to a Telegram chat. Python 3.9 or newer, no packages.

Settings (environment):
  WEBHOOK_SECRET      whsec_… of POST /account/webhooks
  TELEGRAM_TOKEN      of the bot, from @BotFather
  TELEGRAM_CHAT       id of the chat
  PORT                default 8787, on the loopback address: a proxy in front of it ends TLS
  TELEGRAM_API        default https://api.telegram.org
"""

import base64
import hashlib
import hmac
import json
import os
import time
import urllib.request
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY_BYTES = 64 * 1024
MAX_AGE_S = 300
MOST_REMEMBERED = 1000

SECRET = os.environ["WEBHOOK_SECRET"]
TOKEN = os.environ["TELEGRAM_TOKEN"]
CHAT = os.environ["TELEGRAM_CHAT"]
API = os.environ.get("TELEGRAM_API", "https://api.telegram.org")

#: Ids that were forwarded: an alert may arrive more than once.
seen: "OrderedDict[str, None]" = OrderedDict()


def is_genuine(secret: str, headers, body: bytes) -> bool:
    """Whether the signature is that of the secret, and not older than five minutes."""
    message_id, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) > MAX_AGE_S:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message_id}.{sent}.".encode() + body, hashlib.sha256).digest()
    wanted = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(wanted, given) for given in headers.get("webhook-signature", "").split())


def text_of(alert: dict) -> str:
    kind, data = alert["type"], alert["data"]
    if kind == "forecast.marked":
        return f"{data['series']}: a move of more than {data['min_move_bps']:.2f} bps by {data['future']} UTC, probability {data['probability']:.2f}"
    if kind == "forecast.settled":
        return f"{data['series']}: the mark for {data['future']} UTC {'came true' if data['moved'] else 'did not come true'}, {data['move_bps']:+.2f} bps"
    if kind == "record.worse":
        return f"The record since {data['from']} is worse than the baseline: {data['outcomes']} outcomes, {data['hits']} of {data['marks']} marks came true"
    return data.get("message", kind)


def send(text: str) -> None:
    body = json.dumps({"chat_id": CHAT, "text": text}).encode()
    request = urllib.request.Request(f"{API}/bot{TOKEN}/sendMessage", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=8) as answer:
        answer.read()


class Forwarder(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_genuine(SECRET, self.headers, body):
            return self.answer(401)
        message_id = self.headers["webhook-id"]
        if message_id in seen:
            return self.answer(200)
        try:
            send(text_of(json.loads(body)))
        except OSError:
            # Without a 2xx status, tickmark sends the alert again.
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
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8787"))), Forwarder)
    print(f"forwarding from http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
