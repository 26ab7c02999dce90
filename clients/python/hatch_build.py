"""Adds the commit of the checkout to a wheel, for the User-Agent of the client, the sync client, and the engine in JavaScript."""

from __future__ import annotations

import os
import runpy
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        runpy.run_path(str(Path(self.root) / "write_sync.py"))
        self._build_engine()
        if version == "editable":
            return
        commit = os.environ.get("REVISION") or self._head()
        folder = Path(tempfile.mkdtemp(prefix="tickmark-client-"))
        (folder / "_commit.txt").write_text(commit[:12], encoding="ascii")
        build_data["force_include"][str(folder / "_commit.txt")] = "tickmark/_commit.txt"

    def _build_engine(self) -> None:
        """In a clone that has run `npm ci`. What is there already is kept elsewhere; a wheel without it says so when the engine is used."""
        root = Path(self.root).parent.parent
        if not (root / "node_modules" / "esbuild").exists() or not (root / "scripts" / "buildEngine.js").exists():
            return
        code = "import { buildEngineChild } from './scripts/buildEngine.js'; buildEngineChild('clients/python/src/tickmark/_engine');"
        subprocess.run(["node", "--input-type=module", "-e", code], cwd=root, check=True)

    def _head(self) -> str:
        try:
            # Only files of the checkout itself: another project may contain an unpacked copy.
            subprocess.run(["git", "ls-files", "--error-unmatch", "hatch_build.py"], cwd=self.root, check=True, capture_output=True)
            return subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.root, check=True, capture_output=True, text=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return ""
