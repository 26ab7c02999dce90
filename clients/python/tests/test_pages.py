"""The blocks of the pages about the engine, each page as one program: docs/how-to/python-engine.md,
docs/how-to/many-series.md, docs/how-to/dask.md, docs/how-to/ray.md and docs/how-to/spark.md."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pd = pytest.importorskip("pandas")

from markets import walk  # noqa: E402

from tickmark import _child  # noqa: E402

PAGES = Path(__file__).resolve().parents[3] / "docs" / "how-to"
#: What each needs, and something that it prints.
NEEDED = {
    "python-engine.md": ((), r"(?s)^2024-01-02 \S+ (identified|none|abstained) .*outcome_missing.*data_ends\n.*\n601 (identified|none|abstained)$"),
    "many-series.md": (("pyarrow",), r"silver +\d+ +0\.\d+$"),
    "dask.md": (("pyarrow", "distributed", "dask.dataframe"), r"silver +\d+ +0\.\d+$"),
    "ray.md": (("pyarrow", "ray"), r"silver +\d+ +0\.\d+$"),
    "spark.md": (("pyarrow", "pyspark"), r"\| *silver\|"),
}


@pytest.mark.parametrize("page", NEEDED)
def test_the_blocks_run(page: str, tmp_path: Path) -> None:
    packages, printed = NEEDED[page]
    missing = [name for name in packages if importlib.util.find_spec(name.partition(".")[0]) is None]
    if missing or not (_child.FOLDER / "child.js").exists():
        pytest.skip(f"not installed: {', '.join(missing) or 'the engine, which npm run test:python builds'}")
    (tmp_path / "ticks").mkdir()
    if packages:
        for seed, name in enumerate(("eurusd", "silver")):
            times, prices = walk(seed, 6000)
            frame = pd.DataFrame({"series": name, "timestamp": times.astype("datetime64[ms]"), "price": prices, "row": range(6000)})
            frame.to_parquet(tmp_path / "ticks" / f"{name}.parquet")
    blocks = re.findall(r"```python\n(.*?)```", (PAGES / page).read_text(encoding="utf-8"), re.S)
    (tmp_path / "page.py").write_text("\n".join(blocks), encoding="utf-8")
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable, "RAY_DEDUP_LOGS": "0"}
    ran = subprocess.run([sys.executable, "page.py"], cwd=tmp_path, env=env, capture_output=True, text=True)
    if page == "spark.md" and "Java" in ran.stderr and ran.returncode != 0:
        pytest.skip("Spark needs Java")
    assert ran.returncode == 0, ran.stderr
    assert re.search(printed, ran.stdout.strip(), re.M), ran.stdout
