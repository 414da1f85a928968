#!/usr/bin/env python3
"""Publish the verdict of `tacho guard` on a pull request: one comment and one check run.

`report.py gate` decides whether the guard may run. `report.py publish` publishes what it wrote.
`action.yml` calls both. The script uses only the standard library of Python 3.11.
"""

import json
import os
import re
import sys
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

# Events that only members of the repository can cause.
_MEMBER_EVENTS = ("push", "schedule", "workflow_dispatch")
# The state of the check run by exit code, and its title if there is no verdict. Other exit codes
# mean that the guard was interrupted or did not start, so nothing is published.
_CONCLUSIONS = {
    0: ("success", "Within the limits"),
    1: ("failure", "A version fails"),
    2: ("failure", "Tacho refuses to compare the versions"),
    4: ("failure", "Slower"),
    5: ("failure", "The versions cannot be compared"),
    6: ("neutral", "Unknown"),
}
_LOG_LINES = 20
_LONGEST_LINE = 500
# GitHub accepts 65,535 characters.
_MOST_CHARACTERS = 60_000
_NEXT_PAGE = re.compile(r'<([^>]+)>;\s*rel="next"')
_CONTROL_CHARACTERS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class GitHubError(Exception):
    """GitHub did not do what was requested; the message has the reason and the fix."""


