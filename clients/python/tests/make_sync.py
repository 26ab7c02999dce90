"""`python tests/make_sync.py` writes src/tickmark/_sync.py: the async client without its async."""

import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "src" / "tickmark"
CHANGES: list[tuple[str, Any]] = [
    (r"(?m)^.*\S  # async only\n", ""),
    (r"(?ms)^    # async only\n.*?^    # end of async only\n", ""),
    (r"_run_async", "_run_sync"),
    (r"The async client\. .*", 'The sync client: made of _async.py by tests/make_sync.py, and a test compares them."""'),
    (r"AsyncIterator", "Iterator"),
    (r"AsyncTickmark", "Tickmark"),
    (r"httpx\.Async(BaseTransport|Client)", lambda found: "httpx." + {"Client": "Client", "BaseTransport": "BaseTransport"}[found[1]]),
    (r"`async with`", "`with`"),
    (r"\b__a(enter|exit)__", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\basync (def|for|with)", r"\1"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"\bawait ", ""),
    (r"import Iterator, Iterable", "import Iterable, Iterator"),
]


def made() -> str:
    text = (FOLDER / "_async.py").read_text("utf-8")
    for pattern, replacement in CHANGES:
        text = re.sub(pattern, replacement, text)
    return text


if __name__ == "__main__":
    (FOLDER / "_sync.py").write_text(made(), "utf-8")
