"""The tokens of `tacho login`, by the address of the Tacho, in a file of the user."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import httpx

from backend.cli.console import fail


def name_url(url: str) -> str:
    """Return an address in the form by which tokens are stored."""
    return str(httpx.URL(url)).rstrip("/")


def find_path() -> Path:
    """Return the file of the tokens, in the folder of the XDG Base Directory Specification."""
    folder = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    # The specification ignores relative paths.
    base = folder if folder.is_absolute() else Path.home() / ".config"
    return base / "tacho" / "credentials.json"


def find_token(url: str) -> str | None:
    """Return the stored token of a Tacho; None without one."""
    return _read().get(name_url(url))


def store_token(url: str, token: str) -> Path:
    """Store the token of a Tacho in place of an earlier one, and return the file."""
    return _write({**_read(), name_url(url): token})


def remove_token(url: str) -> None:
    """Remove the token of a Tacho from the file."""
    _write({name: token for name, token in _read().items() if name != name_url(url)})


def _read() -> Mapping[str, str]:
    """Return all tokens by address. End the command if the file cannot be read."""
    path = find_path()
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        fail(
            f"The file {path} cannot be read: {error}. Correct it, or delete it and sign in again."
        )
    if not isinstance(found, dict) or not all(isinstance(it, str) for it in found.values()):
        fail(f"The file {path} is not an object of tokens. Delete it, and sign in again.")
    return found


def _write(tokens: Mapping[str, str]) -> Path:
    """Replace the file at once, so that a command never reads a part of it."""
    path = find_path()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # mkstemp creates files with mode 0600.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(tokens, file, indent=2, sort_keys=True)
                file.write("\n")
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        fail(f"The file {path} cannot be written: {error}. Make its folder writable.")
    return path
