"""The files of services yield their direct dependencies, and Maven's log its updates."""

from pathlib import Path

from backend.core.config import ROOT
from worker.verify.dependencies import Dependency, Registry, next_major, read_dependencies
from worker.verify.outdated import list_folders, parse_updates

SERVICES = ROOT / "services"
_LOG = """\
[INFO] The following dependencies in Dependencies have newer versions:
[INFO]   com.google.code.gson:gson ............................. 2.13.1 -> 2.14.0
[INFO]   org.apache.maven.plugins:maven-dependency-plugin-with-a-long-name ...
[INFO]                                                           3.9.0 -> 3.10.0
[INFO]   ${wildfly.version} .......................... 39.0.1.Final -> 40.0.0.Final
"""


def names(folder: str, registry: Registry) -> set[str]:
    found = read_dependencies(SERVICES / folder)
    return {item.name for item in found if item.registry is registry and item.version}


def test_direct_dependencies_of_our_services() -> None:
    assert names("frameworks/javascript/express", Registry.NPM) == {"express"}
    assert names("frameworks/python/fastapi", Registry.PIP) == {"fastapi", "httpx", "uvicorn"}
    assert "axum" in names("frameworks/rust/axum", Registry.CARGO)
    assert "bytes" not in names("frameworks/rust/axum", Registry.CARGO)


def test_direct_requirements_of_a_go_module(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text(
        "module a.example/b\n\ngo 1.27\n\nrequire c.example/d/v2 v2.1.0\n\n"
        "require (\n\te.example/f v1.0.0\n\tg.example/h v0.1.0 // indirect\n)\n"
    )

    assert list(read_dependencies(tmp_path)) == [
        Dependency(Registry.GO, "c.example/d/v2", "v2.1.0"),
        Dependency(Registry.GO, "e.example/f", "v1.0.0"),
    ]
    assert next_major("go-micro.dev/v5") == "go-micro.dev/v6"
    assert next_major("google.golang.org/grpc") == "google.golang.org/grpc/v2"


def test_updates_of_maven() -> None:
    assert [(item.name, item.version, newest) for item, newest in parse_updates(_LOG)] == [
        ("com.google.code.gson:gson", "2.13.1", "2.14.0"),
        (
            "org.apache.maven.plugins:maven-dependency-plugin-with-a-long-name",
            "3.9.0",
            "3.10.0",
        ),
        ("${wildfly.version}", "39.0.1.Final", "40.0.0.Final"),
    ]


def test_each_folder_of_a_service_is_listed_once() -> None:
    folders = list_folders(SERVICES)

    assert len(set(folders)) == len(folders)
    assert SERVICES / "frameworks/java/spring-mvc/versions/boot-3" in folders
    assert SERVICES / "frameworks/javascript/nest/microservices" in folders
