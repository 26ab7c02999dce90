"""examples/notebook/engine.ipynb runs, and has the output that it prints. After a change: jupyter execute --inplace examples/notebook/engine.ipynb"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="no nbformat: pip install nbclient ipykernel matplotlib")
nbclient = pytest.importorskip("nbclient", reason="no nbclient: pip install nbclient ipykernel matplotlib")
for package in ("ipykernel", "matplotlib", "pandas"):
    pytest.importorskip(package, reason=f"no {package}: pip install nbclient ipykernel matplotlib pandas")

from tickmark import _child  # noqa: E402

if not (_child.FOLDER / "child.js").exists():
    pytest.skip("the engine is not built: npm run test:python builds it", allow_module_level=True)

FILE = Path(__file__).resolve().parents[3] / "examples" / "notebook" / "engine.ipynb"


def printed(notebook: Any) -> list[Any]:
    """For each cell the texts that it printed or showed, and the kinds of its pictures."""
    return [
        [(output.get("text"), output.get("data", {}).get("text/html"), sorted(output.get("data", {}))) for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_the_notebook_has_the_output_of_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    # A style of the terminal, and of the kernel's folder.
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    kept = nbformat.read(FILE, as_version=4)
    nbformat.validate(kept)
    again = nbformat.read(FILE, as_version=4)
    nbclient.NotebookClient(again, timeout=600, kernel_name="python3", resources={"metadata": {"path": os.fspath(FILE.parent)}}).execute()
    assert printed(again) == printed(kept)
    assert [kinds for cell in printed(kept) for *_, kinds in cell].count(["image/png", "text/plain"]) == 2
