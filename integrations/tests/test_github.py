"""The action for GitHub: its steps run as real processes against a server that acts as GitHub."""

import json
import os
import re
import shutil
import stat
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from markdown_it import MarkdownIt

from backend.core.results.guard.document import GuardedLoad, GuardReport, ServiceVersion
from backend.core.results.guard.report import render_markdown, to_document
from backend.core.units import RuntimeKind
from integrations.tests.github_server import BOT, REPOSITORY, GitHubServer, check_request

pytestmark = pytest.mark.acceptance

ACTION = Path(__file__).parents[1] / "github"
HEAD = "5" * 40
MARKER = "<!-- tacho-guard:catalog -->"
# It writes what the test put next to it, and records what it was called with.
TACHO = """#!/bin/bash
cd "$(dirname "$0")"
printf '%s\\n' "$@" > arguments
env > environment
while [ "$1" != --markdown ]; do shift; done
cp guard.md "$2" 2>/dev/null
cat guard.json 2>/dev/null
cat guard.log >&2
exit "$(cat code)"
"""


@pytest.fixture(scope="session")
def description(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return GitHub's description of its API, from its npm package."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is missing; it installs GitHub's description of its API")
    folder = tmp_path_factory.mktemp("openapi")
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(Path(__file__).with_name(name), folder)
    subprocess.run([npm, "ci", "--ignore-scripts", "--prefer-offline"], cwd=folder, check=True)
    path = folder / "node_modules/@octokit/openapi/generated/api.github.com.json"
    document: dict[str, Any] = json.loads(path.read_bytes())
    shutil.rmtree(folder)
    return document


@pytest.fixture
def github(description: dict[str, Any]) -> Iterator[GitHubServer]:
    """Serve GitHub, and check every request at the end."""
    with GitHubServer() as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()
    for method, target, headers, body in server.requests:
        check_request(description, method, target, body)
        assert headers["Authorization"] == "Bearer secret-token"


@dataclass
class Runner:
    """Runs the steps of `action.yml` for a repository with a service, as GitHub's runner does."""

    folder: Path
    github: GitHubServer

    def prepare(self, code: int, markdown: bool = True, log: str = "") -> str:
        """Decide what tacho does next; return the Markdown that it writes."""
        version = ServiceVersion(name="main", commit="1" * 40)
        report = GuardReport(
            service="catalog",
            base=version,
            head=version,
            loads=(GuardedLoad(load="main", engine="Tacho's sender"),),
            host="bench",
            runtime=RuntimeKind.DOCKER,
            most_minutes=20,
            command=f"tacho {code}",
        )
        document = json.dumps(to_document(report), indent=2) + "\n" if markdown else ""
        text = render_markdown(report) if markdown else ""
        for name, content in (("json", document), ("md", text), ("log", log)):
            (self.folder / f"bin/guard.{name}").write_text(content)
        if not markdown:
            (self.folder / "bin/guard.md").unlink()
        (self.folder / "bin/code").write_text(str(code))
        return text

    def run(
        self, event: dict[str, Any], name: str = "pull_request", **inputs: str
    ) -> tuple[int, str]:
        """Run the action; return the exit code of its last step, and what all steps printed."""
        action = yaml.safe_load((ACTION / "action.yml").read_text())
        values = {f"inputs.{key}": entry["default"] for key, entry in action["inputs"].items()}
        values |= {"inputs.token": "secret-token", "inputs.tacho": str(self.folder / "bin/tacho")}
        values |= {f"inputs.{key.replace('_', '-')}": value for key, value in inputs.items()}
        (self.folder / "event.json").write_text(json.dumps(event))
        environment = {
            "PATH": os.environ["PATH"],
            "GITHUB_ACTION_PATH": str(ACTION),
            "GITHUB_API_URL": self.github.url,
            "GITHUB_BASE_REF": "main",
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_SHA": "6" * 40,
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "RUNNER_TEMP": str(self.folder),
        }
        printed = ""
        for step in action["runs"]["steps"]:
            left, _, right = step.get("if", "x == 'x'").partition(" == ")
            if values.get(left, left) != right.strip("'"):
                continue
            output = self.folder / "output"
            output.write_text("")
            own = {key: _expand(entry, values) for key, entry in step["env"].items()}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.folder / "repository",
                env={**environment, **own, "GITHUB_OUTPUT": str(output)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            printed += done.stdout
            if done.returncode != 0:
                return done.returncode, printed
            for line in output.read_text().splitlines():
                key, _, value = line.partition("=")
                values[f"steps.{step['id']}.outputs.{key}"] = value
        return 0, printed

    @property
    def has_measured(self) -> bool:
        """Return whether tacho ran."""
        return (self.folder / "bin/arguments").exists()


def _expand(text: str, values: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: values[found[1]], text)


@pytest.fixture
def runner(tmp_path: Path, github: GitHubServer) -> Runner:
    """Return a runner with a service on a branch of one commit."""
    repository = tmp_path / "repository"
    (tmp_path / "bin").mkdir()
    tacho = tmp_path / "bin/tacho"
    tacho.write_text(TACHO)
    tacho.chmod(tacho.stat().st_mode | stat.S_IXUSR)
    git = ["git", "-c", "user.name=Test", "-c", "user.email=test@localhost", "-C", str(repository)]
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    (repository / "tacho.toml").write_text('[service]\nname = "catalog"\n')
    for command in ("add .", "commit -qm base", "update-ref refs/remotes/origin/main HEAD"):
        subprocess.run([*git, *command.split()], check=True)
    subprocess.run([*git, "commit", "-qm", "head", "--allow-empty"], check=True)
    return Runner(tmp_path, github)


def _event(fork: bool = False, action: str = "synchronize", label: str = "tacho") -> dict[str, Any]:
    name = "someone/shop" if fork else REPOSITORY
    labels = [{"name": label}] if action == "labeled" else []
    pull_request = {
        "number": 7,
        "head": {"sha": HEAD, "repo": {"full_name": name}},
        "labels": labels,
    }
    event = {"action": action, "pull_request": pull_request}
    return {**event, "label": labels[0]} if labels else event


@pytest.mark.parametrize("others", [0, 150])
def test_one_comment_is_edited_in_place(runner: Runner, github: GitHubServer, others: int) -> None:
    person = {"login": "someone", "type": "User"}
    for number in range(others):
        github.add_comment(person, f"{MARKER}\nnot from Tacho" if number == 3 else "Looks good")
    runner.prepare(4)
    assert runner.run(_event())[0] == 4
    text = runner.prepare(0)
    assert runner.run(_event())[0] == 0
    own = [comment["body"] for comment in github.comments if comment["user"] == BOT]
    assert own == [f"{MARKER}\n{text}"]
    assert len(github.comments) == others + 1
    assert text in (runner.folder / "summary.md").read_text()


def test_a_comment_by_the_person_of_the_token_is_edited(
    runner: Runner, github: GitHubServer
) -> None:
    github.user = {"login": "release-account", "type": "User"}
    github.add_comment(github.user, f"{MARKER}\nold")
    text = runner.prepare(0)
    runner.run(_event())
    assert [comment["body"] for comment in github.comments] == [f"{MARKER}\n{text}"]


@pytest.mark.parametrize(
    ("code", "conclusion", "ended", "inputs"),
    [
        (0, "success", 0, {}),
        (4, "failure", 4, {}),
        (5, "failure", 5, {}),
        (6, "neutral", 0, {}),
        (6, "neutral", 6, {"fail_on_unknown": "true"}),
    ],
)
def test_check_run_has_the_state_of_the_verdict(
    runner: Runner, github: GitHubServer, code: int, conclusion: str, ended: int, inputs: Any
) -> None:
    text = runner.prepare(code)
    assert runner.run(_event(), **inputs)[0] == ended
    (check_run,) = github.check_runs
    assert check_run["name"] == "Tacho: catalog"
    assert (check_run["conclusion"], check_run["head_sha"]) == (conclusion, HEAD)
    assert check_run["output"]["summary"] == text


@pytest.mark.parametrize("code", [1, 2])
def test_without_a_verdict_the_end_of_the_log_is_quoted(
    runner: Runner, github: GitHubServer, code: int
) -> None:
    lines = [*(f"line {number}" for number in range(30)), "````", "</details> @team", "::error::x"]
    runner.prepare(code, markdown=False, log="\n".join(lines) + "\n")
    ended, printed = runner.run(_event())
    assert ended == code
    (comment,) = github.comments
    assert comment["body"].startswith(MARKER)
    tokens = [token for token in MarkdownIt().parse(comment["body"]) if token.content]
    assert tokens[-1].type == "fence"
    assert tokens[-1].content == "\n".join(lines[-20:]) + "\n"
    assert github.check_runs[0]["conclusion"] == "failure"
    before, _, after = printed.partition("::error::x")
    (stop,) = re.findall("::stop-commands::(.+)", before)
    assert f"\n::{stop}::\n" in after


def test_guard_gets_the_inputs_and_no_token(runner: Runner) -> None:
    runner.prepare(0)
    runner.run(_event(), minutes="20", loads="browse buy", runtime="process")
    arguments = (runner.folder / "bin/arguments").read_text().splitlines()
    base = subprocess.check_output(
        ["git", "rev-parse", "origin/main"], cwd=runner.folder / "repository", text=True
    )
    assert arguments[:5] == ["guard", "--base", base.strip(), "--head", "HEAD"]
    assert arguments[-8:] == [
        *("--minutes", "20", "--runtime", "process", "--load", "browse", "--load", "buy")
    ]
    assert "secret-token" not in (runner.folder / "bin/environment").read_text()


@pytest.mark.parametrize("host", ["", "any"])
def test_only_a_guard_on_a_bench_host_gets_the_token_of_its_tacho(
    runner: Runner, host: str
) -> None:
    runner.prepare(0)
    runner.run(_event(), host=host, url="https://tacho.example.org", access_token="tacho_secret")
    arguments = (runner.folder / "bin/arguments").read_text().splitlines()
    environment = (runner.folder / "bin/environment").read_text()
    assert (arguments[-2:] == ["--on", "any"]) == bool(host)
    assert ("TACHO_TOKEN=tacho_secret" in environment) == bool(host)
    assert ("TACHO_URL=https://tacho.example.org" in environment) == bool(host)


def test_nothing_is_published_after_an_interruption(runner: Runner, github: GitHubServer) -> None:
    runner.prepare(130, markdown=False)
    assert runner.run(_event())[0] == 130
    assert github.requests == []


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("pull_request", _event(fork=True)),
        ("pull_request", _event(fork=True, action="labeled", label="other")),
        ("pull_request_target", _event(fork=True, action="labeled")),
    ],
)
def test_a_fork_without_the_label_runs_nothing(
    runner: Runner, github: GitHubServer, name: str, event: dict[str, Any]
) -> None:
    runner.prepare(0)
    ended, printed = runner.run(event, name)
    assert ended == 0
    assert printed.startswith("::notice title=Tacho::")
    assert not runner.has_measured
    assert github.requests == []


@pytest.mark.parametrize(
    ("labels", "sha", "has_measured"),
    [(["tacho"], HEAD, True), ([], HEAD, False), (["tacho"], "7" * 40, False)],
)
def test_the_label_of_a_fork_counts_if_github_confirms_it(
    runner: Runner, github: GitHubServer, labels: list[str], sha: str, has_measured: bool
) -> None:
    github.pull_request = {"labels": [{"name": label} for label in labels], "head": {"sha": sha}}
    runner.prepare(4)
    ended, _ = runner.run(_event(fork=True, action="labeled"))
    assert runner.has_measured == has_measured
    assert ended == (4 if has_measured else 0)


@pytest.mark.parametrize("refused", ["POST /check-runs", "POST /issues", "GET /issues", ""])
def test_missing_permissions_do_not_hide_the_exit_code(
    runner: Runner, github: GitHubServer, refused: str
) -> None:
    github.refused = (refused or "POST",)
    runner.prepare(4)
    ended, printed = runner.run(_event())
    assert ended == 4
    assert "pull-requests: write, checks: write" in printed
    assert "Resource not accessible by integration" in printed
    # The other one of the two is still published.
    assert len(github.comments) + len(github.check_runs) == (1 if refused else 0)
