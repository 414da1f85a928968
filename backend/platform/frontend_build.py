"""Build the frontend: `npm ci` if its lock file changed, `vite build` if its sources changed."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from backend.core.config import get_settings
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout
from backend.platform.processes.guard import guard_command
from backend.platform.tools import FRONTEND_NODE, find_tool, tool_environment

# Created by builds and test runs, and not part of the bundle.
_IGNORED = {"node_modules", "dist", "coverage", "test-results", "playwright-report"}


def sources_digest(folder: Path) -> str:
    """Return the SHA-256 (hex) of the names and contents of what the frontend is built from: its
    own files, and those of the folder `docs` next to it."""
    digest = hashlib.sha256()
    for source in (folder, folder.parent / "docs"):
        for root, folders, files in os.walk(source):
            folders[:] = sorted(name for name in folders if name not in _IGNORED)
            for name in sorted(files):
                path = Path(root) / name
                digest.update(f"{path.relative_to(folder.parent).as_posix()}\0".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def ensure_frontend(
    folder: Path, log: Path, on_stage: Callable[[str], None], *, for_release: bool = False
) -> bool:
    """Build `dist/` if it does not match the sources, and return whether a build was necessary.

    Without sources, there is nothing to build. Types are checked by `make test`, not here.

    Args:
        folder: the frontend's folder.
        log: receives the output of npm. on_stage: called with a description of each step.
        for_release: whether to compress files as far as possible, which takes ten times as long.

    Raises:
        PlatformError: Node is missing, or npm failed; the detail ends with its last lines.
    """
    if not (folder / "package.json").is_file():
        # An installed wheel has only the built files.
        return False
    modules = folder / "node_modules"
    installed, built = modules / ".tacho-installed", modules / ".tacho-built"
    digest = sources_digest(folder)
    if (folder / "dist" / "index.html").is_file() and _reads(built, digest):
        return False
    install_modules(folder, log, installed, on_stage, for_development=False)
    on_stage("vite build")
    script = "build:release" if for_release else "build"
    run_logged([_npm(), "run", script], folder, log, tool_environment())
    built.write_text(digest)
    return True


def install_modules(
    folder: Path,
    log: Path,
    stamp: Path,
    on_stage: Callable[[str], None],
    *,
    for_development: bool = True,
) -> None:
    """Run `npm ci`, unless `stamp` shows that this lock file is installed.

    `for_development` also installs the packages for checks and tests, two thirds of all.
    """
    locked = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    partly = f"{locked} without packages for development"
    if _reads(stamp, locked) or (not for_development and _reads(stamp, partly)):
        return
    on_stage("npm ci")
    command = [_npm(), "ci", "--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"]
    omitted = [] if for_development else ["--omit=dev"]
    run_logged([*command, *omitted], folder, log, tool_environment())
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(locked if for_development else partly)


def run_logged(
    command: Sequence[str], folder: Path, log: Path, environment: Mapping[str, str]
) -> None:
    """Run a command with its output in `log`. It ends with this process, and at an interrupt.

    Raises:
        PlatformError: it failed; the detail ends with its last lines.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        start = output.tell()
        process = subprocess.Popen(
            guard_command(command),
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if code != 0:
        with log.open("rb") as written:
            written.seek(start)
            lines = written.read().decode(errors="replace").splitlines()[-25:]
        shown = "\n".join(f"  {line}" for line in lines)
        raise PlatformError(f"`{' '.join(map(str, command))}` failed in {folder}:\n{shown}\n{log}")


def main() -> None:
    """`python -m backend.platform.frontend_build FOLDER…` installs the packages of the folders."""
    logs = Layout(get_settings().data).logs
    for folder in map(Path, sys.argv[1:]):
        # The stamp is not in node_modules, because `npm ci` removes that folder.
        log = logs / f"{folder.name}-install.log"
        stamp = folder / "node_modules" / ".tacho-installed"
        install_modules(folder, log, stamp, print)


def _npm() -> str:
    npm = find_tool("npm")
    if npm is None or find_tool(FRONTEND_NODE) is None:
        raise PlatformError(
            "Node 20.19 or newer is needed to build the frontend, and neither this host nor the "
            "lock file's package has one for it. Install Node 24, then try again."
        )
    return npm.path


def _reads(stamp: Path, expected: str) -> bool:
    return stamp.is_file() and stamp.read_text() == expected


if __name__ == "__main__":
    main()
