"""The tokens of `tacho login`, by the address of the Tacho, in a file of the user."""

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

from cli.console import fail


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


def store_token(url: str, token: str) -> str | None:
    """Store the token of a Tacho, and return the earlier token that it replaces."""
    with _lock():
        tokens = _read()
        _write({**tokens, name_url(url): token})
    return tokens.get(name_url(url))


def remove_token(url: str, token: str) -> None:
    """Remove the token of a Tacho from the file, unless another command has replaced it."""
    with _lock():
        tokens = _read()
        if tokens.get(name_url(url)) == token:
            _write({name: other for name, other in tokens.items() if name != name_url(url)})


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


@contextmanager
def _lock() -> Iterator[None]:
    """Change the tokens alone, so that no other command's change is lost."""
    folder = find_path().parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Of the folder, because each change replaces the file.
        lock = os.open(folder, os.O_RDONLY)
    except OSError as error:
        fail(f"The folder {folder} cannot be opened: {error}. Make it readable and writable.")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _write(tokens: Mapping[str, str]) -> None:
    """Replace the file at once, so that a command never reads a part of it."""
    path = find_path()
    try:
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
