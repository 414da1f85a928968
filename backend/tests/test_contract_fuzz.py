"""The app keeps its REST contract in a small sample of requests to each operation.

`make fuzz` sends many more, and sequences of requests, over HTTP. CI runs it after changes of the
API.
"""

from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Network
from typing import Any
from uuid import UUID

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import FailedHealthCheck, Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.schemas import BaseSchema
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.runs.live.event_stream import RunStream, publish
from backend.core.runs.live.events import EndEvent
from backend.core.statuses import RunStatus
from backend.main import create_app
from backend.tests.chosen_examples import SMALLEST, choose_examples
from backend.tests.exported_page import use_small_page
from backend.tests.factories import HOST, add_host, ask_run, succeed_next
from backend.tests.installation import sweep_up
from backend.tests.openapi import openapi_document

TOKEN = "s3cret-of-the-contract"
OPERATIONS = [
    f"{method.upper()} {path}"
    for path, methods in openapi_document()["paths"].items()
    for method in methods
]
FUZZING = schemathesis.Config.from_dict(
    {
        # PUT /examples loads a run, which takes long on a busy machine.
        "request-timeout": 240,
        "auth": {"openapi": {"HTTPBearer": {"bearer": TOKEN}}},
        # No schema lists the names of the catalogue: backend/tests/api/runs/test_refusals.py.
        "checks": {"positive_data_acceptance": {"enabled": False}},
    }
)
# No database of examples and no seed from the clock: each run sends the same requests.
SAMPLE = settings(
    max_examples=2,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[check for check in HealthCheck if check != HealthCheck.filter_too_much],
)


class FromAfar:
    """Return the app for clients on other machines, which need the token for changes.

    Each request has another address, because 30 wrong tokens lock an address out.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._addresses = map(str, IPv4Network("198.18.0.0/15").hosts())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["client"] = (next(self._addresses), 1234)
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
    publish(RunStream(HOST, run_id), EndEvent(status=RunStatus.SUCCEEDED))
    with (
        pytest.MonkeyPatch.context() as patch,
        use_small_page(tmp_path_factory.mktemp("page")),
        choose_examples(tmp_path_factory.mktemp("services"), SMALLEST),
    ):
        patch.setenv("TACHO_TOKEN", TOKEN)
        get_settings.cache_clear()
        names = {"run_id": run_id, "trial_id": trial_id, "cell_id": cell_id, "name": HOST}
        yield {name: str(value) for name, value in names.items()}
    get_settings.cache_clear()
    sweep_up()


@pytest.fixture(scope="module")
def contract(installation: Settings) -> BaseSchema:
    """The schema of an app that another machine reaches."""
    app = create_app()
    schema = schemathesis.openapi.from_dict(openapi_document(), config=FUZZING)
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


@pytest.mark.parametrize("label", OPERATIONS)
def test_the_app_keeps_its_contract(
    contract: BaseSchema, known: dict[str, str], label: str
) -> None:
    """No 5xx, no undocumented status, header, media type or shape in a sample of requests."""
    operation = contract.find_operation_by_label(label)
    assert operation is not None

    def send_sample(mode: GenerationMode) -> None:
        @SAMPLE
        @given(operation.as_strategy(generation_mode=mode))
        def sample(case: schemathesis.Case[Any]) -> None:
            send(case, known)

        sample()

    send_sample(GenerationMode.POSITIVE)
    # Operations without parameters and GET by a slug have only valid requests.
    with suppress(Unsatisfiable, FailedHealthCheck):
        send_sample(GenerationMode.NEGATIVE)
