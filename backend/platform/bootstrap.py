"""Create `.venv` from the hashed lock files. This needs only Python ≥ 3.11.

make runs it as `python3 -I backend/platform/bootstrap.py [--dev]`. It imports only the standard
library. A stamp file in `.venv` lets later calls return immediately.
"""

import argparse
import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements.lock"
DEV_LOCK = ROOT / "requirements-dev.lock"
OLDEST_PYTHON = (3, 11)


class BootstrapError(Exception):
    """The environment cannot be created. The message contains the fix."""


def requirement_block(lock_text: str, package: str) -> str:
    """Return the lines of a package in a hashed requirements file: its pin and its hashes."""
    lines = iter(lock_text.splitlines())
    for line in lines:
        if not line.startswith(f"{package}=="):
            continue
        block = [line]
        while block[-1].endswith("\\"):
            block.append(next(lines))
        return "\n".join(block) + "\n"
    raise BootstrapError(f"requirements.lock does not hold {package}; run `make lock`.")


def stamp_digest(*, dev: bool) -> str:
    """Return a digest of everything that determines the environment: interpreter, location, lock
    files and entry points."""
    digest = hashlib.sha256(f"{sys.version}\0{ROOT}\0".encode())
    # Only the parts that name packages and commands; settings of linters do not matter.
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[tool.ruff]")[0]
    digest.update(project.encode())
    for path in (LOCK, *([DEV_LOCK] if dev else [])):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_current(*, dev: bool) -> bool:
    """Return whether `.venv` matches the lock files. A development environment is also sufficient
    for running."""
    stamps = [(VENV / ".tacho-dev", True)] + ([] if dev else [(VENV / ".tacho-run", False)])
    # A venv whose Python was removed or replaced is unusable.
    return (VENV / "bin" / "python").exists() and any(
        stamp.is_file() and stamp.read_text() == stamp_digest(dev=with_dev)
        for stamp, with_dev in stamps
    )


def check_python() -> None:
    """Raise an error with the fix if this Python cannot create the environment."""
    if sys.version_info < OLDEST_PYTHON:
        found = ".".join(map(str, sys.version_info[:3]))
        raise BootstrapError(
            f"Tacho needs Python 3.11 or newer; {sys.executable} is {found}.\n"
            "Name a newer one with `make PYTHON=/path/to/python3.12 …`."
        )
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise BootstrapError(
            f"This Python lacks its {' and '.join(missing)} module, which Debian and Ubuntu ship "
            f"apart.\nInstall it with: apt-get install python3-venv   (or python{version}-venv)"
        )


def run(*command: str) -> None:
    """Run a command, and print its output only if it fails."""
    result = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if result.returncode != 0:
        raise BootstrapError(f"`{' '.join(command[:4])} …` failed:\n{result.stdout[-4000:]}")


def make_venv() -> None:
    """Create `.venv` again unless this Python created it at this path, because a venv cannot be
    moved."""
    stamp = VENV / ".tacho-python"
    maker = f"{sys.version}\n{ROOT}\n"
    if stamp.is_file() and stamp.read_text() == maker:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    run(sys.executable, "-m", "venv", str(VENV))
    stamp.write_text(maker)


def install(*, dev: bool) -> None:
    """Install the lock files and the `tacho` command into `.venv`."""
    python = str(VENV / "bin" / "python")
    locks = [
        argument for path in (LOCK, *([DEV_LOCK] if dev else [])) for argument in ("-r", str(path))
    ]
    with tempfile.TemporaryDirectory() as folder:
        block = Path(folder) / "uv.txt"
        block.write_text(requirement_block(LOCK.read_text(), "uv"))
        run(python, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", str(block))
    uv = str(VENV / "bin" / "uv")
    try:
        run(
            uv,
            "pip",
            "install",
            "--python",
            python,
            "--require-hashes",
            "--compile-bytecode",
            *locks,
        )
    except BootstrapError:
        # uv does not read pip's configuration, so behind a mirror only pip may reach an index.
        run(python, "-m", "pip", "install", "--quiet", "--require-hashes", *locks)
    run(
        uv,
        "pip",
        "install",
        "--python",
        python,
        "--offline",
        "--no-deps",
        "--no-build-isolation",
        "--editable",
        str(ROOT),
    )


def bootstrap(*, dev: bool) -> None:
    """Bring `.venv` up to date."""
    if is_current(dev=dev):
        return
    check_python()
    with _alone():
        # Another process may have updated it while this one waited for the lock.
        if not is_current(dev=dev):
            _make(dev=dev)


@contextmanager
def _alone() -> Iterator[None]:
    """Allow one process at a time, by a lock on the folder of the clone."""
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _make(*, dev: bool) -> None:
    start = time.monotonic()
    print("Making the Python environment in .venv, about 20 s …", flush=True)
    make_venv()
    install(dev=dev)
    (VENV / (".tacho-dev" if dev else ".tacho-run")).write_text(stamp_digest(dev=dev))
    print(f"Python environment ready in {time.monotonic() - start:.1f} s", flush=True)


def main() -> int:
    """Return 1 and print the fix if the environment cannot be created, otherwise 0."""
    parser = argparse.ArgumentParser(description="Makes Tacho's Python environment.")
    parser.add_argument("--dev", action="store_true", help="with the test tools")
    arguments = parser.parse_args()
    os.environ.pop("PYTHONHOME", None)
    try:
        bootstrap(dev=arguments.dev)
    except BootstrapError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
