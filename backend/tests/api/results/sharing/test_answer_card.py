"""The answer of a run as HTML, and the page of exported runs.

The tables of cases are shared with the tests of the frontend.
"""

import html
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.api.results.answers.views import Answer
from backend.api.results.sharing import exported_page
from backend.api.results.sharing.answer_card import (
    embed_answer,
    render_exported_page,
    render_run_page,
)
from backend.api.results.sharing.drawing import Bar, scale_end
from backend.core.config import ROOT
from backend.core.db import unit_of_work
from backend.core.units import Metric
from backend.tests.answers import document, problem
from backend.tests.asking import RUNS
from backend.tests.exported_page import PROGRAM, read_responses, use_small_page
from backend.tests.factories import ask_run, fail_next, succeed_next

TITLE = 'Node </script><script>alert("1")</script><!-- & slow'
BAR_CASES = json.loads((ROOT / "frontend" / "src" / "charts" / "bar-scale-cases.json").read_text())
CASES = json.loads(
    (ROOT / "frontend" / "src" / "features" / "answer" / "answer-cases.json").read_text()
)
_KEPT = (
    *("class", "href", "d", "fill", "data-shown", "data-best", "data-excluded", "data-level"),
    "value",
)
_VOID = {"br", "img", "link", "meta"}


class _Outline(HTMLParser):
    """Collect a line for each element and text, as frontend/src/features/answer/outline.ts does."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        kept = "".join(f" {name}={given[name]}" for name in _KEPT if given.get(name) is not None)
        self._add(f"{tag}{kept}")
        self.depth += tag not in _VOID

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, _tag: str) -> None:
        self.depth -= 1

    def handle_data(self, data: str) -> None:
        text = re.sub(r"[ \n]+", " ", data).strip(" ")
        if text:
            self._add(f'"{text}"')

    def _add(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)


def outline(html: str) -> list[str]:
    """Return the outline of the content of `<main>`."""
    parser = _Outline()
    parser.feed(re.search(r"<main[^>]*>(.*)</main>", html, re.DOTALL)[1])  # type: ignore[index]
    assert parser.depth == 0
    return parser.lines


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_server_draws_the_markup_of_the_app(case: dict[str, Any]) -> None:
    answer = Answer.model_validate(case["answer"])

    assert outline(render_run_page(answer)) == case["outline"]


@pytest.mark.parametrize("case", BAR_CASES, ids=[case["name"] for case in BAR_CASES])
def test_bars_share_a_scale(case: dict[str, Any]) -> None:
    bars = [
        Bar(name="Node.js", colour=0, excluded=False, figures="", **bar) for bar in case["bars"]
    ]

    assert scale_end(bars) == case["end"]


def test_nothing_in_an_answer_ends_its_script_element() -> None:
    (case,) = (case for case in CASES if "</script>" in case["answer"]["title"])
    answer = Answer.model_validate(case["answer"])

    element = embed_answer(answer, 'a"b')

    assert element.count("<") == 2
    content = re.fullmatch(r'<script [^>]*data-run="a&quot;b">(.*)</script>', element)
    assert content
    assert Answer.model_validate_json(content[1]) == answer


def test_links_of_an_exported_file_lead_to_its_installation() -> None:
    answer = Answer.model_validate(CASES[2]["answer"])

    links = re.findall(r'href="([^?][^"]*)"', render_exported_page(answer, "https://tacho.example"))

    assert len(links) == 3
    assert all(link.startswith("https://tacho.example/") for link in links)


@pytest.fixture
def _built(tmp_path: Path) -> Iterator[None]:
    with use_small_page(tmp_path):
        yield


@pytest.fixture
def slug(host_id: UUID) -> str:
    """A run of two trials: one with numbers, one failed."""
    with unit_of_work() as session:
        slug = ask_run(session, count=2, title=TITLE).slug
        succeed_next(session, host_id, [1.0, 2.0, 3.0])
        fail_next(session, host_id)
    return slug


@pytest.mark.usefixtures("_built")
def test_the_file_contains_what_the_api_responds_to_anonymous_visitors(
    client: TestClient, visitor: TestClient, slug: str
) -> None:
    responses = read_responses(client.get(f"{RUNS}/{slug}/export.html").text)

    expected = {path: document(visitor.get(path)) for path in responses}
    # The state of the host at the time of the export is not part of the result.
    for path in expected:
        if path.startswith("/api/v1/hosts/"):
            ended_at = expected[f"{RUNS}/{slug}"]["finished_at"]
            expected[path] |= {"state": "offline", "queued_trials": 0, "seen_at": ended_at}
    assert responses == expected
    run = responses[f"{RUNS}/{slug}"]
    cell, (trial, _failed) = run["cells"][0], run["trials"]
    assert set(responses) == {
        f"{RUNS}/{slug}",
        f"{RUNS}/{slug}/answer",
        f"{RUNS}/{slug}/charts",
        f"{RUNS}/{slug}/ranking",
        *(f"{RUNS}/{slug}/ranking?metric={metric}" for metric in Metric),
        "/api/v1/metrics",
        f"/api/v1/hosts/{run['host']}",
        f"/api/v1/cells/{cell['id']}/latency",
        f"/api/v1/trials/{trial['id']}",
        f"/api/v1/trials/{trial['id']}/series?phase=all",
    }


@pytest.mark.usefixtures("_built")
def test_the_file_is_the_built_page_with_the_run_in_its_head(client: TestClient, slug: str) -> None:
    answer = client.get(f"{RUNS}/{slug}/export.html")

    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert f'filename="tacho-{slug}.html"' in answer.headers["content-disposition"]
    assert f"<title>{html.escape(TITLE)} · Tacho</title>" in answer.text
    assert '<meta name="tacho-origin" content="http://127.0.0.1:8000" />' in answer.text
    assert f'<link rel="canonical" href="http://127.0.0.1:8000/r/{slug}" />' in answer.text
    assert answer.text.count(PROGRAM) == 1
    assert answer.text.endswith("</body></html>\n")


@pytest.mark.usefixtures("_built")
def test_nothing_in_a_run_ends_an_element_of_the_file(client: TestClient, slug: str) -> None:
    answer = client.get(f"{RUNS}/{slug}/export.html")

    body = answer.text.partition('<div id="root">')[2]
    assert "alert" in body
    assert "<!--" not in body
    assert len(re.findall(r"<script", body)) == len(re.findall(r"</script>", body))
    assert read_responses(body)[f"{RUNS}/{slug}"]["title"] == TITLE


@pytest.mark.usefixtures("_built")
def test_a_run_without_numbers_is_exported_too(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session).slug

    responses = read_responses(client.get(f"{RUNS}/{slug}/export.html").text)

    assert responses[f"{RUNS}/{slug}"]["status"] == "queued"
    assert not any("/trials/" in path or "/cells/" in path for path in responses)


def test_without_a_built_page_the_export_is_unavailable(
    client: TestClient, slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exported_page, "PAGE", tmp_path / "export.html")

    found = problem(client.get(f"{RUNS}/{slug}/export.html"), 503, "unavailable")

    assert found["detail"].startswith("The web UI is not built")


def test_the_source_of_the_page_has_the_places_that_are_filled() -> None:
    source = (ROOT / "frontend" / "export.html").read_text()

    title, run = (source.find(mark) for mark in (exported_page._TITLE, exported_page._RUN))
    assert 0 < title < run
