"""The wheel, installed into an empty folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("hatchling")
FOLDER = Path(__file__).resolve().parent.parent


def test_the_wheel_installs_and_imports_without_extras(tmp_path: Path) -> None:
    # A build leaves files next to the sources.
    source = shutil.copytree(FOLDER, tmp_path / "source", ignore=shutil.ignore_patterns("__pycache__", "tests", "_sync*"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "-w", str(tmp_path), str(source)], check=True)
    (wheel,) = tmp_path.glob("tickmark_client-*.whl")
    target = tmp_path / "installed"
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", str(target), str(wheel)], check=True)
    names = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert {"tickmark/__init__.py", "tickmark/_live.py", "tickmark/_sync.py", "tickmark/_sync_account.py", "tickmark/py.typed"} <= names
    assert {"tickmark/_engine/child.js", "tickmark/_engine/shipped.js"} <= names or not (FOLDER / "src/tickmark/_engine").exists()
    assert not [name for name in names if "test" in name]
    code = "import sys, tickmark; assert not {'websockets', 'pandas', 'numpy', 'matplotlib'} & set(sys.modules); print(tickmark.__file__, tickmark.__version__)"
    others = [path for path in sys.path if path and Path(path).resolve() != FOLDER / "src"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(target), *others]), "PYTHONDONTWRITEBYTECODE": "1"}
    made = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True)
    assert made.stdout.startswith(str(target))
