"""The servers of a test run end with the process that owns them."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from backend.platform.databases.temporary_servers import TemporaryServers
from backend.tests.waiting import LIMIT_S


@pytest.fixture
def owner() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(["sleep", "300"]) as process:
        yield process
        process.kill()


def test_all_servers_end_and_leave_no_file(
    owner: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    servers = TemporaryServers(tmp_path / "servers")
    servers.folder.mkdir()
    keeper = servers.start(owner.pid, redis_servers=2)
    addresses = servers.wait()
    psycopg.connect(addresses.postgres_url.replace("+psycopg", "")).close()
    for url in addresses.redis_urls:
        with redis.Redis.from_url(url) as client:
            assert client.ping()
    started = psutil.Process(keeper.pid).children(recursive=True)
    assert len(started) > 3

    owner.kill()
    owner.wait()

    assert keeper.wait(LIMIT_S) == 0
    assert not [process for process in started if process.is_running()]
    assert not servers.folder.exists()
