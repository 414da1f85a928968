"""Parsing of tool versions from the real output of the tools."""

import sys
from pathlib import Path

import pytest

from backend.platform import tools
from backend.platform.tools import (
    choose_tool,
    find_tool,
    module_go,
    parse_requirement,
    parse_version,
    resolve_tools,
    tell_missing,
)

CAPTURED = [
    ("node", "v20.20.2\n", (20, 20, 2)),
    ("node", "v24.19.0\n", (24, 19, 0)),
    ("npm", "11.19.1\n", (11, 19, 1)),
    ("npm", "npm warn config cache is deprecated\n9.2.0\n", (9, 2, 0)),
    ("python", "Python 3.13.0rc2\n", (3, 13, 0)),
    ("go", "go1.26.8\n", (1, 26, 8)),
    ("go", "go version go1.19.8 linux/amd64\n", (1, 19, 8)),
    (
        "java",
        'openjdk version "17.0.15" 2025-04-15\n'
        "OpenJDK Runtime Environment (build 17.0.15+6-Debian-1deb12u1)\n"
        "OpenJDK 64-Bit Server VM (build 17.0.15+6-Debian-1deb12u1, mixed mode, sharing)\n",
        (17, 0, 15),
    ),
    (
        "java",
        "Picked up JAVA_TOOL_OPTIONS: -Dfile.encoding=UTF-8\n"
        'openjdk version "25" 2025-09-16\nOpenJDK Runtime Environment (build 25+36)\n',
        (25,),
    ),
    (
        "java",
        'java version "1.8.0_392"\nJava(TM) SE Runtime Environment (build 1.8.0_392-b08)\n',
        (8, 0, 392),
    ),
    (
        "mvn",
        "\x1b[1mApache Maven 3.8.7\x1b[m\nMaven home: /usr/share/maven\n"
        "Java version: 17.0.15, vendor: Debian\n",
        (3, 8, 7),
    ),
    (
        "mvn",
        "Apache Maven 4.0.0-rc-4 (bed0f8174bf728978f86fac533aa38a9511f3872)\n",
        (4, 0, 0),
    ),
    ("cargo", "cargo 1.95.0 (f2d3ce0bd 2026-03-21)\n", (1, 95, 0)),
    ("rabbitmq", "rabbit-3.10.8\n", (3, 10, 8)),
    ("postgres", "postgres (PostgreSQL) 15.12 (Debian 15.12-0+deb12u2)\n", (15, 12)),
    ("redis", "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64\n", (7, 0, 15)),
    ("redis", "Valkey server v=9.1.2 sha=00000000:1 malloc=libc bits=64\n", (9, 1, 2)),
    ("cargo", "cargo 1.85.1 (d73d2caf9 2024-12-31)\n", (1, 85, 1)),
    ("node", "bash: node: command not found\n", None),
    ("java", "The operation couldn't be completed. Unable to locate a Java Runtime.\n", None),
]


@pytest.mark.parametrize(("name", "output", "version"), CAPTURED)
def test_versions_as_tools_print_them(
    name: str, output: str, version: tuple[int, ...] | None
) -> None:
    assert parse_version(name, output) == version


def test_requirements() -> None:
    requirement = parse_requirement("node>=20.19")
    assert (requirement.name, requirement.minimum) == ("node", (20, 19))
    assert parse_requirement("mvn").minimum == ()
    for wrong in ("gradle", "node>20", "node>=", "node >=20", ""):
        with pytest.raises(ValueError, match="is not a tool requirement"):
            parse_requirement(wrong)


def test_this_python_is_found_and_a_future_one_is_not() -> None:
    tool = find_tool("python>=3.11")
    assert tool is not None
    assert tool.path == sys.executable
    assert find_tool("python>=99") is None


@pytest.fixture
def monkeypatch(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The programs of the host are searched again."""
    monkeypatch.setattr(tools, "_candidates", tools._candidates.__wrapped__)
    return monkeypatch


def test_node_and_go_come_from_packages_when_the_host_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    for requirement in ("node>=20.19", "go>=1.25", "npm"):
        tool = find_tool(requirement)
        assert tool is not None, requirement
        assert tool.source == "package"
    assert find_tool("mvn") is None
    assert set(resolve_tools()) == {"node", "npm", "go", "python", "postgres", "redis"}


def test_servers_come_from_packages_and_else_from_the_host(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    printed = {"postgres": "postgres (PostgreSQL) 99.1", "valkey-server": "Valkey server v=99.1"}
    for name, output in printed.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{output}'\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    for requirement, program in (("postgres", "postgres"), ("redis", "valkey-server")):
        packaged, own = find_tool(requirement), find_tool(f"{requirement}>=99")
        assert packaged is not None
        assert packaged.source == "package"
        assert own is not None
        assert own.path == str(tmp_path / program)


def test_an_old_tool_of_the_host_is_skipped_and_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, output in (("go", "go1.19.8"), ("mvn", "Apache Maven 3.6.3 (Debian)")):
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{output}'\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    old, new = choose_tool("go>=1.19"), choose_tool("go>=1.25")
    assert old is not None
    assert old.path == str(tmp_path / "go")
    assert new is not None
    assert new.source == "package"
    assert choose_tool("mvn>=3.9") is None
    assert tell_missing("mvn>=3.9") == "mvn>=3.9 (here is 3.6.3)"


def test_tools_in_the_environment_of_tacho_are_not_those_of_the_host(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{own}:{tmp_path}")

    node = find_tool("node")

    assert (own / "node").exists()
    assert node is not None
    assert (node.source, Path(node.path).parent == own) == ("package", False)


def test_scripts_of_version_managers_are_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for folder, version in (("shims", "24.1.0"), ("bin", "22.1.0")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "node").write_text(f"#!/bin/sh\necho v{version}\n")
        (tmp_path / folder / "node").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'shims'}:{tmp_path / 'bin'}:/usr/bin:/bin")

    node = find_tool("node")

    assert node is not None
    assert node.path == str(tmp_path / "bin" / "node")


def test_go_requirement_is_read_from_the_module(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module tacho\n\ngo 1.25.3\n\nrequire (\n)\n")
    assert module_go(tmp_path) == "go>=1.25.3"
