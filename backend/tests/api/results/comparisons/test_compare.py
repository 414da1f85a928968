"""GET /comparisons: results of any runs side by side, with ratios and words."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.models import CellSummary, Run
from backend.core.units import RuntimeKind
from backend.tests.answers import document, faults
from backend.tests.factories import add_host, ask_run, succeed_next

COMPARISONS = "/api/v1/comparisons"


def measure(
    host_id: UUID, slow: float = 1.0, frameworks: tuple[str, ...] = ("node",), **changes: Any
) -> list[str]:
    """Return the cells of a finished run of five noisy trials. The second framework is twice as
    slow."""
    runtime = changes.pop("runtime", RuntimeKind.PROCESS)
    asked = {"count": 5, "visibility": "public", **changes}
    with unit_of_work() as session:
        run = ask_run(session, frameworks, **asked)
        places = {cell.id: place + 1 for place, cell in enumerate(run.cells)}
        waiting = {trial.position: trial for trial in run.trials}
        for position in range(len(waiting)):
            trial = waiting[position]
            latency = slow * places[trial.cell_id] * (1 + trial.repetition / 100)
            succeed_next(session, host_id, [latency] * 5, runtime)
        return [str(cell.id) for cell in run.cells]


def compare(client: TestClient, *cells: str, **query: Any) -> dict[str, Any]:
    return document(client.get(COMPARISONS, params={"cells": cells, **query}))


def test_trials_of_one_run_are_paired_so_that_shared_drift_cancels_out(
    client: TestClient, host_id: UUID
) -> None:
    one, other = measure(host_id, frameworks=("node", "go-nethttp"))

    found = compare(client, one, other)

    assert found["baseline"] == one
    (pair,) = found["pairs"]
    ratio = pair["ratios"]["latency_p99_ms"]
    assert (pair["comparability"], pair["differences"]) == ("comparable", [])
    assert (ratio["state"], ratio["is_better"]) == ("difference", False)
    assert (ratio["words"], ratio["method"], ratio["n"]) == ("higher", "paired", 5)
    # Both frameworks drift by 4 % per repetition, so pairs differ only by the width of buckets.
    assert ratio["low"] == pytest.approx(2, rel=0.01)
    assert ratio["high"] == pytest.approx(2, rel=0.01)
    (cell,) = [cell for cell in found["cells"] if cell["cell_id"] == other]
    assert cell["framework"]["slug"] == "go-nethttp"
    assert list(cell["values"]["latency_p99_ms"]) == ["1", "2", "3", "4", "5"]


def test_trials_of_different_runs_are_compared_as_independent(
    client: TestClient, host_id: UUID
) -> None:
    (before,), (after,) = measure(host_id), measure(host_id, 1.5)

    (pair,) = compare(client, before, after)["pairs"]
    (back,) = compare(client, before, after, baseline=after)["pairs"]

    ratio, inverse = pair["ratios"]["latency_p50_ms"], back["ratios"]["latency_p50_ms"]
    assert (pair["cell_id"], ratio["method"], ratio["words"]) == (after, "independent", "higher")
    assert (back["cell_id"], inverse["words"]) == (before, "lower")
    assert (ratio["is_better"], inverse["is_better"]) == (False, True)
    assert ratio["ratio"] * inverse["ratio"] == pytest.approx(1)
    assert ratio["low"] < 1.5 < ratio["high"]
    assert (ratio["explanation"], ratio["trials_needed"]) == (None, None)


@pytest.mark.parametrize(
    ("changes", "subject", "named"),
    [
        ({"scenario": "slow-upstream"}, "scenario", ("Hello", "Slow upstream")),
        ({"profile": "saturate-quick"}, "load", ("rate", "saturate")),
    ],
)
def test_incomparable_results_have_that_state_and_a_named_difference(
    client: TestClient,
    host_id: UUID,
    changes: dict[str, Any],
    subject: str,
    named: tuple[str, str],
) -> None:
    (one,), (other,) = measure(host_id), measure(host_id, 3.0, **changes)

    (pair,) = compare(client, one, other)["pairs"]

    assert pair["comparability"] == "incomparable"
    told = {each["subject"]: (each["baseline"], each["other"]) for each in pair["differences"]}
    assert told[subject] == named
    assert {ratio["state"] for ratio in pair["ratios"].values()} == {"not_comparable"}
    assert pair["ratios"]["latency_p50_ms"]["ratio"] == pytest.approx(3, rel=0.01)


def test_another_host_is_a_difference_even_with_the_same_fingerprint(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        twin = add_host(session, "bench-02").id
    (one,), (other,) = measure(host_id, host="bench-01"), measure(twin, host="bench-02")

    (pair,) = compare(client, one, other)["pairs"]

    assert pair["comparability"] == "incomparable"
    assert pair["differences"] == [{"subject": "host", "baseline": "bench-01", "other": "bench-02"}]


def exclude(*cells: str) -> None:
    with unit_of_work() as session:
        rows = session.query(CellSummary).filter(CellSummary.cell_id.in_(cells))
        rows.update({"excluded": True})


def test_the_default_baseline_is_the_first_result_that_is_not_excluded(
    client: TestClient, host_id: UUID
) -> None:
    one, other, third = measure(host_id, frameworks=("node", "go-nethttp", "express"))
    exclude(one)

    found = compare(client, one, other, third)
    chosen = compare(client, one, other, third, baseline=one)

    assert found["baseline"] == other
    assert [pair["comparability"] for pair in found["pairs"]] == ["excluded", "comparable"]
    assert chosen["baseline"] == one
    assert [pair["comparability"] for pair in chosen["pairs"]] == ["excluded", "excluded"]
    exclude(other, third)
    assert compare(client, one, other, third)["baseline"] == one


def test_an_unknown_result_is_refused_by_name(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    (cell,) = measure(host_id)
    (secret,) = measure(host_id, visibility="private")
    with unit_of_work() as session:
        waiting = str(ask_run(session).cells[0].id)
    unknown = str(uuid4())

    query = {"cells": [cell, waiting, unknown], "baseline": unknown}
    found = faults(client.get(COMPARISONS, params=query))
    hidden = faults(visitor.get(COMPARISONS, params={"cells": [cell, secret]}))
    elsewhere = faults(client.get(COMPARISONS, params={"cells": [cell], "baseline": unknown}))
    none = faults(client.get(COMPARISONS))

    assert list(found) == ["cells.1", "cells.2"]
    assert list(hidden) == ["cells.1"]
    assert list(elsewhere) == ["baseline"]
    assert list(none) == ["cells"]


def test_charts_combine_the_trials_of_each_cell(client: TestClient, host_id: UUID) -> None:
    cells = measure(host_id, frameworks=("node", "go-nethttp"))

    found = document(client.get(f"{COMPARISONS}/charts", params={"cells": cells}))

    assert [cell["cell_id"] for cell in found["cells"]] == sorted(cells)
    first = next(cell for cell in found["cells"] if cell["cell_id"] == cells[0])
    assert first["requests"] == 25
    latencies = [point["latency_ms"] for point in first["percentiles"]]
    assert latencies == sorted(latencies)
    assert first["series"]["seconds"] == [0]
    p99 = first["series"]["latency_p99_ms"]
    assert (p99["low"][0], p99["middle"][0], p99["high"][0]) == pytest.approx(
        (1.01, 1.03, 1.05), rel=0.005
    )
    assert first["series"]["throughput_rps"] == {"low": [5], "middle": [5], "high": [5]}


def find_unlisted() -> str:
    """Return the slug of the unlisted run."""
    with unit_of_work() as session:
        return session.query(Run).filter(Run.visibility == "unlisted").one().slug


def test_results_for_the_picker_are_listed_newest_first(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    public = measure(host_id, frameworks=("node", "go-nethttp"))
    (unlisted,) = measure(host_id, visibility="unlisted")
    slug = find_unlisted()

    def listed(who: TestClient, **query: Any) -> list[str]:
        items = document(who.get("/api/v1/cells", params=query))["items"]
        return [item["cell_id"] for item in items]

    first = document(client.get("/api/v1/cells", params={"limit": 2}))
    rest = listed(client, limit=2, cursor=first["next"])

    assert [item["cell_id"] for item in first["items"]] + rest == [unlisted, *public[::-1]]
    assert listed(client, framework="go-nethttp") == [public[1]]
    assert set(listed(visitor)) == set(public)
    assert listed(visitor, run=slug) == [unlisted]


def test_the_picker_finds_results_by_framework_title_or_slug_and_shows_their_values(
    client: TestClient, visitor: TestClient, host_id: UUID
) -> None:
    node, go = measure(host_id, frameworks=("node", "go-nethttp"), title="Node or Go?")
    (secret,) = measure(host_id, visibility="unlisted", title="Unlisted title")
    slug = find_unlisted()

    def found(who: TestClient, **query: str) -> list[str]:
        items = document(who.get("/api/v1/cells", params=query))["items"]
        return [item["cell_id"] for item in items]

    assert set(found(client, search="or go")) == {node, go}
    assert found(client, search="net/http node or") == [go]
    assert found(client, search="100%") == []
    assert found(client, run="unlisted") == [secret]
    assert found(visitor, search="unlisted") == found(visitor, run="unlisted") == []
    assert found(visitor, search=slug) == [secret]
    (item,) = document(client.get("/api/v1/cells", params={"search": "net/http"}))["items"]
    assert (item["metric"], item["metric_title"]) == ("cpu_us_per_request", "CPU per request")
    compared = compare(client, go)["cells"][0]["summary"]["cpu_us_per_request"]
    assert item["value"] == compared
    assert item["value"]["n"] == 5
