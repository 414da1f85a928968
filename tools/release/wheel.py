"""The wheel: the packages of pyproject.toml, and the other files that an installation needs.

`backend.core.config.ASSETS` finds the other files in `backend/assets` of the installed package. The
wheel has no dependencies: `requirements.lock` is published next to it, with hashes.
"""

import shutil
import sys
from pathlib import Path

from backend.platform.frontend_build import ensure_frontend
from tools.release.source import run

_ASSETS = ("frontend/dist", "migrations", "services")


def build_wheel(tree: Path, folder: Path) -> Path:
    """Build the frontend and the wheel of a source tree, and return the path of the wheel."""
    ensure_frontend(tree / "frontend", tree.parent / "frontend.log", _show)
    assets = tree / "backend" / "assets"
    for name in _ASSETS:
        shutil.copytree(tree / name, assets / name)
    _show("wheel")
    uv = Path(sys.executable).with_name("uv")
    options = ("--wheel", "--offline", "--no-build-isolation", "--python", sys.executable)
    built = tree.parent / "wheel"
    run(tree, uv, "build", "--quiet", *options, "--out-dir", built)
    (wheel,) = built.glob("*.whl")
    return Path(shutil.move(wheel, folder / wheel.name))


def _show(step: str) -> None:
    print(f"  {step}", file=sys.stderr, flush=True)
