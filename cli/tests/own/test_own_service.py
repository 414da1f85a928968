"""An own service from its first `tacho.toml` to the verdict about a change, in real processes."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.core.config import ROOT

pytestmark = pytest.mark.acceptance

SERVER = """\
import json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROUNDS = {rounds}
ANSWER = {answer!r}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/private" and self.headers.get("Authorization") != "Bearer t-1":
            return self.reply(401, {{}})
        for _ in range(ROUNDS):
            sum(range(1000))
        self.reply(200, {{"answer": ANSWER, "path": self.path}})

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.reply(200, {{"token": "t-1"}})

    def reply(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


address = os.environ.get("HOST", "0.0.0.0"), int(os.environ["PORT"])
ThreadingHTTPServer(address, Handler).serve_forever()
"""
DESCRIPTION = """\
[service]
name = "shop"
ready = "/health"
memory_mb = 128

[docker]

[process]
requires = ["python"]
run = ["{python}", "server.py"]

[loads.main]
http = "loads/main.http"
kind = "rate"
rate_rps = 40
warm_up_seconds = 3
duration_seconds = 4

[loads.main.worse]
cpu_us_per_request = "20%"

[loads.script]
script = "loads/main.js"
warm_up_seconds = 3
duration_seconds = 4

[loads.script.worse]
cpu_us_per_request = "20%"
"""
REQUESTS = """\
# @name login
POST {{BASE_URL}}/login
Content-Type: application/json

{"user": "ann"}

###
GET /private
Authorization: Bearer {{login.response.body.$.token}}

### A page
# @weight 3
GET /page?number={{$randomInt 1 100}}
"""
SCRIPT = """\
import http from 'k6/http';
import { check, sleep } from 'k6';
import { Trend } from 'k6/metrics';

const wait = new Trend('wait', true);

export const options = {
  vus: 2,
  duration: '30s',
  thresholds: { checks: ['rate>0.99'] },
};

export default function () {
  const response = http.get(`${__ENV.BASE_URL}/page`);
  wait.add(response.timings.duration);
  check(response, {
    'is 200': (r) => r.status === 200,
    'is yes': (r) => r.json('answer') === 'yes',
  });
  sleep(0.05);
}
"""


class Shop:
    """A repository with the service, and the command line."""

    def __init__(self, folder: Path, data: Path, runtime: str) -> None:
        self.folder = folder
        self.runtime = runtime
        self._environment = {
            **os.environ,
            "TACHO_DATA": str(data),
            "PYTHONPATH": str(ROOT),
            "GIT_AUTHOR_NAME": "Ann",
            "GIT_AUTHOR_EMAIL": "ann@example.org",
            "GIT_COMMITTER_NAME": "Ann",
            "GIT_COMMITTER_EMAIL": "ann@example.org",
        }

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.folder), *arguments]
        done = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, title: str, *, rounds: int = 0, answer: str = "yes") -> str:
        """Commit a version whose requests cost so many rounds of CPU; return its hash."""
        (self.folder / "server.py").write_text(SERVER.format(rounds=rounds, answer=answer))
        (self.folder / "notes.md").write_text(title)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", title)
        return self.git("rev-parse", "HEAD")

    def tacho(self, *arguments: str, seconds: int = 600) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "cli", *arguments],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def guard(self, *arguments: str) -> tuple[int, Mapping[str, Any]]:
        done = self.tacho("guard", "--json", "--runtime", self.runtime, *arguments)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)


@pytest.fixture(params=["process", pytest.param("docker", marks=pytest.mark.docker)])
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Shop:
    folder = tmp_path / "shop"
    (folder / "loads").mkdir(parents=True)
    # The settings of a service are not those of Tacho.
    (folder / ".env").write_text("TACHO_RUNTIME=none\n")
    (folder / "tacho.toml").write_text(DESCRIPTION)
    (folder / "loads/main.http").write_text(REQUESTS)
    (folder / "loads/main.js").write_text(SCRIPT)
    data = ROOT / ".tacho" / "own"
    shutil.rmtree(data / "trials", ignore_errors=True)
    found = Shop(folder, data, request.param)
    if request.param == "docker":
        base = _build_base()
        (folder / "Dockerfile").write_text(
            f"FROM {base}\nCOPY server.py /\nUSER 10001:10001\n"
            'CMD ["python3", "-u", "/server.py"]\n'
        )
    found.git("init", "-q", "-b", "main")
    return found


def _build_base() -> str:
    """Return the reference of a base image with Python, which it builds if it is missing."""
    command = [sys.executable, "-m", "worker.runtime.bases", "build", "python"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip().splitlines()[-1].split("=", 1)[1]


def test_a_slowdown_is_found(shop: Shop) -> None:
    base = shop.commit("Begin")
    checked = shop.tacho("check", "--runtime", shop.runtime)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    shop.commit("Sum up more", rounds=400)

    code, document = shop.guard("--base", base, "--minutes", "6", "--markdown", "comment.md")

    assert code == 4, document
    assert str(document["headline"]).startswith("Slower, confirmed: CPU per request ")
    comment = (shop.folder / "comment.md").read_text()
    assert "Responses equal:" in comment
    assert len(comment.splitlines()) <= 25


@pytest.fixture
def tacho_url(tmp_path: Path) -> Iterator[str]:
    """The address of a Tacho of its own, whose host runs services as processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url, log = f"http://127.0.0.1:{port}", tmp_path / "up.log"
    ours = {"TACHO_DATA": str(tmp_path / "tacho"), "TACHO_PORT": str(port)}
    environment = {**os.environ, **ours, "TACHO_RUNTIME": "process", "PYTHONPATH": str(ROOT)}
    with log.open("w") as output:
        tacho = subprocess.Popen(
            [sys.executable, "-m", "cli", "up"],
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=output,
        )
    try:
        deadline = time.monotonic() + 600
        while "Tacho is ready" not in log.read_text():
            assert tacho.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(1)
        yield url
    finally:
        tacho.terminate()
        tacho.wait(60)


@pytest.mark.parametrize("shop", ["process"], indirect=True)
def test_a_bench_host_measures_what_the_command_sends(shop: Shop, tacho_url: str) -> None:
    base = shop.commit("Begin")
    shop.commit("Sum up more", rounds=100)
    options = ("--on", "any", "--url", tacho_url, "--load", "main", "--minutes", "6")

    code, document = shop.guard("--base", base, *options)

    assert code == 4, document
    stored = httpx.get(document["url"].replace("/guards/", "/api/v1/guards/")).json()
    assert stored["headline"] == document["headline"]
    assert stored["report"]["base"]["commit"] == base
    assert f"--on {stored['report']['host']} " in stored["report"]["command"]

    (shop.folder / "server.py").write_text("raise SystemExit('broken on purpose')\n")
    failed = shop.tacho("guard", "--base", base, *options)
    assert failed.returncode == 1
    assert "The head working tree fails." in failed.stderr
    assert "broken on purpose" in failed.stderr


@pytest.mark.parametrize("shop", ["process"], indirect=True)
def test_a_history_confirms_the_commit_that_made_the_service_slower(
    shop: Shop, tacho_url: str
) -> None:
    begin = shop.commit("Begin")
    options = ("--runtime", "process", "--load", "main", "--minutes", "5", "--url", tacho_url)
    refused = shop.tacho("measure", *options)
    assert refused.returncode == 2
    assert "shop has no history yet" in refused.stderr
    note = shop.commit("Note")
    first = shop.tacho("measure", "--since", begin, *options)
    assert first.returncode in {0, 6}, first.stdout + first.stderr

    slow = shop.commit("Sum up more", rounds=400)
    second = shop.tacho("measure", *options)

    assert second.returncode == 4, second.stdout + second.stderr
    assert f"It differs from {note[:10]}." in second.stdout
    answer = httpx.get(f"{tacho_url}/api/v1/guards/history", params={"service": "shop"})
    [history] = answer.json()["items"]
    assert [point["head"]["commit"] for point in history["points"]] == [note, slow]
    [change] = history["points"][1]["changes"]
    assert change["step"] == "worse"
    assert change["confirmed_by"]


@pytest.mark.parametrize("shop", ["process"], indirect=True)
def test_different_responses_come_before_any_number(shop: Shop) -> None:
    base = shop.commit("Begin")
    shop.commit("Break the answer", answer="no")

    code, document = shop.guard("--base", base, "--load", "main")

    assert (code, document["verdict"]) == (5, "responses_differ")
    [load] = document["loads"]
    difference = load["responses"]["differences"][0]
    assert (difference["place"], difference["head"]) == ("$.answer", '"no"')
    assert load["changes"] == []


@pytest.mark.parametrize("shop", ["process"], indirect=True)
def test_a_head_that_breaks_a_check_of_a_script_is_not_judged(shop: Shop) -> None:
    base = shop.commit("Begin")
    shop.commit("Break the answer", answer="no")

    code, document = shop.guard("--base", base, "--load", "script")

    assert (code, document["verdict"]) == (5, "responses_differ")
    [load] = document["loads"]
    [check] = [check for check in load["script"]["checks"] if check["name"] == "is yes"]
    assert check["base"]["fails"] == check["head"]["passes"] == 0
    assert load["changes"] == []


@pytest.mark.parametrize("shop", ["process"], indirect=True)
def test_a_metric_of_a_script_has_a_verdict(shop: Shop) -> None:
    path = shop.folder / "tacho.toml"
    limits = '[loads.script.worse]\n"script:wait" = "30%"\n'
    path.write_text(DESCRIPTION[: DESCRIPTION.index("[loads.script.worse]")] + limits)
    base = shop.commit("Begin")
    shop.commit("Sum up more", rounds=400)

    code, document = shop.guard("--base", base, "--load", "script", "--minutes", "6")

    assert code == 4, document
    assert document["headline"].startswith("Worse, confirmed: wait ")


ASK_REDIS = """\
import os, socket
from urllib.parse import urlsplit

def ask(command):
    url = urlsplit(os.environ["REDIS_URL"])
    with socket.create_connection((url.hostname, url.port)) as link:
        link.sendall(command)
        return link.recv(100)
"""


def test_a_command_prepares_data_before_each_trial(shop: Shop) -> None:
    python = "python3" if shop.runtime == "docker" else "{python}"
    prepare = f'prepare = ["{python}", "PLACEprepare.py"]'
    path = shop.folder / "tacho.toml"
    text = DESCRIPTION.replace("memory_mb = 128", 'memory_mb = 128\nbacking = ["redis"]')
    text = text.replace("[docker]", f"[docker]\n{prepare.replace('PLACE', '/')}")
    path.write_text(text.replace("[process]", f"[process]\n{prepare.replace('PLACE', '')}"))
    if shop.runtime == "docker":
        dockerfile = shop.folder / "Dockerfile"
        dockerfile.write_text(dockerfile.read_text().replace("COPY server.py", "COPY *.py"))
    (shop.folder / "prepare.py").write_text(f"{ASK_REDIS}\nask(b'SET fruit pear\\r\\n')\n")
    shop.commit("Begin")
    needs = f"{ASK_REDIS}\nassert b'pear' in ask(b'GET fruit\\r\\n')\n"
    server = shop.folder / "server.py"
    server.write_text(needs + server.read_text())

    done = shop.tacho("check", "--runtime", shop.runtime)
    assert done.returncode == 0, done.stdout + done.stderr

    (shop.folder / "prepare.py").write_text("raise SystemExit('no table of fruit')\n")
    failed = shop.tacho("check", "--runtime", shop.runtime)
    assert failed.returncode == 1
    assert "The command `prepare` ended with exit code 1." in failed.stderr
    assert "no table of fruit" in failed.stderr


@pytest.mark.parametrize("shop", ["process"], indirect=True)
def test_bisect_finds_the_slow_commit_and_skips_a_commit_that_fails(shop: Shop) -> None:
    good = shop.commit("Begin")
    for number in range(1, 4):
        shop.commit(f"Note {number}")
    # The first commit to be tested, because it is in the middle of eight.
    (shop.folder / "server.py").write_text("raise SystemExit('broken')\n")
    shop.git("commit", "-q", "-a", "-m", "Break the start")
    shop.commit("Note 4")
    slow = shop.commit("Sum up more", rounds=400)
    for number in range(5, 7):
        shop.commit(f"Note {number}", rounds=400)

    arguments = [f"{good}..HEAD", "--load", "main", "--runtime", "process"]
    done = shop.tacho("bisect", *arguments, seconds=900)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Break the start: it fails" in done.stdout
    assert f"First slow commit: {slow[:10]}" in done.stdout


@pytest.mark.parametrize("shop", ["process"], indirect=True)
@pytest.mark.parametrize(
    ("file", "before", "after", "words"),
    [
        (
            "tacho.toml",
            "rate_rps = 40",
            "rate_rp = 40",
            "toml:15: loads.main.rate_rp: is not",
        ),
        (
            "tacho.toml",
            "rate_rps = 40",
            "rate_rps = -1",
            "toml:15: loads.main.rate_rps: is -1",
        ),
        ("tacho.toml", "loads/main.http", "loads/none.http", "loads/none.http"),
        ("tacho.toml", "[process]", "[proces]", "toml:8: proces: is not a known key"),
        ("tacho.toml", "server.py", "absent.py", "tacho.toml:10 (process.run)"),
        ("tacho.toml", '"/health"', '"/private"', "was not ready after"),
        ("loads/main.http", "{{BASE_URL}}", "https://example.org", "main.http:2"),
        ("loads/main.http", "GET /private", "DELETE /private", "(line 8)"),
        ("loads/main.js", "http.get(", "http.got(", "main.js"),
    ],
)
def test_each_fault_has_one_message_with_its_place(
    shop: Shop, file: str, before: str, after: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACHO_READY_SECONDS", "3")
    path = shop.folder / file
    shop.commit("Begin")
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))

    done = shop.tacho("check", "--runtime", "process")

    assert done.returncode in {1, 2}
    assert words in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("shop", ["process"], indirect=True)
def test_a_base_that_does_not_exist_is_refused(shop: Shop) -> None:
    shop.commit("Begin")

    done = shop.tacho("guard", "--base", "origin/main")

    assert done.returncode == 2
    assert "There is no commit 'origin/main'" in done.stderr
