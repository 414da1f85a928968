"""`python -m worker.verify.outdated`: list the packages of services that have a newer version.

It asks the package registries through the clients of the languages, for direct dependencies only.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from backend.core.config import get_settings
from backend.platform.tools import get_tool
from worker.verify.dependencies import Dependency, Registry, next_major, read_dependencies

_SECONDS = 300
_AT_ONCE = 4
# Versions with such a part are not stable. The versions plugin of Maven matches them as a whole.
_UNSTABLE = r"(?i).*[.-](alpha|beta|cr|rc|m|ea|b|pre|preview|snapshot|milestone|dev|jre8)[.-]?\d*.*"
_GOALS = ("display-parent-updates", "display-property-updates", "display-dependency-updates")
# `  org.example:library ........ 1.0 -> 1.1`; long names are on a line of their own.
_UPDATE = re.compile(r"([\w.${}:-]+) \.{2,}\s+([\w.-]+)\s+->\s+([\w.-]+)")
_LOG_MARK = re.compile(r"^\[INFO\] ?", re.MULTILINE)

Update = tuple[Dependency, str]


def list_outdated(folder: Path) -> list[Update]:
    """Return the outdated direct dependencies of the files in a folder, with the newest version.

    If a registry refuses to name it, the text is its client's last line instead.
    """
    found = [
        (dependency, newest)
        for dependency in sorted(set(read_dependencies(folder)))
        if (newest := _find_newest(dependency)) != dependency.version
    ]
    return [*found, *(_list_outdated_of_maven(folder) if (folder / "pom.xml").is_file() else ())]


def parse_updates(log: str) -> list[Update]:
    """Return the updates in the log of Maven's versions plugin."""
    plain = _LOG_MARK.sub("", log)
    return [
        (Dependency(Registry.MAVEN, name, version), newest)
        for name, version, newest in dict.fromkeys(_UPDATE.findall(plain))
    ]


def _find_newest(dependency: Dependency) -> str:
    try:
        return _FINDERS[dependency.registry](dependency.name)
    except subprocess.CalledProcessError as error:
        return _explain(error)


def _explain(error: subprocess.CalledProcessError) -> str:
    lines = (error.stderr or error.stdout).strip().splitlines()
    return f"unknown: {lines[-1].strip() if lines else 'its client failed'}"


def _list_outdated_of_maven(folder: Path) -> list[Update]:
    goals = [f"org.codehaus.mojo:versions-maven-plugin:{goal}" for goal in _GOALS]
    own = ("-DprocessDependencyManagement=false", f"-Dmaven.version.ignore={_UNSTABLE}")
    try:
        log = _run([get_tool("mvn").path, "-B", "-N", *own, *goals], folder)
    except subprocess.CalledProcessError as error:
        return [(Dependency(Registry.MAVEN, "pom.xml", "?"), _explain(error))]
    return parse_updates(log)


@cache
def _find_npm(name: str) -> str:
    return _run([get_tool("npm").path, "view", name, "version"]).strip()


@cache
def _find_go(name: str) -> str:
    """Return the newest version of a module, with the module's path if a major version is newer."""
    go = get_tool("go").path
    newer = next_major(name)
    with TemporaryDirectory() as scratch:
        ask = [go, "list", "-m", "-json"]
        try:
            module = json.loads(_run([*ask, f"{newer}@latest"], Path(scratch)))
        except subprocess.CalledProcessError:  # there is no such major version
            return str(json.loads(_run([*ask, f"{name}@latest"], Path(scratch)))["Version"])
    return f"{newer} {module['Version']}"


@cache
def _find_pip(name: str) -> str:
    listed = _run([sys.executable, "-m", "pip", "index", "versions", name])
    return listed.splitlines()[0].rpartition("(")[2].rstrip(")")


@cache
def _find_cargo(name: str) -> str:
    described = _run([get_tool("cargo").path, "info", "--quiet", "--color", "never", name])
    found = re.search(r"^version: (\S+)(?: \(latest (\S+)\))?", described, re.MULTILINE)
    if found is None:
        raise ValueError(f"cargo info {name} prints no version: {described}")
    return found[2] or found[1]


def _run(command: Sequence[str], folder: Path | None = None) -> str:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=True
    ).stdout


_FINDERS: dict[Registry, Callable[[str], str]] = {
    Registry.NPM: _find_npm,
    Registry.GO: _find_go,
    Registry.PIP: _find_pip,
    Registry.CARGO: _find_cargo,
}
_FILES = ("package-lock.json", "go.mod", "requirements.in", "Cargo.toml", "pom.xml")


def list_folders(services: Path) -> list[Path]:
    """Return the folders of services, backing services and bases that name dependencies."""
    places = [services / name for name in ("frameworks", "backing", "bases")]
    files = chain.from_iterable(place.rglob(name) for place in places for name in _FILES)
    return sorted({path.parent for path in files if "node_modules" not in path.parts})


def main(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders with dependencies; all if none")
    ] = None,
) -> None:
    """List the packages that services name and that have a newer stable version."""
    services = get_settings().services_dir
    chosen = folders or list_folders(services)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(zip(chosen, pool.map(list_outdated, chosen), strict=True))
    table = Table("folder", "package", "in use", "newest")
    for row in _list_rows(services, found):
        table.add_row(*row)
    console = Console()
    console.print(table if table.row_count else "All packages are the newest stable ones.")


def _list_rows(
    services: Path, found: Sequence[tuple[Path, Sequence[Update]]]
) -> Iterator[tuple[str, str, str, str]]:
    for folder, updates in found:
        is_own = folder.resolve().is_relative_to(services.resolve())
        name = str(folder.resolve().relative_to(services.resolve()) if is_own else folder)
        for dependency, newest in updates:
            yield name, dependency.name, dependency.version, newest


if __name__ == "__main__":
    typer.run(main)
