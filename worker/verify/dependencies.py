"""Reads the direct dependencies of services from their files, with the versions in use; pure.

`pom.xml` is read by Maven itself (`worker.verify.outdated`), because parents decide versions.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_GO_REQUIRED = re.compile(r"^(?:require )?\s*(\S+\.\S+) (v\S+)$", re.MULTILINE)
_GO_MAJOR = re.compile(r"/v(\d+)$")


class Registry(StrEnum):
    """A package registry, by the name of its language's client."""

    NPM = "npm"
    GO = "go"
    PIP = "pip"
    CARGO = "cargo"
    MAVEN = "mvn"


@dataclass(frozen=True, order=True)
class Dependency:
    """A package that a service names itself, with the version in use."""

    registry: Registry
    name: str
    version: str


def read_dependencies(folder: Path) -> Iterator[Dependency]:
    """Yield the direct dependencies that the files of a folder pin, without those of Maven."""
    for name, read in _READERS.items():
        path = folder / name
        if path.is_file():
            yield from read(path)


def next_major(name: str) -> str:
    """Return the module path of the next major version of a Go module."""
    found = _GO_MAJOR.search(name)
    return f"{name[: found.start()]}/v{int(found[1]) + 1}" if found else f"{name}/v2"


def _read_npm(path: Path) -> Iterator[Dependency]:
    """Yield the packages of a `package-lock.json` that its `package.json` names."""
    packages = json.loads(path.read_text(encoding="utf-8"))["packages"]
    root = packages[""]
    for name in {**root.get("dependencies", {}), **root.get("devDependencies", {})}:
        yield Dependency(Registry.NPM, name, packages[f"node_modules/{name}"]["version"])


def _read_go(path: Path) -> Iterator[Dependency]:
    """Yield the direct requirements of a `go.mod`; the others end with a comment."""
    for name, version in _GO_REQUIRED.findall(path.read_text(encoding="utf-8")):
        yield Dependency(Registry.GO, name, version)


def _read_pip(path: Path) -> Iterator[Dependency]:
    """Yield the packages of a `requirements.in` with the versions of its `requirements.txt`."""
    locked = (path.parent / "requirements.txt").read_text(encoding="utf-8")
    for line in path.read_text(encoding="utf-8").splitlines():
        name = re.split(r"[\[=<>~!; #]", line, maxsplit=1)[0].strip()
        found = re.search(rf"^{re.escape(name)}(?:\[[^]]*\])?==([^ ;\\]+)", locked, re.MULTILINE)
        if name and found:
            yield Dependency(Registry.PIP, name, found[1])


def _read_cargo(path: Path) -> Iterator[Dependency]:
    """Yield the `[dependencies]` of a `Cargo.toml`."""
    dependencies = tomllib.loads(path.read_text(encoding="utf-8")).get("dependencies", {})
    for name, wanted in dependencies.items():
        version = wanted if isinstance(wanted, str) else wanted["version"]
        yield Dependency(Registry.CARGO, name, version.lstrip("=^~"))


_READERS = {
    "package-lock.json": _read_npm,
    "go.mod": _read_go,
    "requirements.in": _read_pip,
    "Cargo.toml": _read_cargo,
}
