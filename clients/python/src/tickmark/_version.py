"""Version of the distribution `tickmark-client`."""

from pathlib import Path

__version__ = "0.1.0"


def _read_commit() -> str:
    """The commit that the wheel was made of; empty in a checkout (hatch_build.py)."""
    try:
        return Path(__file__).with_name("_commit.txt").read_text(encoding="ascii").strip()
    except OSError:
        return ""


COMMIT = _read_commit()
USER_AGENT = f"tickmark-client-python/{__version__}" + (f"+{COMMIT}" if COMMIT else "")
