"""Links to a run: preview text, picture, visibility."""

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend import main
from backend.api.results.sharing import exported_page
from backend.api.results.sharing.colours import MARKERS, SERIES
from backend.api.results.sharing.drawing import text_width, wrap
from backend.core.config import ROOT, Settings
from backend.core.db import unit_of_work
from backend.core.models import Run
from backend.tests.answers import document, problem
from backend.tests.api.results.comparisons.test_compare import measure
from backend.tests.factories import ask_run, succeed_next

PAGE = """<!doctype html><head><meta
  name="description" content="Of all" /><title>Tacho</title></head>
<body><div id="root"></div></body>"""
LINKS = '<link rel="modulepreload" href="/assets/run.js">'
SCRIPT = "let scheme = 1"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a built interface."""
    dist = tmp_path_factory.mktemp("root") / "frontend" / "dist"
    dist.mkdir(parents=True)
    (dist / "index.html").write_text(PAGE)
    (dist / "run-page.html").write_text(
        PAGE.replace("</head>", f"<script>{SCRIPT}</script>{LINKS}</head>")
    )
    (dist / "first-chart-links.html").write_text("")
    (dist / "export.html").write_text(PAGE)
    return dist


@pytest.fixture(scope="module")
def site(installation: Settings, dist: Path) -> Iterator[TestClient]:
    """The client of an anonymous visitor, with a built interface."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "ASSETS", dist.parents[1])
        patch.setattr(exported_page, "PAGE", dist / "export.html")
        app = main.create_app()
        with TestClient(app, "https://tacho.example.org", client=("203.0.113.5", 1)) as client:
            yield client
    exported_page._read_page.cache_clear()


@pytest.fixture
def run(database: Settings, host_id: UUID) -> Run:
    """A finished, unlisted run of one cell."""
    with unit_of_work() as session:
        run = ask_run(session, count=2, title='Node <"fast"> & slow')
        succeed_next(session, host_id)
        succeed_next(session, host_id)
        return run


def test_a_permalink_contains_the_answer_of_the_run(site: TestClient, run: Run) -> None:
    page = site.get(f"/r/{run.slug}")

    assert page.status_code == 200
    assert "<title>Node &lt;&quot;fast&quot;&gt; &amp; slow · Tacho</title>" in page.text
    tags = dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)" />', page.text))
    assert tags["og:title"] == tags["twitter:title"] == "Node &lt;&quot;fast&quot;&gt; &amp; slow"
    assert "Node.js" in tags["description"]
    assert tags["og:image"] == f"https://tacho.example.org/r/{run.slug}/preview.png"
    assert tags["twitter:card"] == "summary_large_image"
    assert page.text.count('name="description"') == 1
    # It is unlisted, so the link is required.
    assert tags["robots"] == "noindex"
    # The answer is shown without scripts, and is there as the API sends it.
    root = re.search(r'<div id="root">(.*)</main></div>', page.text, re.DOTALL)
    assert root
    assert "Node &lt;&#34;fast&#34;&gt; &amp; slow</p>" in root[1]
    assert "Node.js" in root[1]
    assert f'href="/api/v1/runs/{run.slug}/export.csv"' in root[1]
    element = re.search(
        rf'<script type="application/json" id="tacho-answer" data-run="{run.slug}">(.*?)</script>',
        page.text,
    )
    assert element
    assert json.loads(element[1]) == document(site.get(f"/api/v1/runs/{run.slug}/answer"))
    assert f'data-run="{run.id}"' in site.get(f"/r/{run.id}").text


@pytest.mark.parametrize(("query", "has_ranking"), [("", True), ("?metric=boot_ms", False)])
def test_a_permalink_loads_early_what_its_page_requests(
    site: TestClient, run: Run, query: str, has_ranking: bool
) -> None:
    page = site.get(f"/r/{run.slug}{query}").text

    assert LINKS in page
    assert f'as="fetch" crossorigin href="/api/v1/runs/{run.slug}" />' in page
    assert (f'href="/api/v1/runs/{run.slug}/ranking" />' in page) is has_ranking


def test_another_build_of_the_interface_replaces_pages(
    site: TestClient, dist: Path, run: Run
) -> None:
    first = site.get(f"/r/{run.slug}")
    built = dist / "run-page.html"
    before = built.read_text()

    built.write_text(before.replace("</body>", "<p>Built again</p></body>"))
    try:
        changed = site.get(f"/r/{run.slug}", headers={"If-None-Match": first.headers["etag"]})
    finally:
        built.write_text(before)

    assert changed.status_code == 200
    assert "<p>Built again</p>" in changed.text


