"""`tacho guard --publish`: the stored result and its address."""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.models import StoredGuard
from backend.core.results.guard.document import GuardedLoad, GuardReport, ServiceVersion
from backend.core.statuses import GuardVerdict
from backend.core.units import RuntimeKind
from cli import app, guard
from cli.publishing import publish_report

REPORT = GuardReport(
    service="shop",
    base=ServiceVersion(name="main", commit="a" * 40),
    head=ServiceVersion(name="the working tree"),
    loads=(GuardedLoad(load="checkout", engine="k6"),),
    host="bench-1",
    runtime=RuntimeKind.PROCESS,
    most_minutes=15,
)


def publish(url: str) -> str | None:
    return publish_report(get_settings(), url, REPORT)


def test_a_result_is_stored_and_its_address_returned(live_url: str, database: Settings) -> None:
    address = publish(live_url)

    with unit_of_work() as session:
        stored = session.query(StoredGuard).one()
        assert (stored.service, stored.verdict) == ("shop", GuardVerdict.UNKNOWN)
        assert address == f"{live_url}/guards/{stored.slug}"


def test_a_password_in_the_address_is_not_published(live_url: str, database: Settings) -> None:
    address = publish(live_url.replace("://", "://ann:s3cret@"))

    assert address is not None
    assert "s3cret" not in address
    assert address.startswith(f"{live_url}/guards/")


def test_a_tacho_that_does_not_answer_is_named(
    database: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert publish("http://127.0.0.1:9") is None
    assert "No Tacho answers at http://127.0.0.1:9" in capsys.readouterr().err


@pytest.fixture
def make_server() -> Callable[[int, bytes], str]:
    """Returns the address of a server that answers one request with this status and body."""

    def make(status: int, body: bytes) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)

        def answer() -> None:
            with server:
                server.handle_request()

        Thread(target=answer, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    return make


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (201, b'{"slug": "../../evil"}'),
        (201, b'{"slug": 7}'),
        (200, b"<html>"),
        (404, b'["not found"]'),
        (422, b'{"detail": "refused", "problems": [1, 2]}'),
        (401, b'{"detail": "Sign in."}'),
    ],
)
def test_an_answer_of_another_server_stores_nothing(
    database: Settings,
    make_server: Callable[[int, bytes], str],
    capsys: pytest.CaptureFixture[str],
    status: int,
    body: bytes,
) -> None:
    assert publish(make_server(status, body)) is None
    assert "error: " in capsys.readouterr().err


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `tacho guard` end with the report at once. The acceptance tests measure."""
    steps = ("begin", "_choose_versions", "parse_service_file", "select_loads", "open_own_bench")
    for step in steps:
        monkeypatch.setattr(guard, step, lambda *_: None)
    monkeypatch.setattr(guard, "Repository", SimpleNamespace(find=lambda _: None))
    monkeypatch.setattr(guard, "_export", lambda *_: (Path(), Path()))
    ended = SimpleNamespace(run=lambda *_: REPORT)
    monkeypatch.setattr(guard, "Guard", lambda *_: ended)


@pytest.mark.usefixtures("measured", "database")
def test_a_guard_prints_and_writes_the_address(live_url: str, tmp_path: Path) -> None:
    comment = tmp_path / "comment.md"
    words = ["guard", "--json", "--markdown", str(comment), "--publish", "--url", live_url]

    ended = CliRunner().invoke(app, words)

    address = json.loads(ended.stdout)["url"]
    assert ended.exit_code == 6
    assert f"Result: {address}\n" in ended.stderr
    assert comment.read_text().endswith(f"[Result]({address})\n")


@pytest.mark.usefixtures("measured", "database")
def test_a_failure_to_publish_is_printed_and_keeps_the_exit_code(tmp_path: Path) -> None:
    comment = tmp_path / "comment.md"
    words = ["guard", "--markdown", str(comment), "--publish", "--url", "http://127.0.0.1:9"]

    ended = CliRunner().invoke(app, words)

    assert ended.exit_code == 6
    assert "Unknown: no pair of trials was completed" in ended.stdout
    assert "No Tacho answers" in ended.stderr
    assert "[Result]" not in comment.read_text()


@pytest.mark.usefixtures("measured")
def test_a_wrong_address_is_refused_before_anything_is_measured() -> None:
    ended = CliRunner().invoke(app, ["guard", "--publish", "--url", "ftp://tacho"])

    assert ended.exit_code == 2
    assert "Unknown" not in ended.stdout
