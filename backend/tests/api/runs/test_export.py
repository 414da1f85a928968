"""GET /runs/{id}/export.{json,csv,seconds.csv,md,bib}: the whole result as a file."""

import csv
import io
import json
import re
from collections.abc import Iterator
from uuid import UUID

import jsonschema
import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.models import Framework, Run
from backend.core.units import Metric
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS
from backend.tests.factories import ask_run, fail_next, succeed_next

SCRIPT = "<img src=x onerror=alert(1)>"


@pytest.fixture
def slug(host_id: UUID) -> str:
    """A run of two trials: one has metrics, one failed."""
    with unit_of_work() as session:
        slug = ask_run(session, count=2, title="Take me | away").slug
        succeed_next(session, host_id, [1.0, 2.0, 3.0])
        fail_next(session, host_id)
    return slug


def test_an_export_is_a_file_named_after_its_run(client: TestClient, slug: str) -> None:
    media_types = {
        "json": "application/json",
        "csv": "text/csv",
        "seconds.csv": "text/csv",
        "md": "text/markdown",
        "bib": "application/x-bibtex",
    }
    for suffix, media_type in media_types.items():
        answer = client.get(f"{RUNS}/{slug}/export.{suffix}")

        assert answer.status_code == 200
        assert answer.headers["content-type"].split(";")[0] == media_type
        expected = f'attachment; filename="tacho-{slug}.{suffix}"'
        assert answer.headers["content-disposition"] == expected
    named = faults(client.get(f"{RUNS}/{slug}/export.xlsx"))
    assert named == {
        "suffix": "must be one of 'json', 'csv', 'seconds.csv', 'md', 'html' or 'bib'."
    }
    problem(client.get(f"{RUNS}/nothing/export.json"), 404, "not_found")


def test_each_second_is_a_row(client: TestClient, slug: str) -> None:
    whole = document(client.get(f"{RUNS}/{slug}/export.json"))
    rows = list(csv.DictReader(io.StringIO(client.get(f"{RUNS}/{slug}/export.seconds.csv").text)))

    first, failed = whole["trials"]
    assert [row["second"] for row in rows] == [str(it["second"]) for it in first["samples"]]
    assert failed["samples"] == []
    assert {(row["run"], row["framework"], row["repetition"]) for row in rows} == {
        (slug, "node", "1")
    }
    assert rows[-1]["latency_p99_ms"] == str(first["samples"][-1]["latency_p99_ms"])


def test_a_citation_has_the_permalink_and_no_commands_of_tex(client: TestClient, slug: str) -> None:
    with unit_of_work() as session:
        session.query(Run).filter(Run.slug == slug).one().title = r"50 % } \\input{x} & more_"

    entry = client.get(f"{RUNS}/{slug}/export.bib").text

    assert entry.startswith(f"@misc{{tacho-{slug},\n")
    assert re.search(rf"^  url = {{https?://[^/]+/r/{slug}}},$", entry, re.MULTILINE)
    title = r"50 \% \textbraceright{} \textbackslash{}\textbackslash{}input\textbraceleft{}x"
    assert f"  title = {{{title}" in entry
    assert entry.count("{") == entry.count("}")


@pytest.fixture
def hostile_framework(slug: str) -> Iterator[None]:
    """Give the framework of the run a name and a slug that no manifest may have."""
    with unit_of_work() as session:
        framework = session.query(Framework).filter(Framework.slug == "node").one()
        found, before = framework.id, (framework.name, framework.slug)
        framework.name, framework.slug = f"{SCRIPT} | =1", '=HYPERLINK("https://evil.example")'
    yield
    with unit_of_work() as session:
        framework = session.get_one(Framework, found)
        framework.name, framework.slug = before


