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
