"""The files of Docker Compose agree with each other."""

from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from backend.core.config import ROOT

FILES = ("docker-compose.yml", "docker-compose.hosts.yml", "docker-compose.worker.yml")
# Containers that accept requests, or that run `create_run`.
PARTS_THAT_CREATE_RUNS = ("api", "dispatcher")
DISK_VARIABLES = ("TACHO_DATABASE_FOLDER", "TACHO_DATABASE_FREE_MB")
# The installation names a host that joins. The worker of the installation uses a socket.
ONLY_IN_INSTALLATION = {
    "TACHO_BENCH_HOST",
    "TACHO_LIMIT_BENCH_MINUTES",
    "TACHO_LIMIT_QUEUED_TRIALS",
}
ONLY_IN_JOINED_HOST = {"TACHO_ALLOW_UNENCRYPTED"}


def read_services(file: str) -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((ROOT / file).read_text())["services"]
    return services


@pytest.mark.parametrize("part", PARTS_THAT_CREATE_RUNS)
def test_parts_that_create_runs_see_the_disk_of_the_database(part: str) -> None:
    services = read_services("docker-compose.yml")
    (data,) = [name for name in services["database"]["volumes"] if "postgresql/data" in name]
    volume = data.partition(":")[0]
    variables = services[part]["environment"]

    folder = variables["TACHO_DATABASE_FOLDER"]
    assert f"{volume}:{folder}:ro" in services[part]["volumes"]
    assert [variables[name] for name in DISK_VARIABLES] == [
        services["api"]["environment"][name] for name in DISK_VARIABLES
    ]


@pytest.mark.parametrize("file", FILES)
def test_the_log_of_each_container_has_a_limit(file: str) -> None:
    services = read_services(file)
    # The second file adds to containers of the first one.
    if file == "docker-compose.hosts.yml":
        services = read_services("docker-compose.yml") | {
            name: read_services("docker-compose.yml").get(name, {}) | service
            for name, service in services.items()
        }
    limit = {"driver": "json-file", "options": {"max-size": "10m", "max-file": "5"}}
    assert {name: service.get("logging") for name, service in services.items()} == dict.fromkeys(
        services, limit
    )


def test_both_workers_get_the_same_settings() -> None:
    own = read_services("docker-compose.yml")["worker"]
    joined = read_services("docker-compose.worker.yml")["worker"]

    assert own["environment"].keys() - joined["environment"].keys() == ONLY_IN_INSTALLATION
    assert joined["environment"].keys() - own["environment"].keys() == ONLY_IN_JOINED_HOST
    shared = own["environment"].keys() & joined["environment"].keys()
    assert {name: own["environment"][name] for name in shared} == {
        name: joined["environment"][name] for name in shared
    }
    assert "healthcheck" in own
    assert "healthcheck" in joined
