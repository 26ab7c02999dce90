"""Writes the sync client from the async one: `_sync.py` and `_sync_account.py`, which Git ignores. Each build and editable install runs this."""

import os
import re
from pathlib import Path

# In this order.
CHANGES = [
    (r"_run_async", "_run_sync"),
    (r"The async client\. .*", 'The sync client: written from _async.py by write_sync.py."""'),
    (r"_async_account", "_sync_account"),
    (r"AsyncAccount", "Account"),
    (r"of the async client\. .*", 'of the sync client: written from _async_account.py by write_sync.py."""'),
    (r"AsyncIterator, Iterable", "Iterable, Iterator"),
    (r"AsyncIterator", "Iterator"),
    (r"AsyncTickmark", "Tickmark"),
    (r"httpx\.Async(BaseTransport|Client)", r"httpx.\1"),
    (r"\bLive\b", "SyncLive"),
    (r"`async with`", "`with`"),
    (r"\b__a(enter|exit)__", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\basync (def|for|with)", r"\1"),
    (r"\baread\b", "read"),
    (r"\bawait ", ""),
]

folder = Path(__file__).resolve().parent / "src" / "tickmark"
for part in ("", "_account"):
    text = (folder / f"_async{part}.py").read_text(encoding="utf-8")
    for pattern, replacement in CHANGES:
        text = re.sub(pattern, replacement, text)
    # Another process may import it meanwhile.
    made = folder / f"_sync{part}.{os.getpid()}.new"
    made.write_text(text, encoding="utf-8")
    made.replace(folder / f"_sync{part}.py")
