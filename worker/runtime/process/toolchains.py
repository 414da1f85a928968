"""The toolchains of a host: how manifests name them, and which folders they consist of."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from backend.platform.tools import choose_tool, parse_requirement, tell_missing
from worker.runtime.base import BuildRequest
from worker.runtime.errors import RuntimeUnavailable

_SYSTEM = Path("/usr")


def substitute(command: Sequence[str], tools: Mapping[str, str]) -> list[str]:
    """Return a command with `{node}` and similar words replaced by the paths of the tools."""
    words = []
    for word in command:
        for name, path in tools.items():
            word = word.replace("{" + name + "}", path)  # noqa: PLW2901
        words.append(word)
    return words


def choose_tools(request: BuildRequest, tools: Mapping[str, str]) -> dict[str, str]:
    """Return `tools`, with those that the recipe requires in a version that is new enough.

    Raises:
        RuntimeUnavailable: names the first tool that this host does not have.
    """
    if request.process is None:
        raise RuntimeUnavailable(
            f"{request.slug} has no [process] table in its manifest, so it runs in Docker only.",
            "Choose the docker runtime.",
        )
    chosen = dict(tools)
    for requirement in request.process.requires:
        tool = choose_tool(requirement)
        if tool is None:
            raise RuntimeUnavailable(
                f"{request.slug} needs {tell_missing(requirement)}, which this host does not have.",
                "Run `tacho doctor` to see how to get it.",
            )
        chosen[tool.name] = tool.path
    return chosen


def tool_environment(tools: Mapping[str, str], base: Mapping[str, str]) -> dict[str, str]:
    """Return `base` with the tools first on PATH, and with JAVA_HOME if there is a Java."""
    folders = dict.fromkeys(str(Path(path).parent) for path in tools.values())
    path = os.pathsep.join([*folders, base.get("PATH", os.defpath)])
    java = (
        {"JAVA_HOME": str(Path(tools["java"]).resolve().parent.parent)} if "java" in tools else {}
    )
    return {**base, **java, "PATH": path}


def list_tool_folders(requires: Iterable[str], tools: Mapping[str, str]) -> list[Path]:
    """Return the folders that programs need to use these tools, outside of /usr."""
    folders: list[Path] = []
    for name in (parse_requirement(requirement).name for requirement in requires):
        path = Path(tools[name])
        if name == "cargo":
            # The folder above also holds the credentials of registries.
            folders += [path.parent, *_list_rust_toolchains()]
            continue
        for file in dict.fromkeys([path, path.resolve()]):
            folders.append(file.parent.parent if file.parent.name == "bin" else file.parent)
        if name in {"python", "npm"}:
            folders += [Path(sys.prefix), Path(sys.base_prefix)]
        if name == "postgres":
            folders += _list_packaged_libraries(path)
    return [folder for folder in dict.fromkeys(folders) if not folder.is_relative_to(_SYSTEM)]


def _list_packaged_libraries(server: Path) -> list[Path]:
    """Return the folder with the libraries of a package that contains PostgreSQL.

    It is next to the package, as tools that repair wheels place it.
    """
    libraries = [folder.with_name(f"{folder.name}.libs") for folder in server.parents[2:3]]
    return [folder for folder in libraries if folder.is_dir()]


def rust_environment() -> dict[str, str]:
    """Return where rustup keeps its toolchains, if it does; a private home has none."""
    folders = _list_rust_toolchains()
    return {"RUSTUP_HOME": str(folders[0])} if folders else {}


def _list_rust_toolchains() -> list[Path]:
    folder = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
    return [folder] if folder.is_dir() else []
