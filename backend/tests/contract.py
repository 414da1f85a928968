"""Shared code of the tests of the REST contract: the app, existing names, and a request."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
import schemathesis
from schemathesis import GenerationMode
from schemathesis.schemas import BaseSchema
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.runs.event_stream import publish
from backend.core.runs.events import EndEvent
from backend.core.statuses import RunStatus
from backend.main import create_app
from backend.tests.exported_page import use_small_page
from backend.tests.factories import HOST, add_host, ask_run, succeed_next
from backend.tests.installation import sweep_up

TOKEN = "s3cret-of-the-contract"
FUZZING = schemathesis.Config.from_dict(
    {
        "seed": 20261120,
        # PUT /examples loads runs, and other tests use the same CPUs.
        "request-timeout": 60,
        "auth": {"openapi": {"HTTPBearer": {"bearer": TOKEN}}},
        "generation": {"max-examples": 6, "deterministic": True, "database": "none"},
        "phases": {"stateful": {"enabled": False}},
        # No schema lists the names of the catalogue: backend/tests/api/runs/test_refusals.py.
        "checks": {"positive_data_acceptance": {"enabled": False}},
    }
)


class FromAfar:
    """Return the app for a client on another machine, which needs the token for changes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["client"] = ("203.0.113.5", 1234)
        await self._app(scope, receive, send)


@pytest.fixture(scope="module")
def known(
    installation: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """Path parameters that exist: a finished run with its parts, and parts of the catalogue."""
    with unit_of_work() as session:
        host_id: UUID = add_host(session).id
        run = ask_run(session)
        trial = succeed_next(session, host_id)
        run_id, trial_id, cell_id = run.id, trial.id, trial.cell_id
    publish(run_id, EndEvent(status=RunStatus.SUCCEEDED))
    with pytest.MonkeyPatch.context() as patch, use_small_page(tmp_path_factory.mktemp("page")):
        patch.setenv("TACHO_TOKEN", TOKEN)
        get_settings.cache_clear()
        names = {"run_id": run_id, "trial_id": trial_id, "cell_id": cell_id, "name": HOST}
        yield {name: str(value) for name, value in names.items()}
    get_settings.cache_clear()
    sweep_up()


def load_contract() -> BaseSchema:
    """Return the schema of an app that another machine reaches."""
    app = create_app()
    # The app does not start here, because servers start after pytest has collected the tests.
    schema = schemathesis.openapi.from_dict(app.openapi(), config=FUZZING)
    schema.app = FromAfar(app)
    schema.location = "/api/v1/openapi.json"
    return schema


def send(case: schemathesis.Case[Any], known: dict[str, str]) -> None:
    """Send a request and check its response; a valid request names what exists."""
    if case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE:
        asked = case.path_parameters
        assert isinstance(asked, dict)
        asked.update({name: known[name] for name in known.keys() & asked.keys()})
    case.call_and_validate()
