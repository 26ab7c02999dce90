"""Measures the engine of this package and prints tables for docs/benchmarks/python.md.

    python clients/python/bench/engine.py FILE.csv.gz

FILE has the columns timestamp, bid and ask. The command `tickmark replay` is measured in the same run, alternately.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SRC = Path(__file__).resolve().parents[1] / "src"
ROUNDS = 3
OPTIONS = ("--horizon", "5m", "--min-move-bps", "4")
MANY = 10_000_000
SERIES = 8

FIRST = """
import time
start = time.perf_counter()
import numpy as np
from tickmark import Engine
imported = time.perf_counter()
times = 1_704_187_800_000 + 250 * np.arange(500)
Engine().forecast({"timestamp": times, "price": 100 + np.sin(times / 7e3)}, "60s")
print(imported - start, time.perf_counter() - imported)
"""

REPLAY = """
import sys, time
import pandas as pd
from tickmark import Engine
frame = pd.read_csv(sys.argv[1], parse_dates=["timestamp"])
engine = Engine()
engine.version
start = time.perf_counter()
made = engine.replay(frame, "5m", min_move_bps=4)
print(len(frame), len(made), time.perf_counter() - start)
"""

MEMORY = """
import numpy as np, pandas as pd
from tickmark import Engine, _child
count = {many}
random = np.random.default_rng(1)
stamps = (1_704_187_800_000_000 + np.cumsum(random.integers(0, 60_000, count))).view("datetime64[us]")
frame = pd.DataFrame({{"timestamp": stamps, "price": 100 + np.cumsum(random.standard_normal(count, dtype=np.float32)) / 1e4}}, copy=False)
del stamps, random
peak = lambda pid: int(next(line for line in open(f"/proc/{{pid}}/status") if line.startswith("VmHWM")).split()[1]) / 1024
before = peak("self")
made = Engine().replay(frame, "5m", last=1000)
print(len(made), before, peak("self"), peak(_child.running().pid))
"""

EACH = """
import sys, time
from multiprocessing import get_context
import pandas as pd
from tickmark import Engine, replay_each
each = replay_each("5m", min_move_bps=4)
def start(_): return Engine().version
if __name__ == "__main__":
    frame = pd.read_csv(sys.argv[1], parse_dates=["timestamp"])
    frames = [frame.assign(series=str(number)) for number in range({series})]
    workers = int(sys.argv[2])
    with get_context("spawn").Pool(workers) as pool:
        pool.map(start, range(4 * workers), 1)
        begun = time.perf_counter()
        made = pool.map(each, frames, 1)
        print(sum(map(len, made)), time.perf_counter() - begun)
"""


def run(code: str, *args: str) -> tuple[list[float], float]:
    """The numbers that a program prints last, and its seconds of CPU, with those of its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "measured.py"
        file.write_text(code)
        printed = subprocess.run([sys.executable, str(file), *args], env=env, check=True, capture_output=True, text=True).stdout
    return [float(each) for each in printed.split()], cpu_since(before)


def cpu_since(before: resource.struct_rusage) -> float:
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def command(file: str) -> tuple[float, float]:
    """Seconds, and seconds of CPU."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(["node", str(ROOT / "bin/tickmark.js"), "replay", file, *OPTIONS], check=True, capture_output=True)
    return time.perf_counter() - start, cpu_since(before)


def table(head: str, *lines: str) -> None:
    columns = head.count("|") + 1
    print(f"| {head} |\n|{' --- |' * columns}")
    print("".join(f"| {line} |\n" for line in lines))


def main(file: str) -> None:
    subprocess.run(["node", str(ROOT / "bin/build.js")], check=True, capture_output=True)
    firsts = [run(FIRST)[0] for _ in range(ROUNDS)]
    table("first forecast after the import", *[f"{statistics.median(first for _, first in firsts):.2f} s"])

    of_command, of_python = [], []
    for _ in range(ROUNDS):
        of_command.append(command(file))
        start = time.perf_counter()
        (ticks, windows, alone), cpu = run(REPLAY, file)
        of_python.append((time.perf_counter() - start, cpu, alone))
    ratios = [sides[0][1] / sides[1][1] for sides in zip(of_command, of_python)]
    rows = [
        f"`tickmark replay`, whole command | {statistics.median(each[0] for each in of_command):.1f} s | {statistics.median(each[1] for each in of_command):.1f} s",
        f"program in Python, with pandas and reading | {statistics.median(each[0] for each in of_python):.1f} s | {statistics.median(each[1] for each in of_python):.1f} s",
        f"`Engine.replay` in it | {statistics.median(each[2] for each in of_python):.1f} s | –",
    ]
    print(f"{ticks:,.0f} ticks, {windows:,.0f} windows; windows a second of CPU, Python to the command: {min(ratios):.2f} to {max(ratios):.2f}\n")
    table(f"median of {ROUNDS} | time | CPU", *rows)

    (windows, before, python, child), _ = run(MEMORY.format(many=MANY))
    table(
        f"{MANY:,} ticks in a data frame, {windows:.0f} windows | peak memory",
        *[f"the program before the replay | {before:,.0f} MB", f"the program | {python:,.0f} MB", f"the child | {child:,.0f} MB", f"both | {python + child:,.0f} MB"],
    )

    lines = []
    for workers in (1, 2):
        rates = [(made[0] / made[1], SERIES * ticks / made[1]) for made in (run(EACH.format(series=SERIES), file, str(workers))[0] for _ in range(ROUNDS))]
        lines.append(f"{workers} | {statistics.median(each[0] for each in rates):,.0f} | {statistics.median(each[1] for each in rates) / 1e3:,.0f},000")
    table(f"processes, {SERIES} series | windows a second | ticks a second", *lines)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
