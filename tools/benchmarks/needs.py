"""Requirements of benchmarks, checked before anything is built or measured.

A `require_…` function ends the program if something is missing. Its message contains the fix.
"""

import os
import shutil
import subprocess
from pathlib import Path

from backend.core.config import ROOT, get_settings
from backend.core.units import RuntimeKind
from backend.platform.frontend_build import ensure_frontend
from backend.platform.layout import Layout
from worker.loadgen.cross_check import find_program
from worker.resources.cgroup import is_v2
from worker.resources.cgroup_v1 import is_v1
from worker.runtime.choice import choose_runtime, load_bases
from worker.runtime.errors import RuntimeUnavailable

_OHA_VERSION = "1.16.0"
_CHROMIUM = "/usr/bin/chromium"


def require_docker() -> None:
    """Require what measurements in containers need: engine, base images and control groups."""
    settings = get_settings().model_copy(update={"runtime": RuntimeKind.DOCKER.value})
    try:
        load_bases(settings, choose_runtime(settings))
    except RuntimeUnavailable as error:
        raise SystemExit(f"This benchmark runs in containers. {error.detail}") from error
    if not (is_v2(settings.cgroup_root) or is_v1(settings.cgroup_root)):
        raise SystemExit(
            "This benchmark runs in containers. There are no control groups at "
            f"{settings.cgroup_root}. Set TACHO_CGROUP_ROOT to the mount point of the cgroup tree "
            "of the engine's host."
        )


def require_wrk() -> str:
    """Return the path of wrk."""
    found = find_program("wrk")
    if found is None:
        raise SystemExit("This benchmark compares with wrk. Install it: apt-get install wrk.")
    return found


def require_oha() -> str:
    """Return the path of oha. Cargo builds it in the user's cache folder if it is missing."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    root = cache / "tacho" / f"oha-{_OHA_VERSION}"
    places = [os.environ.get("PATH", ""), str(Path.home() / ".cargo/bin"), str(root / "bin")]
    path = os.pathsep.join(places)
    if found := shutil.which("oha", path=path):
        return found
    cargo = shutil.which("cargo", path=path)
    if cargo is None:
        raise SystemExit(
            "This benchmark compares with oha. Install oha, or Rust: Cargo then builds it once."
        )
    print(f"Building oha {_OHA_VERSION}: some minutes, once …", flush=True)
    command = [cargo, "install", "oha", "--version", f"={_OHA_VERSION}", "--locked", "--quiet"]
    if subprocess.run([*command, "--root", str(root)], check=False).returncode != 0:
        raise SystemExit(f"Cargo does not build oha {_OHA_VERSION}; see its message above.")
    return str(root / "bin" / "oha")


def require_chromium() -> str:
    """Return the path of the browser of e2e/playwright.config.ts."""
    chromium = os.environ.get("CHROMIUM") or _CHROMIUM
    if not Path(chromium).is_file():
        raise SystemExit(
            f"This benchmark needs Chromium, and there is no {chromium}. Install it (Debian: "
            "apt-get install chromium), or set CHROMIUM to its path."
        )
    return chromium


def require_frontend() -> None:
    """Build the pages that the API serves and exports, unless they are built."""
    ensure_frontend(ROOT / "frontend", Layout(get_settings().data).logs / "frontend.log", print)


def find_runtime() -> RuntimeKind:
    """Return the runtime that a worker would choose here."""
    return choose_runtime(get_settings()).kind
