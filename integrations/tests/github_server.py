"""A server that stores comments and check runs as GitHub does, and checks what it is sent."""

import json
import re
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from jsonschema import Draft4Validator

REPOSITORY = "example/shop"
BOT = {"login": "github-actions[bot]", "type": "Bot"}
_Json = dict[str, Any]


class GitHubServer(ThreadingHTTPServer):
    """GitHub for one repository. `user` is the user of the token; `refused` is what it may not do.

    Attributes:
        requests: method, path with query, headers and body of each request, in order.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.user: _Json = BOT
        self.refused: tuple[str, ...] = ()
        self.comments: list[_Json] = []
        self.check_runs: list[_Json] = []
        self.pull_request: _Json = {}
        self.requests: list[tuple[str, str, Mapping[str, str], _Json | None]] = []

    @property
    def url(self) -> str:
        """Return the address of the API."""
        return f"http://127.0.0.1:{self.server_address[1]}/api/v3"

    def add_comment(self, user: _Json, text: str) -> _Json:
        """Store a comment on the pull request and return it."""
        comment = {"id": len(self.comments), "user": user, "body": text}
        self.comments.append(comment)
        return comment

    def answer(self, method: str, target: str, body: _Json) -> tuple[int, object]:
        """Return the status and the document of a response."""
        parts = urlsplit(target)
        path = parts.path.removeprefix("/api/v3").removeprefix(f"/repos/{REPOSITORY}")
        answer: tuple[int, object] = 404, {"message": "Not Found"}
        match method, path.strip("/").split("/"):
            case _ if f"{method} {path}".startswith(self.refused):
                answer = 403, {"message": "Resource not accessible by integration"}
            case "GET", ["user"] if self.user["type"] == "User":
                answer = 200, self.user
            case "GET", ["pulls", "7"]:
                answer = 200, self.pull_request
            case "GET", ["issues", "7", "comments"]:
                answer = 200, self.comments
            case "POST", ["issues", "7", "comments"]:
                answer = 201, self.add_comment(self.user, body["body"])
            case "PATCH", ["issues", "comments", identifier]:
                comment = self.comments[int(identifier)]
                comment.update(body)
                answer = 200, comment
            case "POST", ["check-runs"]:
                self.check_runs.append(body)
                answer = 201, body
        return answer


class _Handler(BaseHTTPRequestHandler):
    server: GitHubServer

    def _answer(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.loads(content) if content else None
        self.server.requests.append((self.command, self.path, dict(self.headers), body))
        status, document = self.server.answer(self.command, self.path, body or {})
        self.send_response(status)
        if isinstance(document, list):
            query = dict(parse_qsl(urlsplit(self.path).query))
            size, page = min(int(query.get("per_page", 30)), 100), int(query.get("page", 1))
            address = f"{self.server.url}{urlsplit(self.path).path.removeprefix('/api/v3')}"
            if page * size < len(document):
                link = f'<{address}?per_page={size}&page={page + 1}>; rel="next", <x>; rel="last"'
                self.send_header("Link", link)
            document = document[(page - 1) * size : page * size]
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    do_GET = do_POST = do_PATCH = _answer  # noqa: N815 - the names that http.server calls

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def check_request(description: _Json, method: str, target: str, body: _Json | None) -> None:
    """Check a request against GitHub's description of its API."""
    parts = urlsplit(target.removeprefix("/api/v3"))
    templates = [
        (template, found)
        for template in description["paths"]
        if (found := re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template), parts.path))
    ]
    assert templates, f"GitHub has no {parts.path}"
    # A path without parameters wins.
    template, found = min(templates, key=lambda item: item[0].count("{"))
    path = description["paths"][template]
    assert method.lower() in path, f"GitHub has no {method} {template}"
    operation = path[method.lower()]
    values = {("path", name): value for name, value in found.groupdict().items()}
    values |= {("query", name): value for name, value in parse_qsl(parts.query)}
    known = {}
    for parameter in [*path.get("parameters", []), *operation.get("parameters", [])]:
        resolved = _resolve(description, parameter)
        known[resolved["in"], resolved["name"]] = resolved
    for key, value in values.items():
        assert key in known, f"{method} {template} has no parameter {key}"
        schema = _resolve(description, known[key]["schema"])
        _validate(description, schema, int(value) if schema["type"] == "integer" else value)
    assert (body is not None) == ("requestBody" in operation)
    if body is not None:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        _validate(description, _forbid_other_keys(schema), body)


def _resolve(description: _Json, entry: _Json) -> _Json:
    reference = entry.get("$ref")
    if reference is None:
        return entry
    found = description
    for name in reference.removeprefix("#/").split("/"):
        found = found[name]
    return found


def _forbid_other_keys(schema: _Json) -> _Json:
    """Return a schema that finds misspelled keys, which GitHub ignores."""
    if "properties" not in schema:
        return schema
    properties = {name: _forbid_other_keys(entry) for name, entry in schema["properties"].items()}
    return {**schema, "properties": properties, "additionalProperties": False}


def _validate(description: _Json, schema: _Json, value: object) -> None:
    whole = {"allOf": [schema], "components": description["components"]}
    errors = [error.message for error in Draft4Validator(whole).iter_errors(value)]
    assert not errors, errors
