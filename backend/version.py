"""Tacho's version, as the package's metadata has it, and its commit."""

import re
import subprocess
from importlib.metadata import version
from pathlib import Path

VERSION = version("tacho")

_PACKAGE = Path(__file__).parent
# `git archive`, by which releases are built, replaces the content of this file by the commit.
_COMMIT_FILE = _PACKAGE / "commit.txt"
_HASH = re.compile(r"[0-9a-f]{40,64}")


def find_commit() -> str | None:
    """Return the commit of the code; None if neither a release nor a clone names it.

    The suffix `-dirty` means that files of the clone differ from the commit.
    """
    built = _COMMIT_FILE.read_text(encoding="ascii").strip() if _COMMIT_FILE.exists() else ""
    return built if _HASH.fullmatch(built) else _ask_git(_PACKAGE.parent)


def _ask_git(clone: Path) -> str | None:
    # An installed package may lie inside a clone of something else.
    if not (clone / ".git").exists():
        return None
    command = ("git", "describe", "--always", "--dirty", "--abbrev=64", "--exclude=*")
    try:
        done = subprocess.run(
            command, cwd=clone, capture_output=True, text=True, check=False, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
