"""The installed package contains the product, without its tests and tools."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from backend.core.config import ROOT


def test_the_wheel_contains_only_the_product(tmp_path: Path) -> None:
    uv = Path(sys.executable).with_name("uv")
    command: list[str | Path] = [
        uv,
        "build",
        "--wheel",
        "--offline",
        "--no-build-isolation",
        "-o",
        tmp_path,
        ROOT,
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr

    (wheel,) = tmp_path.glob("*.whl")
    names = ZipFile(wheel).namelist()

    unwanted = ("/tests/", "tools/", "_test.go")
    assert not [name for name in names if any(part in name for part in unwanted)]
    assert "worker/loadgen/k6/internal/sender/sender.go" in names
    assert {"backend/main.py", "cli/up.py"} <= set(names)
