"""`.http` files: what they describe, the module for the load generator, and the errors."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from backend.core.catalog.own.http_file import HttpFile, parse_http_file, render_module
from backend.core.errors import ManifestInvalid

PLACEHOLDER = re.compile(r"\{([a-zA-Z]+)(?::[0-9]{1,2}(?::escaped)?)?\}")
LOGIN = '### login\nPOST /login\n\n> {% client.global.set("token", response.body.token); %}\n'
SHOP = """\
@base = {{BASE_URL}}/api
@user = ann

### Sign in
# @name login
POST {{base}}/login HTTP/1.1
Content-Type: application/json

{"user": "{{user}}"}

> {%
  // The token is needed by all other requests.
  client.global.set("token", response.body.token);
  client.global.set('first', response.body["items"][0].id)
%}

### Orders
// @weight 3
# @status 200-299
get http://localhost:3000/orders
    ?page={{$randomInt 1 10}}
    &size=20 HTTP/1.1
Authorization: Bearer {{token}}
# A comment between headers
Accept: application/json
Accept: text/plain

### GraphQL
POST /graphql
Host: 127.0.0.1:3000
Content-Length: 99

{ user(id: {{first}}) { name } }
# A comment in a body
{name} {{login.response.headers.Location}}


###
/health#top
"""
WRONG = [
    ("", 1, "the file has no request. Write one"),
    (LOGIN, 1, "no request is left for the load"),
    ("###\nGET /\n" * 101, 202, "more than 100 requests"),
    ("GET https://api.example.com/x", 1, "a load may only be sent to the service itself. Write"),
    ("@host = example.com\nGET http://{{host}}/x", 2, "the request is for http://example.com"),
    ("GET /x\nHost: example.com", 2, "the request is for example.com"),
    ("HEAD /x", 1, "HEAD is not a supported method. Use GET, POST"),
    ("GET /x\nAccept", 2, "Accept is not a header. Write Name: value"),
    ("GET /x\nUser-Agent: me", 2, "the header User-Agent is not supported. Remove it"),
    ("@token = a\nGET /{{tokn}}", 2, "the variable tokn is not defined. Write {{token}}"),
    ("GET /x\nA: {{x}}", 2, "the variable x is not defined. Define it above the request: @x = v"),
    ("POST /x\n\n{{$processEnv KEY}}", 3, "is not supported. Use one of {{$guid}}"),
    ("GET /{{$randomInt 5 5}}", 1, "{{$randomInt 5 5}} is not supported"),
    (f"{LOGIN}###\nGET /{{{{logn.response.body.a}}}}", 6, "does not exist. Write login instead"),
    (f"{LOGIN}###\nGET /{{{{login.response.body.$..a}}}}", 6, "is not a value that can be capt"),
    ("# @name a\nGET /{{a.response.body.b}}", 2, "is not known yet when this request is sent"),
    (f"{LOGIN}{LOGIN}", 8, "the variable token is defined twice"),
    ("# @name a\nGET /\n###\n# @name a\nGET /", 4, "two requests have the name a. Rename"),
    ("# @wieght 3\nGET /", 1, "@wieght is not known. Write @weight."),
    ("# @weight 0\nGET /", 1, "@weight is not a whole number from 1 to 999999"),
    ("# @status 299-200\nGET /", 1, "@status is not a status or a range"),
    ("# @weight 3\n###\nGET /", 1, "# @weight 3 has no request. Move it below the next ###."),
    ("GET /\n\n# @weight 3", 3, "# @weight 3 is in the body of a request"),
    ("GET /\n\n> {% client.log(1); %}", 3, "unsupported statement: client.log(1);. Use only"),
    ("GET /\n\n> {%\nclient.log(1)", 3, "the script does not end"),
    ("< {% request.x() %}\nGET /", 1, "the script or file is not supported. Use only"),
    ("POST /\n\n< ./gone.json", 3, "./gone.json does not exist. Add the file"),
    ("POST /\n\n< /etc/passwd", 3, "/etc/passwd is outside the repository"),
    ("POST /\n\n< ../../secret", 3, "../../secret is outside the repository"),
    ("POST /\n\n< ./link.json", 3, "./link.json is outside the repository"),
    ("POST /\n\n< ./loop.json", 3, "cannot be read"),
    ("POST /\n\n< ./binary.dat", 3, "./binary.dat is not UTF-8. Save the file as UTF-8."),
    ("POST /\n\n< ./long.txt", 3, "./long.txt has more than 1 MiB"),
    ("POST /\n\n< ./half.txt\n< ./half.txt\n< ./half.txt", 5, "the body has more than 1 MiB"),
    (f"@a = {'x' * 5000}\nGET /", 1, "the value has more than 4000 characters"),
    (f"@a = {'x' * 4000}\nGET /{'{{a}}' * 300}", 2, "the values of the variables have more"),
]
DRAWS = {
    "$guid": ["uuid"],
    "$uuid": ["uuid"],
    "$random.uuid": ["uuid"],
    "$randomInt": ["integer", 0, 1001],
    "$randomInt 1 100": ["integer", 1, 100],
    "$random.integer(1, 100)": ["integer", 1, 100],
    " $timestamp ": ["timestamp"],
    "$isoTimestamp": ["isoTimestamp"],
}
PATHS = [
    ("/x?y=1", "/x?y=1"),
    ("{{BASE_URL}}/x", "/x"),
    ("http://{{host}}:{{port}}/x", "/x"),
    ("localhost:3000?x=1", "/?x=1"),
    ("http://[::1]:80/x y/ü?a=%20", "/x%20y/%C3%BC?a=%20"),
    ("{{local}}/x", "/v1/x"),
]
BODIES = [
    ("A: b", '{\n  "a": {}\n}\n\n\n', '{\n  "a": {}\n}'),
    ("A: b", "a\r\n\r\nb\r\n", "a\r\n\r\nb"),
    ("A: b", "< ./body.json", '{"a": "{{raw}}"}\n'),
    ("A: b", "<@ ./filled.txt\nend", "ann\nend"),
    ("A: b", "# comment\n\n", ""),
    ("Content-Type: application/x-www-form-urlencoded", "a=1\n&b=2", "a=1&b=2"),
    ("Content-Type: multipart/form-data; boundary=x", "--x\nA: b\n--x--", "--x\r\nA: b\r\n--x--"),
]


FILES = {
    "body.json": b'{"a": "{{raw}}"}\n',
    "filled.txt": b"{{user}}",
    "half.txt": b"x" * 500_000,
    "long.txt": b"x" * 1_048_577,
    "binary.dat": b"\xff\xfe",
}
LINKS = {"link.json": "../../secret", "loop.json": "loop.json"}


def parse(root: Path, content: str) -> HttpFile:
    loads = root / "repository" / "loads"
    loads.mkdir(parents=True)
    (root / "secret").write_text("secret")
    for name in (name for name in FILES if name in content):
        (loads / name).write_bytes(FILES[name])
    for name, target in LINKS.items():
        (loads / name).symlink_to(target)
    (loads / "main.http").write_bytes(content.encode())
    return parse_http_file(loads / "main.http", root / "repository")


def render(file: HttpFile) -> dict[str, Any]:
    text = render_module(file)
    return dict(json.loads(text.removeprefix("export const file = ").removesuffix(";\n")))


def test_a_file_describes_requests_in_their_order(tmp_path: Path) -> None:
    file = parse(tmp_path, SHOP)

    assert [
        (request.line, request.name, request.method, request.path, request.is_in_load)
        for request in file.requests
    ] == [
        (6, "login", "POST", "/api/login", False),
        (20, "Orders", "GET", "/orders?page={{$randomInt 1 10}}&size=20", True),
        (29, "GraphQL", "POST", "/graphql", True),
        (39, "GET /health", "GET", "/health", True),
    ]
    assert [request.statuses for request in file.requests[:2]] == [(200, 399), (200, 299)]
    assert file.first_path == "/health"


def test_the_module_has_templates_and_values(tmp_path: Path) -> None:
    document = render(parse(tmp_path, SHOP))

    [login], [orders, graphql, health] = document["before"], document["load"]
    assert login["body"] == '{"user": "ann"}'
    assert login["captures"] == {
        "token": {"part": "body", "path": ["token"]},
        "first": {"part": "body", "path": ["items", 0, "id"]},
        "login.response.headers.Location": {"part": "headers", "path": ["Location"]},
    }
    assert orders["path"] == "/orders?page={vaa}&size=20"
    assert [*orders["headers"].values()] == ["Bearer {vab}", "application/json, text/plain"]
    assert (orders["drawn"], orders["captured"]) == ({"vaa": ["integer", 1, 10]}, {"vab": "token"})
    assert graphql["body"] == "{ user(id: {vaa}) { name } }\n{name} {vab}"
    assert (graphql["drawn"], graphql["headers"]) == ({}, {})
    assert [request["weight"] for request in document["load"]] == [3, 1, 1]
    assert (health["line"], health["shown"], health["body"]) == (39, "GET /health", None)


def test_drawn_values(tmp_path: Path) -> None:
    file = parse(tmp_path, "GET /" + "".join(f"{{{{{reference}}}}}" for reference in DRAWS))

    assert [*render(file)["load"][0]["drawn"].values()] == [*DRAWS.values()]
    assert file.first_path is None


@pytest.mark.parametrize("literal", ["{vaa} {name} {name:5} {name:5:escaped} {{name", "{name:5}"])
@pytest.mark.parametrize("more", ["", "{{$guid}}", "{nonce}", "{stamp:5}", "{{token}}"])
def test_literals_like_placeholders_arrive_as_they_are(
    tmp_path: Path, literal: str, more: str
) -> None:
    file = parse(tmp_path, f"{LOGIN}###\nPOST /x\n\n{literal} {more}")

    request = render(file)["load"][0]
    held = {name: draw[1] for name, draw in request["drawn"].items() if draw[0] == "text"}
    body = re.sub(r"\{([a-z]+)\}", lambda found: held.get(found[1], found[0]), request["body"])
    assert body.startswith(literal)
    # In a request that draws values, the load generator replaces all placeholders.
    placeholders = {*request["drawn"], *request["captured"]}
    assert not request["drawn"] or {*PLACEHOLDER.findall(request["body"])} == placeholders


@pytest.mark.parametrize(("url", "path"), PATHS)
def test_only_path_and_query_of_a_url_count(tmp_path: Path, url: str, path: str) -> None:
    assert parse(tmp_path, f"@local = http://localhost/v1\n\n{url}").requests[0].path == path


@pytest.mark.parametrize(("header", "content", "body"), BODIES)
def test_bodies(tmp_path: Path, header: str, content: str, body: str) -> None:
    file = parse(tmp_path, f"@user = ann\nPOST /x\n{header}\n\n{content}")

    assert render(file)["load"][0]["body"] == body


def test_headers_as_editors_send_them(tmp_path: Path) -> None:
    file = parse(tmp_path, "GET /\nAuthorization: Basic ann:secret\nCookie: a=1\ncookie: b=2")

    headers = render(file)["load"][0]["headers"]
    assert [*headers.values()] == ["Basic YW5uOnNlY3JldA==", "a=1; b=2"]


def test_a_captured_request_may_be_in_the_load_and_use_earlier_values(tmp_path: Path) -> None:
    later = "# @name a\n# @weight 2\nGET /a\nA: {{token}}\n###\nGET /{{a.response.body.*}}"
    document = render(parse(tmp_path, f"{LOGIN}###\n{later}"))

    assert [request["path"] for request in document["before"]] == ["/login", "/a"]
    assert [request["path"] for request in document["load"]] == ["/a", "/{vaa}"]
    assert document["load"][0] == document["before"][1]
    assert document["load"][0]["captures"]["a.response.body.*"] == {"part": "body", "path": []}


@pytest.mark.parametrize(("content", "line", "error"), WRONG)
def test_errors_name_file_line_and_fix(tmp_path: Path, content: str, line: int, error: str) -> None:
    with pytest.raises(ManifestInvalid) as raised:
        parse(tmp_path, content)

    assert raised.value.detail.startswith(f"loads/main.http:{line}: ")
    assert error in raised.value.detail
    assert raised.value.detail.endswith(".")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for name, error in [("gone", "gone does not exist"), ("../x", "is outside the repository")]:
        with pytest.raises(ManifestInvalid, match=re.escape(error)):
            parse_http_file(tmp_path / name, tmp_path)
