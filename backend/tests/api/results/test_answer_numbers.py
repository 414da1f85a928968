"""The same figures in all forms of a run: answer, ranking, charts, head, picture and exports."""

import csv
import io
import json
import re
from html import unescape
from pathlib import Path
from typing import Any
from uuid import UUID
from xml.etree import ElementTree as ET

import pytest
from fastapi.testclient import TestClient

from backend.api.results.answers.views import answer_out
from backend.api.results.sharing.preview import describe_run, draw_preview
from backend.core.db import unit_of_work
from backend.core.results.run_results.service import read_run_results
from backend.core.runs.repository import get_run
from backend.tests.answers import document
from backend.tests.chosen_examples import SMALLEST, STUDIES, choose_examples
from backend.tests.exported_page import read_responses, use_small_page
from backend.tests.measured_runs import compare_two

# Drawn text has another narrow space.
_SPACES = dict.fromkeys(map(ord, "\u202f\u2009"), " ")

# Requests of a trial above a percentile, from which it is compared.
_ENOUGH_SLOWER = 10


def plain(text: str) -> str:
    return text.translate(_SPACES)


@pytest.fixture(params=[(SMALLEST,), pytest.param(STUDIES, marks=pytest.mark.acceptance)])
def example_slugs(
    client: TestClient, host_id: UUID, tmp_path: Path, request: pytest.FixtureRequest
) -> list[str]:
    """Examples of studies, which are real runs, and a run with a clear winner."""
    with choose_examples(tmp_path / "services", *request.param):
        items = document(client.put("/api/v1/examples"))["items"]
    with unit_of_work() as session:
        return [*(item["slug"] for item in items), compare_two(session, host_id).slug]


def find_row_texts(answer: dict[str, Any]) -> list[str]:
    """Return the figures of the rows as the answer shows them."""
    return [
        row["values"] or " ".join(filter(None, [row["value"], row["interval"]]))
        for row in answer["rows"]
        if row["estimate"] is not None
    ]


def test_all_forms_of_a_run_show_the_same_figures(
    client: TestClient, example_slugs: list[str], tmp_path: Path
) -> None:
    assert len(example_slugs) > 1
    points = 0
    for slug in example_slugs:
        url = f"/api/v1/runs/{slug}"
        answer = document(client.get(f"{url}/answer"))
        run = document(client.get(url))
        with unit_of_work() as session:
            results = read_run_results(session, get_run(session, slug))
            head, picture = describe_run(results, answer_out(results)), draw_preview(results)
        assert (run["outcome"], run["summary"]) == (answer["outcome"], answer["summary"])
        assert plain(answer["headline"]) in head
        assert all(plain(sentence) in head for sentence in answer["sentences"])
        _compare_picture(answer, picture)
        _compare_rows(answer, run, document(client.get(f"{url}/ranking")))
        exported = json.loads(client.get(f"{url}/export.json").text)
        assert exported["answer"] == answer
        assert answer["headline"] in client.get(f"{url}/export.md").text
        _compare_table(answer, client.get(f"{url}/export.csv").text)
        with use_small_page(tmp_path):
            _compare_page(answer, run, client.get(f"{url}/export.html").text)
        if slug != example_slugs[-1]:
            points += _compare_curves(client, run)
    assert points > 15 * (len(example_slugs) - 1)


def _compare_picture(answer: dict[str, Any], picture: str) -> None:
    texts = [plain(node.text or "") for node in ET.fromstring(picture).iter()]  # noqa: S314  ours
    drawn = " ".join(texts)
    assert plain(answer["headline"]).split()[0] in drawn
    for figures in find_row_texts(answer)[:6]:
        assert any(text.startswith(plain(figures)) for text in texts), figures


def _compare_rows(answer: dict[str, Any], run: dict[str, Any], ranking: dict[str, Any]) -> None:
    cells = {cell["id"]: cell for cell in run["cells"]}
    (group,) = (item for item in ranking["groups"] if item["group"] == answer["group"])
    assert group["metric"] == answer["metric"]
    assert [cell["cell_id"] for cell in group["cells"]] == [
        row["cell_id"] for row in answer["rows"]
    ]
    for ranked, row in zip(group["cells"], answer["rows"], strict=True):
        summary = cells[row["cell_id"]]["summary"].get(answer["metric"])
        if summary is not None:
            assert [row[name] for name in ("estimate", "low", "high", "n")] == [
                summary[name] for name in ("estimate", "low", "high", "n")
            ]
        ratio = ranked["ratio"] or {"ratio": None, "low": None, "high": None}
        assert (row["rank"], row["ratio"]) == (ranked["rank"], ratio["ratio"])
        assert (row["ratio_low"], row["ratio_high"]) == (ratio["low"], ratio["high"])


def _compare_page(answer: dict[str, Any], run: dict[str, Any], page: str) -> None:
    """The file shows the answer before its scripts run; its table and charts read the responses."""
    card = plain(unescape(re.sub(r"<[^>]+>", "", page)))
    assert all(plain(text) in card for text in [answer["headline"], *answer["sentences"]])
    responses = read_responses(page)
    assert responses[f"/api/v1/runs/{run['slug']}/answer"] == answer
    assert responses[f"/api/v1/runs/{run['slug']}"]["cells"] == run["cells"]


def _compare_table(answer: dict[str, Any], text: str) -> None:
    table = list(csv.DictReader(io.StringIO(text)))
    by_framework = {row["framework"]: row for row in answer["rows"] if row["estimate"] is not None}
    main = [
        line
        for line in table
        if f"{line['scenario']}.{line['profile']}" == answer["group"]
        and line["framework"] in by_framework
        and line["ranked_by"] == answer["metric"]
    ]
    matching = [
        line
        for line in main
        if float(line["result_estimate"]) == by_framework[line["framework"]]["estimate"]
    ]
    assert {line["framework"] for line in matching} == set(by_framework)
    for line in matching:
        row = by_framework[line["framework"]]
        for name in ("rank", "low", "high", "ratio", "ratio_low", "ratio_high"):
            found = line[f"result_{name}"]
            assert (float(found) if found else None) == row[name]


def _compare_curves(client: TestClient, run: dict[str, Any]) -> int:
    """Compare percentile curves with the trials, and return the number of compared points.

    A percentile of all requests lies between those of the trials, to within a bucket, if enough
    requests of each trial took longer: the p99 of 97 requests lies between the two longest.
    """
    named = {"latency_p50_ms": 0.5, "latency_p90_ms": 0.9, "latency_p99_ms": 0.99}
    compared = 0
    for cell in run["cells"]:
        trials = [trial["metrics"] for trial in run["trials"] if trial["cell_id"] == cell["id"]]
        latency = document(client.get(f"/api/v1/cells/{cell['id']}/latency"))
        drawn = {point["quantile"]: point["latency_ms"] for point in latency["percentiles"]}
        for metric, quantile in named.items():
            values = [metrics[metric] for metrics in trials if metric in metrics]
            slower = latency["count"] / max(1, len(values)) * (1 - quantile)
            if values and quantile in drawn and slower >= _ENOUGH_SLOWER:
                where = (run["title"], cell["framework"]["slug"], metric)
                assert min(values) * 0.99 <= drawn[quantile] <= max(values) * 1.01, where
                compared += 1
    return compared
