"""The program that backing services share starts a server, and ends it with all its files."""

import os
import signal
import subprocess
from pathlib import Path

import httpx

from backend.core.catalog.folders import Catalogue
from backend.core.config import ROOT
from backend.platform.network import find_free_port
from backend.platform.tools import get_tool
from backend.tests.waiting import LIMIT_S, wait_for


def test_sigterm_ends_the_server_and_removes_its_files(tmp_path: Path) -> None:
    source, files = tmp_path / "source", tmp_path / "files"
    Catalogue(ROOT / "services").backing_services["redis"][1].copy_to(source)
    subprocess.run([get_tool("go>=1.26").path, "build", "-o", "store", "."], cwd=source, check=True)
    files.mkdir()
    port = find_free_port()
    settings = {
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "RPC_PORT": str(find_free_port({port})),
        "TMPDIR": str(files),
    }

    with subprocess.Popen(
        [source / "store", get_tool("redis").path], env={**os.environ, **settings}
    ) as process:
        try:
            wait_for(lambda: _is_healthy(port))
            assert [path.name.partition("-")[0] for path in files.iterdir()] == ["redis"]
            process.send_signal(signal.SIGTERM)
            assert process.wait(LIMIT_S) == 0
        finally:
            process.kill()

    assert list(files.iterdir()) == []


def _is_healthy(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health").status_code == httpx.codes.OK
    except httpx.TransportError:
        return False
