"""POST /runs refused: each error is named by its field, and nothing is queued."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, select

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.models import Framework, Host
from backend.tests.answers import faults, problem
from backend.tests.asking import CELL, RUNS, body
from backend.tests.factories import HOST, add_host, put_sources
from backend.tests.rows import count_rows, count_wake_up_messages

pytestmark = pytest.mark.usefixtures("host_id")

JSON = {"content-type": "application/json"}


@pytest.fixture
def partial_framework(database: Settings) -> Iterator[str]:
    """A framework that implements only `hello`."""
    with unit_of_work() as session:
        node = session.scalars(select(Framework).where(Framework.slug == "node")).one()
        manifest = {**node.manifest, "slug": "partial", "scenarios": {"hello": {}}}
        session.add(
            Framework(
                slug="partial",
                name="Partial",
                language="Go",
                manifest=manifest,
                digest="d",
                colour=99,
            )
        )
        session.flush()
        put_sources(session, session.scalars(select(Host).where(Host.name == HOST)).one(), {})
    yield "partial"
    with unit_of_work() as session:
        session.execute(delete(Framework).where(Framework.slug == "partial"))


# core/catalog/test_profiles.py has further values of parameters, and core/test_validation.py has
# further types of fields.
REFUSED: list[tuple[Any, str, str]] = [
    (body({**CELL, "framework": "nodejs"}), "cells.0.framework", "no framework 'nodejs'"),
    (body(CELL, {**CELL, "scenario": "helo"}), "cells.1.scenario", "no scenario 'helo'"),
    (
        body({**CELL, "profile": "rate"}),
        "cells.0.profile",
        "hello has no profile 'rate'; it has rate-quick, rate-full, ",
    ),
    (
        body({**CELL, "parameters": {"rate_rps": 0}}),
        "cells.0.parameters.rate_rps",
        "is 0; give 1 to 100000 req/s.",
    ),
    (
        body({**CELL, "parameters": {"rate_rps": "500"}}),
        "cells.0.parameters.rate_rps",
        "must be a whole number.",
    ),
    (
        body({**CELL, "framework_digest": "0" * 12}),
        "cells.0.framework_digest",
        "instead of 000000000000; check out the same commit there",
    ),
    (body({**CELL, "framework_digest": "abc"}), "cells.0.framework_digest", ""),
    (body(host="bench-99"), "host", "There is no host 'bench-99'; there are bench-01."),
    ({}, "cells", "is required; add it."),
    ({"cells": []}, "cells", "must have at least 1 item; add one."),
    ({"cells": [["node", "hello"]]}, "cells.0", "must be an object"),
    ({"cells": [{**CELL, "params": {}}]}, "cells.0.params", "is not a known field"),
    (body(trials=0), "trials", "must be 1 or more"),
    (body(trials=51), "trials", "must be 50 or less"),
    (body(trials=True), "trials", "must be a whole number"),
    (body(until="fast"), "until", "must be one of 'ranked'"),
    (body(until={"metric": "latency_p99_ms"}), "until.precision_percent", "is required"),
    (body(until={"metric": "p99", "precision_percent": 5}), "until.metric", "must be one of"),
    (
        body(until={"metric": "latency_p99_ms", "precision_percent": 0}),
        "until.precision_percent",
        "must be 0.1 or more",
    ),
    (body(until="ranked", trials=5), "trials", "remove trials, and set max_trials"),
    (body(max_trials=5), "max_trials", 'add "until": "ranked", or remove it'),
    (body(max_minutes=5), "max_minutes", 'add "until": "ranked", or remove it'),
    (body(until="ranked", max_trials=2), "max_trials", "must be 3 or more"),
    (body(until="ranked", max_minutes=1441), "max_minutes", "must be 1440 or less"),
    (body(until="ranked"), "until", "at least two cells with the same scenario"),
    (body(visibility="secret"), "visibility", "'private', 'unlisted' or 'public'"),
    (body(title="x" * 201), "title", "at most 200 characters"),
    (body({**CELL, "framework": "a\0b"}), "cells.0.framework", "control characters"),
    (body(trails=5), "trails", "is not a known field; remove it or correct its spelling."),
    ([CELL], "body", "must be an object"),
    (None, "body", "is required; add it."),
]


def test_each_error_is_named_and_nothing_is_queued(client: TestClient) -> None:
    for asked, field, told in REFUSED:
        named = faults(client.post(RUNS, json=asked))

        assert list(named) == [field], asked
        assert told in named[field]
    assert count_rows() == (0, 0, 0)
    assert count_wake_up_messages(HOST) == 0


def test_all_errors_are_named_at_once(client: TestClient) -> None:
    cells = [
        CELL,
        {"framework": "nodejs", "scenario": "helo"},
        {**CELL, "profile": "x", "parameters": {"y": 1}},
        {**CELL, "parameters": {"rate_rps": -1, "rate": 5}},
    ]

    named = faults(client.post(RUNS, json=body(*cells, host="bench-99")))

    assert set(named) == {
        "host",
        "cells.1.framework",
        "cells.1.scenario",
        "cells.2.profile",
        "cells.3.parameters.rate_rps",
        "cells.3.parameters.rate",
    }
    assert count_rows() == (0, 0, 0)


def test_a_scenario_that_a_framework_does_not_implement(
    client: TestClient, partial_framework: str
) -> None:
    cell = {"framework": partial_framework, "scenario": "slow-upstream"}

    named = faults(client.post(RUNS, json=body(cell)))

    told = "partial does not implement slow-upstream; it implements hello."
    assert named == {"cells.0.scenario": told}
    assert count_rows() == (0, 0, 0)


def test_a_framework_that_the_host_cannot_run(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session, unavailable={"spring-mvc": "mvn is missing: apt install maven"})

    named = faults(client.post(RUNS, json=body({**CELL, "framework": "spring-mvc"})))

    told = "spring-mvc cannot run on bench-01: mvn is missing: apt install maven"
    assert named == {"cells.0.framework": told}
    assert count_rows() == (0, 0, 0)


def test_without_a_bench_host_nothing_can_be_queued(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        session.execute(delete(Host).where(Host.id == host_id))

    told = problem(client.post(RUNS, json=body()), 503, "unavailable")

    assert "No bench host has registered yet" in told["detail"]
    assert count_rows() == (0, 0, 0)


def test_invalid_json_is_reported(client: TestClient) -> None:
    for sent, told in (
        (b"", "is required"),
        (b"{", "is not valid JSON"),
        (b'{"cells": [}', "is not valid JSON (at character 11); correct it."),
        (b"\xff\xfe{}", "is not valid JSON"),
        (b'{"title": "\xff"}', "is not valid JSON"),
        (b"[" * 100_000, "is not valid JSON"),
        (b'{"trials": ' + b"9" * 5_000 + b"}", "is not valid JSON"),
    ):
        named = faults(client.post(RUNS, content=sent, headers=JSON))

        assert list(named) == ["body"]
        assert told in named["body"]
    assert count_rows() == (0, 0, 0)


def test_text_and_numbers_that_no_database_holds_are_refused(client: TestClient) -> None:
    for cells, parameters in (
        ('[], "\\ud800": 1', ""),
        ('[{"framework": "\\ud800", "scenario": "hello"}]', ""),
        ("", '{"\\udfff": 1}'),
        ("", '{"a\\u0000": 1}'),
        ("", '{"rate_rps": NaN}'),
        ("", '{"rate_rps": 1e999}'),
        ("", '{"rate_rps": 123456789012345678901234567890}'),
    ):
        cell = f'{{"framework": "node", "scenario": "hello", "parameters": {parameters}}}'
        sent = f'{{"cells": {cells or f"[{cell}]"}}}'
        assert faults(client.post(RUNS, content=sent, headers=JSON)), sent
    assert count_rows() == (0, 0, 0)


def test_a_body_must_be_declared_as_json(client: TestClient) -> None:
    """A form of another site may send any text without a preflight request, but not JSON."""
    sent = b'{"cells": [{"framework": "node", "scenario": "hello"}]}'

    assert "body" in faults(client.post(RUNS, content=sent, headers={"content-type": "text/plain"}))
    assert count_rows() == (0, 0, 0)


def test_cells_and_trials_of_a_run_have_a_limit(client: TestClient) -> None:
    found = faults(client.post(RUNS, json=body(*[CELL] * 1_001)))
    assert found == {"cells": "may have at most 1000 items, but has 1001; remove some."}

    told = problem(client.post(RUNS, json=body(*[CELL] * 201, trials=50)), 413, "too_large")
    assert told["field"] == "trials"
    assert "10,050 are too many" in told["detail"]

    # The cells of a sweep count.
    sweep = {
        "framework": "node",
        "scenario": "slow-upstream",
        "profile": "slow-third-party-quick",
        "parameters": {"delay_ms": list(range(50))},
    }
    told = problem(client.post(RUNS, json=body(*[sweep] * 21, trials=1)), 413, "too_large")
    assert "1,050 are too many" in told["detail"]
    assert count_rows() == (0, 0, 0)


def test_a_duplicate_cell_is_refused(client: TestClient, host_id: UUID) -> None:
    quick = CELL | {"profile": "rate-quick"}
    found = faults(client.post(RUNS, json=body(CELL, quick | {"parameters": {}}, CELL)))
    assert list(found) == ["cells.1", "cells.2"]
    assert "Measures the same as cells.0: node, hello, rate-quick" in found["cells.2"]