class GitHub:
    """The API of GitHub for one repository."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._url = environment["GITHUB_API_URL"].rstrip("/")
        self._repository = f"{self._url}/repos/{environment['GITHUB_REPOSITORY']}"
        self._token = environment["TACHO_GITHUB_TOKEN"]

    def find_pull_request(self, number: int) -> Any:
        """Return a pull request as it is now."""
        return self._call("GET", f"{self._repository}/pulls/{number}")[0]

    def put_comment(self, number: int, marker: str, text: str) -> None:
        """Edit the comment that begins with the marker, or write it if there is none."""
        body = {"body": f"{marker}\n{text}"}
        found = self._find_comment(number, marker)
        if found is None:
            self._call("POST", f"{self._repository}/issues/{number}/comments", body)
        else:
            self._call("PATCH", f"{self._repository}/issues/comments/{found}", body)

    def create_check_run(self, check_run: Mapping[str, Any]) -> None:
        """Create a check run that is completed."""
        self._call("POST", f"{self._repository}/check-runs", check_run)

    def _find_comment(self, number: int, marker: str) -> int | None:
        page: str | None = f"{self._repository}/issues/{number}/comments?per_page=100"
        while page:
            comments, page = self._call("GET", page)
            for comment in comments:
                text = comment.get("body") or ""
                if text.startswith(marker) and self._is_own(comment.get("user") or {}):
                    return int(comment["id"])
        return None

    def _is_own(self, author: Mapping[str, Any]) -> bool:
        # Tokens of apps and of workflows belong to bots, and cannot read their user.
        return author.get("type") == "Bot" or author.get("login") == self._login

    @cached_property
    def _login(self) -> str:
        try:
            return str(self._call("GET", f"{self._url}/user")[0]["login"])
        except GitHubError:
            return ""

    def _call(self, method: str, url: str, body: object = None) -> tuple[Any, str | None]:
        """Return the document of the response, and the address of the next page if there is one.

        Raises:
            GitHubError: GitHub answers with an error, or not at all.
        """
        request = Request(  # noqa: S310 - the runner sets the address
            url,
            None if body is None else json.dumps(body).encode(),
            {
                "Accept": "application/vnd.github+json",
                "Content-Type": "application/json",
                "User-Agent": "tacho-guard",
                "X-GitHub-Api-Version": "2022-11-28",
            },
            method=method,
        )
        # A redirection to another host does not get the token.
        request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            with urlopen(request, timeout=30) as response:  # noqa: S310 - as above
                document = json.load(response)
                following = _NEXT_PAGE.search(response.headers.get("Link", ""))
        except HTTPError as error:
            raise GitHubError(_explain(error)) from error
        except (OSError, HTTPException, ValueError) as error:
            raise GitHubError(f"GitHub does not answer at {self._url}: {error}.") from error
        page = following[1] if following else ""
        return document, page if page.startswith(f"{self._url}/") else None


def _explain(error: HTTPError) -> str:
    try:
        reason = json.load(error)["message"]
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        reason = error.reason
    text = f"GitHub answers {error.code} ({reason})."
    if error.code in {401, 403, 404}:
        text += (
            " Give the job these permissions: pull-requests: write, checks: write. A pull request "
            "from a fork gets a token that can only read."
        )
    return text


def find_refusal(event: Mapping[str, Any], environment: Mapping[str, str]) -> str | None:
    """Return why the guard must not run for an event; None if it may run."""
    name, label = environment["GITHUB_EVENT_NAME"], environment["TACHO_LABEL"]
    if name in _MEMBER_EVENTS:
        return None
    if name != "pull_request":
        return f"Tacho does not run code of forks with the rights of {name}. Use pull_request."
    is_labeled = event["action"] == "labeled"
    if is_labeled and event["label"]["name"] != label:
        return f"The label {event['label']['name']} does not start Tacho."
    head = event["pull_request"]["head"]
    # The repository is missing if the fork was deleted.
    if head["repo"] and head["repo"]["full_name"] == environment["GITHUB_REPOSITORY"]:
        return None
    # The label stays when commits are added. Only the event of the label is about this commit.
    if not is_labeled:
        return (
            "This pull request comes from a fork, so Tacho does not run its code. Review the "
            f"commit {head['sha'][:10]}, then set the label {label}. Remove it first if it is set."
        )
    return _find_refusal_of_label(event["pull_request"], label, GitHub(environment))


def _find_refusal_of_label(
    pull_request: Mapping[str, Any], label: str, github: GitHub
) -> str | None:
    """Return why the label of an event does not count, because the event may be old."""
    try:
        now = github.find_pull_request(pull_request["number"])
    except GitHubError as error:
        return f"The label {label} cannot be checked. {error}"
    sha = pull_request["head"]["sha"]
    if label in [entry["name"] for entry in now["labels"]] and now["head"]["sha"] == sha:
        return None
    return (
        f"The label {label} was removed, or there are newer commits than {sha[:10]}. Review the "
        "newest commit, then set the label again."
    )


def publish(event: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    """Publish the verdict as a summary, a check run and a comment; return whether all succeeded."""
    code = int(environment["TACHO_EXIT_CODE"])
    if code not in _CONCLUSIONS:
        _print_command("notice", f"tacho guard ended with {code} and without a verdict.")
        return True
    conclusion, title = _CONCLUSIONS[code]
    reports = Path(environment["TACHO_REPORTS"])
    document = _read_document(reports / "guard.json")
    service = find_service(document, Path(environment["TACHO_FOLDER"]))
    text = _read(reports / "guard.md") or quote_log(title, _read(reports / "guard.log"))
    text = text[:_MOST_CHARACTERS]
    with Path(environment["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as summary:
        summary.write(f"{text}\n")
    github = GitHub(environment)
    pull_request = event.get("pull_request")
    check_run = {
        "name": f"Tacho: {service}",
        # GITHUB_SHA of a pull request is a merge that its page does not show.
        "head_sha": pull_request["head"]["sha"] if pull_request else environment["GITHUB_SHA"],
        "status": "completed",
        "conclusion": conclusion,
        "output": {"title": str(document.get("headline") or title)[:255], "summary": text},
    }
    faults = []
    try:
        github.create_check_run(check_run)
    except GitHubError as error:
        faults.append(f"The check run was not created. {error}")
    try:
        if pull_request:
            github.put_comment(pull_request["number"], f"<!-- tacho-guard:{service} -->", text)
    except GitHubError as error:
        faults.append(f"The comment was not written. {error}")
    for fault in faults:
        _print_command("warning", fault)
    return not faults


def find_service(document: Mapping[str, Any], folder: Path) -> str:
    """Return the name of the service, without characters that end the marker."""
    folder = folder.resolve()
    name = document.get("service")
    files = [place / "tacho.toml" for place in (folder, *folder.parents)]
    found = next((file for file in files if file.is_file()), None)
    if not name and found is not None:
        with suppress(ValueError, KeyError, TypeError):
            name = tomllib.loads(_read(found))["service"]["name"]
    return re.sub(r"[^A-Za-z0-9]+", "-", str(name or "service"))[:40]


def quote_log(title: str, log: str) -> str:
    """Return the last lines of a log as Markdown, in a block that no line of the log ends."""
    lines = _CONTROL_CHARACTERS.sub("", log).strip("\n").split("\n")[-_LOG_LINES:]
    quoted = "\n".join(line[:_LONGEST_LINE] for line in lines)
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", quoted))])
    return f"**{title}**\n\n{fence}text\n{quoted}\n{fence}\n"


def _read_document(path: Path) -> Mapping[str, Any]:
    """Return the document of the guard, empty if it wrote none."""
    text = _read(path)
    return json.loads(text) if text.endswith("}\n") else {}


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _print_command(name: str, text: str) -> None:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::{name} title=Tacho::{escaped}")


def main(command: str) -> int:
    """Run `gate` or `publish`, and return the exit code."""
    environment = os.environ
    event = json.loads(_read(Path(environment["GITHUB_EVENT_PATH"])))
    if command == "publish":
        return 0 if publish(event, environment) else 1
    refusal = find_refusal(event, environment)
    if refusal:
        _print_command("notice", refusal)
    with Path(environment["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as output:
        output.write(f"run={'false' if refusal else 'true'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