def test_foreign_text_stays_text_in_every_file(
    client: TestClient, slug: str, hostile_framework: None
) -> None:
    """Titles come from people, names of frameworks and scenarios from the files of a bench host."""
    with unit_of_work() as session:
        run = session.query(Run).filter(Run.slug == slug).one()
        run.title = f"{SCRIPT} [link](https://evil.example) `code` **bold** | cell"

    markdown = client.get(f"{RUNS}/{slug}/export.md").text
    rows = list(csv.DictReader(io.StringIO(client.get(f"{RUNS}/{slug}/export.csv").text)))

    assert markdown.splitlines()[0] == (
        "# &lt;img src=x onerror=alert(1)&gt; \\[link\\](https://evil.example) \\`code\\` "
        "\\*\\*bold\\*\\* \\| cell"
    )
    assert "<img" not in markdown
    (line,) = [line for line in markdown.splitlines() if line.startswith("| &lt;img")]
    (head,) = [line for line in markdown.splitlines() if line.startswith("| Framework |")]
    assert len(re.findall(r"(?<!\\)\|", line)) == head.count("|")
    assert {row["framework"] for row in rows} == {'\'=HYPERLINK("https://evil.example")'}


def test_json_holds_everything_and_is_as_the_api_describes_it(
    client: TestClient, slug: str
) -> None:
    export = document(client.get(f"{RUNS}/{slug}/export.json"))
    run = document(client.get(f"{RUNS}/{slug}"))
    api = document(client.get("/api/v1/openapi.json"))
    schema = {"$ref": "#/components/schemas/RunExport", "components": api["components"]}
    jsonschema.Draft202012Validator(schema).validate(export)
    assert run.pop("finalization_failure") is None  # not part of the result
    assert run.pop("is_own") is True
    # Anyone may get the file.
    assert (run.pop("requested_by"), export.pop("requested_by")) == ("Tacho", None)
    assert export.pop("answer") == document(client.get(f"{RUNS}/{slug}/answer"))

    samples = [trial.pop("samples") for trial in export["trials"]]
    latencies = [trial.pop("latency") for trial in export["trials"]]
    checks = [trial.pop("checks") for trial in export["trials"]]
    after = [trial.pop("conformance_after") for trial in export["trials"]]
    assert export == run
    trial = run["trials"][0]
    series = document(client.get(f"/api/v1/trials/{trial['id']}/series?phase=all"))
    assert samples == [series["samples"], []]
    assert latencies[0] == document(client.get(f"/api/v1/trials/{trial['id']}/latency"))
    assert latencies[1]["count"] == 0
    shown = [document(client.get(f"/api/v1/trials/{trial['id']}")) for trial in run["trials"]]
    assert checks == [detail["checks"] for detail in shown]
    assert after == [detail["conformance_after"] for detail in shown]


def test_csv_has_a_row_per_trial_and_units_in_the_columns(client: TestClient, slug: str) -> None:
    text = client.get(f"{RUNS}/{slug}/export.csv").text

    succeeded, failed = csv.DictReader(io.StringIO(text))
    assert {metric.value for metric in Metric} <= set(succeeded)
    assert (succeeded["run"], succeeded["framework"], succeeded["scenario"]) == (
        slug,
        "node",
        "hello",
    )
    assert json.loads(succeeded["parameters"])["rate_rps"] == 1000
    assert (succeeded["status"], succeeded["verdicts"]) == ("succeeded", "ok")
    assert float(succeeded["throughput_rps"]) == 3
    assert float(succeeded["latency_max_ms"]) == 3
    assert succeeded["build_seconds"] == ""
    assert (failed["status"], failed["throughput_rps"], failed["verdicts"]) == ("failed", "", "")


def test_the_markdown_export_is_a_table(client: TestClient, slug: str) -> None:
    lines = client.get(f"{RUNS}/{slug}/export.md").text.splitlines()

    assert lines[0] == "# Take me \\| away"
    assert f"Run `{slug}` on bench-01 (process), failed." in lines
    assert "## Hello" in lines
    header = next(line for line in lines if line.startswith("| Framework"))
    row = next(line for line in lines if line.startswith("| Node.js"))
    assert header.count("|") == row.count("|")
    columns = [column.strip() for column in header.split("|")]
    figures = dict(zip(columns, (cell.strip() for cell in row.split("|")), strict=True))
    assert figures["Throughput"] == "3\u202freq/s"
    assert figures["Verdicts"] == "too_few_trials"


def test_a_run_without_numbers_can_be_exported_too(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session).slug

    for suffix in ("json", "csv", "md"):
        assert client.get(f"{RUNS}/{slug}/export.{suffix}").status_code == 200
    assert "| no result |" in client.get(f"{RUNS}/{slug}/export.md").text
