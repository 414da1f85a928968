"""The wheels: the packages of pyproject.toml, and the other files that an installation needs.

`backend.core.config.ASSETS` finds the other files in `backend/assets` of the installed package. The
wheels have no dependencies: `requirements.lock` is published next to them, with hashes.
"""

import shutil
import sys
from pathlib import Path

from backend.platform.frontend_build import ensure_frontend
from backend.platform.tools import get_tool, module_go
from tools.release.platform_wheel import write_platform_wheel
from tools.release.source import run
from worker.loadgen.build import SOURCE, ensure_k6

_ASSETS = ("frontend/dist", "migrations", "services")


def build_wheels(tree: Path, folder: Path) -> None:
    """Build the frontend and the wheels of a source tree.

    The load generator is built from the files next to this program, which are those of the tree.
    """
    ensure_frontend(tree / "frontend", tree.parent / "frontend.log", _show, for_release=True)
    assets = tree / "backend" / "assets"
    for name in _ASSETS:
        shutil.copytree(tree / name, assets / name)
    _show("wheel")
    uv = Path(sys.executable).with_name("uv")
    options = ("--wheel", "--offline", "--no-build-isolation", "--python", sys.executable)
    built = tree.parent / "wheel"
    run(tree, uv, "build", "--quiet", *options, "--out-dir", built)
    (wheel,) = built.glob("*.whl")
    shutil.move(wheel, folder / wheel.name)
    _show("load generator")
    k6 = ensure_k6(tree.parent / "load-generator", get_tool(module_go(SOURCE)).path)
    write_platform_wheel(folder / wheel.name, k6)


def _show(step: str) -> None:
    print(f"  {step}", file=sys.stderr, flush=True)
