"""The answer of a run as HTML; the table of cases is shared with the tests of the frontend."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from backend.api.results.answers.views import Answer
from backend.api.results.sharing.answer_card import (
    embed_answer,
    render_exported_page,
    render_run_page,
)
from backend.core.config import ROOT

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