def test_a_permalink_allows_only_the_scripts_of_the_build(
    site: TestClient, client: TestClient, run: Run
) -> None:
    shared = {"title": "<script>alert(1)</script>", "visibility": "public"}
    document(client.patch(f"/api/v1/runs/{run.slug}", json=shared))

    page = site.get(f"/r/{run.slug}")

    assert "noindex" not in page.text
    policy = page.headers["content-security-policy"]

    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    assert f"; script-src 'self' 'sha256-{digest}'; " in policy


def test_a_choice_has_its_recommendation_in_the_head(site: TestClient, host_id: UUID) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"))

    asked = site.get("/choose?scenario=hello&frameworks=node,go-nethttp&criteria=latency")
    open_ended = site.get("/choose?scenario=%22%3E%3Cscript%3E&frameworks=node,go-nethttp")

    tags = dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)" />', asked.text))
    picture = site.get(html.unescape(tags["og:image"]))
    assert tags["og:description"].startswith("Choose Node.js: ")
    assert picture.headers["content-type"] == "image/png"
    assert [int.from_bytes(picture.content[at : at + 4]) for at in (16, 20)] == [1200, 630]
    assert tags["og:url"].startswith("https://tacho.example.org/choose?scenario=hello&amp;")
    assert (open_ended.status_code, open_ended.text) == (200, PAGE)


def test_the_picture_is_a_png_of_the_declared_size(site: TestClient, run: Run) -> None:
    answer = site.get(f"/r/{run.slug}/preview.png?metric=latency_p99_ms")

    assert answer.headers["content-type"] == "image/png"
    assert answer.content.startswith(PNG)
    assert [int.from_bytes(answer.content[at : at + 4]) for at in (16, 20)] == [1200, 630]
    # Another metric gives another picture, and a wrong metric is refused.
    assert answer.content != site.get(f"/r/{run.slug}/preview.png?metric=boot_ms").content
    problem(site.get(f"/r/{run.slug}/preview.png?metric=speed"), 422, "invalid_request")


def test_a_private_permalink_opens_for_members_who_signed_in(
    site: TestClient, client: TestClient, run: Run, token: str
) -> None:
    bearer = {"Authorization": f"Bearer {token}"}
    url = f"/api/v1/runs/{run.slug}"
    document(client.patch(url, json={"visibility": "private"}, headers=bearer))
    assert site.get(f"/r/{run.slug}").text == PAGE
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}

    statuses = {}
    for when in ("before", "signed in", "signed out"):
        if when == "signed in":
            site.post("/api/v1/session", json={"token": token})
        if when == "signed out":
            site.delete("/api/v1/session")
        statuses[when] = [
            site.get(f"/r/{run.slug}", headers=followed).status_code,
            site.get(f"/runs/{run.slug}").status_code,
            site.get(f"/r/{run.slug}/preview.png").status_code,
            site.get(url).status_code,
            site.get(f"{url}/export.html").status_code,
        ]

    assert statuses == {
        "before": [404] * 5,
        "signed in": [200] * 5,
        "signed out": [404] * 5,
    }


def test_a_local_permalink_opens_from_a_link_on_another_site(client: TestClient, run: Run) -> None:
    url = f"/api/v1/runs/{run.slug}"
    document(client.patch(url, json={"visibility": "private"}))
    followed = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }

    assert client.get(url, headers=followed).status_code == 200
    assert client.get(url, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 404


def test_other_fields_of_a_run_cannot_be_changed(client: TestClient, run: Run) -> None:
    for body in ({"visibility": "secret"}, {"title": ""}, {"status": "failed"}):
        refused = client.patch(f"/api/v1/runs/{run.slug}", json=body)
        problem(refused, 422, "invalid_request")


def test_colours_and_markers_are_those_of_the_interface() -> None:
    tokens = (ROOT / "frontend/src/lib/tokens.ts").read_text()
    listed = [
        re.findall(r"'(#[0-9a-f]{6})'", item)
        for item in re.findall(r"series: \[(.*?)\]", tokens, re.DOTALL)
    ]
    marker = (ROOT / "frontend/src/components/Marker.tsx").read_text()

    light, _dark = listed
    assert light == list(SERIES)
    assert tuple(re.findall(r"\w+: '(M[^']+)'", marker)) == MARKERS


def test_text_is_wrapped_and_cut_to_its_box() -> None:
    lines = wrap("one two three four five six", 20, 110, 2)

    assert lines[0] == "one two"
    assert lines[1].endswith("…")
    assert all(text_width(line, 20) <= 110 for line in lines)
