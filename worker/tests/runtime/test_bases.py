"""Base images: references for Dockerfiles, and equal versions in Debian-built images."""

import shutil
from contextlib import closing
from pathlib import Path

import docker
import pytest

from backend.core.errors import ManifestInvalid
from worker.runtime.docker.bases import Bases
from worker.runtime.docker.engine import connect

BASES = Path(__file__).parents[3] / "services" / "bases"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(BASES, tmp_path / "bases")


def test_official_references_come_from_the_file() -> None:
    bases = Bases.load(BASES, "official")
    assert bases.reference("node") == bases.get("node").official
    assert bases.get("java-run").variable == "BASE_JAVA_RUN"
    assert bases.reference("static") == Bases.load(BASES, "debian").reference("static") == "scratch"


def test_debian_references_follow_their_own_content_and_the_foundation(folder: Path) -> None:
    before = Bases.load(folder, "debian")
    node, python = before.reference("node"), before.reference("python")
    assert node.startswith("tacho-base/node:")

    with (folder / "node" / "Dockerfile").open("a") as dockerfile:
        dockerfile.write("RUN true\n")

    after = Bases.load(folder, "debian")
    assert after.reference("node") != node
    assert after.reference("python") == python

    with (folder / "debian" / "Dockerfile").open("a") as dockerfile:
        dockerfile.write("RUN true\n")
    assert Bases.load(folder, "debian").reference("python") != python


def test_an_unknown_base_is_named_with_the_known_ones() -> None:
    with pytest.raises(ManifestInvalid, match=r"'ruby'.*debian, node, python"):
        Bases.load(BASES, "official").reference("ruby")


def test_a_missing_dockerfile_is_named(folder: Path) -> None:
    (folder / "go" / "Dockerfile").unlink()
    with pytest.raises(ManifestInvalid, match=r"bases\.go\.debian.*Dockerfile"):
        Bases.load(folder, "debian")


def test_a_missing_key_is_named(folder: Path) -> None:
    (folder / "bases.toml").write_text('[root]\nsuite = "trixie"\n[bases.node]\n')
    with pytest.raises(ManifestInvalid, match="'official'"):
        Bases.load(folder, "debian")


@pytest.mark.docker
@pytest.mark.parametrize(
    ("name", "command", "shown"),
    [
        ("node", ["node", "--version"], "v24."),
        ("node", ["npm", "--version"], "."),
        ("python", ["python", "--version"], "Python 3.13."),
        ("go", ["go", "version"], "go1.27"),
        ("java-build", ["mvn", "--version"], "Java version: 25"),
        ("java-run", ["java", "--version"], "openjdk 25"),
        ("rust-build", ["cargo", "--version"], "cargo 1."),
    ],
)
def test_debian_built_bases_carry_the_official_versions(
    name: str, command: list[str], shown: str
) -> None:
    bases = Bases.load(BASES, "debian")
    with closing(docker.from_env()) as client, connect() as engine:
        bases.ensure(engine, name, print)
        logs: list[str] = []
        bases.ensure(engine, name, logs.append)
        assert logs == []
        output = client.containers.run(
            bases.reference(name), command, remove=True, network_mode="none"
        )
        assert shown in output.decode()
