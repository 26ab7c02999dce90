"""Signatures of alerts, by the Standard Webhooks specification."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Mapping
from typing import Any, Optional, Union

from .errors import UsageError

PREFIX = "whsec_"


def verify_webhook(
    secret: str, headers: Mapping[str, Any], body: Union[bytes, str], *, max_age_s: float = 300.0, now_s: Optional[float] = None
) -> bool:
    """Whether an alert is genuine: signed with the secret of its target, by an attempt of the last `max_age_s` seconds.

    headers: of the request, in any case; without those of an alert, it is not genuine. body: as it arrived, before it is parsed.
    now_s: seconds since 1970, by default of the clock. Raises UsageError for a secret that is none, and for a body that was parsed.
    """
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (AttributeError, ValueError, binascii.Error):
        key = b""
    if len(key) == 0:
        raise UsageError("secret must be whsec_ and base64, as POST /account/webhooks returned it")
    if not isinstance(body, (str, bytes, bytearray, memoryview)):
        raise UsageError(f"body must be the bytes or the text of the request as it arrived; it is {type(body).__name__}")
    given = {str(name).lower(): value if isinstance(value, str) else "" for name, value in headers.items()}
    message_id, sent, signatures = (given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if message_id == "" or not (sent.isascii() and sent.isdigit() and len(sent) <= 12):
        return False
    if abs((time.time() if now_s is None else now_s) - int(sent)) > max_age_s:
        return False
    content = body.encode("utf-8", "replace") if isinstance(body, str) else body
    digest = hmac.new(key, f"{message_id}.{sent}.".encode("utf-8", "replace") + content, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(digest)
    # All are compared, in constant time; texts of other than ASCII cannot be.
    return any([hmac.compare_digest(wanted, each.encode("utf-8", "replace")) for each in signatures.split(" ")])
