"""The child that runs the engine: processes, threads, and how it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from markets import ENGINE, FRAME

from tickmark import EngineStopped, MissingPackage, _child



def answer_in(queue: Any, pipe: int, node: int) -> None:
    """pipe, node: to the child of the parent, which must see it close when the parent ends."""
    try:
        has_pipe = os.fstat(pipe).st_ino == node
    except OSError:
        has_pipe = False
    queue.put((has_pipe, _child.running().pid, ENGINE.forecast(FRAME, "60s").probability))


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_each_process_has_a_child_of_its_own(method: str) -> None:
    wanted = ENGINE.forecast(FRAME, "60s").probability
    series = ENGINE.series()
    context: Any = multiprocessing.get_context(method)
    queue = context.Queue()
    # Only a fork has the files of its parent under their numbers.
    pipe = _child.running()._process.stdin.fileno() if method == "fork" else -1  # type: ignore[union-attr]
    other = context.Process(target=answer_in, args=(queue, pipe, os.fstat(pipe).st_ino if pipe >= 0 else -1))
    other.start()
    has_pipe, pid, probability = queue.get(timeout=120)
    other.join()
    assert not has_pipe and probability == wanted and pid != _child.running().pid
    series.push(FRAME.iloc[:10])
    assert series.ticks == 10


def test_threads_take_turns() -> None:
    wanted = ENGINE.forecast(FRAME, "60s").probability
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(ENGINE.forecast(FRAME, "60s").probability)) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [wanted] * 8


def test_a_child_that_ends_is_replaced_but_for_its_series() -> None:
    series = ENGINE.series()
    child = _child.running()
    os.kill(child.pid, signal.SIGKILL)
    child._process.wait()
    with pytest.raises(EngineStopped, match="open it again"):
        series.push(FRAME)
    assert ENGINE.forecast(FRAME, "60s").probability is not None
    assert _child.running().pid != child.pid


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def cpu_ticks(pid: int) -> int:
    """0 where it has ended."""
    try:
        return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
    except OSError:
        return 0


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc: processes are not seen")
@pytest.mark.parametrize("work", ["pass", "Engine().replay(long, '1s', every='1s')"])
def test_the_child_ends_with_its_parent_whatever_either_does(work: str) -> None:
    program = f"""
import os, signal, sys, threading
import numpy as np
from tickmark import Engine, _child
Engine().version
times = 1_704_187_800_000 + 100 * np.arange(3_000_000)
long = {{"timestamp": times, "price": 100 + np.sin(times / 7e4) / 10}}
print(_child.running().pid, flush=True)
thread = threading.Thread(target=lambda: {work if work != "pass" else "None"}, daemon=True)
thread.start()
sys.stdin.read()
"""
    parent = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert is_running(pid)
    begun = cpu_ticks(pid)
    while work != "pass" and cpu_ticks(pid) < begun + 2 * os.sysconf("SC_CLK_TCK"):
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    spent = cpu_ticks(pid)
    # Its replay would take minutes of a processor.
    while is_running(pid):
        assert cpu_ticks(pid) < spent + 10 * os.sysconf("SC_CLK_TCK")
        time.sleep(0.05)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\nprintf '\\036\\000\\000\\000{\"node\":\"18.0.0\",\"columns\":[]}'\n")
    old.chmod(0o755)
    for node, words in ((str(old), "is Node.js 18.0.0; the engine needs 20.19"), ("/bin/echo", "cannot run the engine"), ("/nowhere/node", "could not be started")):
        monkeypatch.setenv("TICKMARK_NODE", node)
        with pytest.raises(MissingPackage, match=words):
            _child.Child()
    monkeypatch.setattr(_child, "FOLDER", tmp_path)
    with pytest.raises(MissingPackage, match="run npm ci"):
        _child.Child()
