"""The app factory of the API: REST under /api/v1, the built user interface under all other
paths."""

import gc
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.types import Scope

from backend.api.catalog.frameworks import router as frameworks
from backend.api.catalog.scenarios import router as scenarios
from backend.api.changes.history.routes import router as history
from backend.api.changes.home import router as home
from backend.api.changes.incidents import router as incidents
from backend.api.changes.routes import router as changes
from backend.api.changes.schedules import router as schedules
from backend.api.changes.webhooks import router as webhooks
from backend.api.deps import declare_permissions
from backend.api.http import errors
from backend.api.http.interface import Interface, SinglePage, api_docs
from backend.api.http.limits import BodyLimit
from backend.api.http.openapi import TAGS, Api
from backend.api.http.problems import problems
from backend.api.http.router import API_PREFIX, NounRouter
from backend.api.measurement.metrics import router as metrics
from backend.api.measurement.trials.routes import router as trials
from backend.api.measurement.verdicts import router as verdicts
from backend.api.operations.examples import router as examples
from backend.api.operations.health import router as health
from backend.api.operations.host_events import router as host_events
from backend.api.operations.host_keys import joining_router as joined_hosts
from backend.api.operations.host_keys import router as host_keys
from backend.api.operations.hosts.routes import router as hosts
from backend.api.operations.installation import router as installation
from backend.api.operations.monitoring import router as monitoring
from backend.api.operations.retention import router as retention
from backend.api.people.account import router as account
from backend.api.people.audit import router as audit
from backend.api.people.device_logins import router as device_logins
from backend.api.people.invitations import router as invitations
from backend.api.people.limits import router as limits
from backend.api.people.links import router as links
from backend.api.people.members import router as members
from backend.api.people.sessions import router as sessions
from backend.api.people.single_sign_on.routes import CALLBACK_PATH
from backend.api.people.single_sign_on.routes import router as single_sign_on
from backend.api.people.single_sign_on.schemas import SignInRefusalReason
from backend.api.people.tokens import router as tokens
from backend.api.people.users import router as users
from backend.api.people.workspaces import router as workspaces
from backend.api.process.resources import AppResources, open_resources
from backend.api.results.answers.routes import router as answers
from backend.api.results.badges import router as badges
from backend.api.results.cells import router as cells
from backend.api.results.choice.routes import router as choice
from backend.api.results.comparisons.routes import router as comparisons
from backend.api.results.guard_requests import router as guard_requests
from backend.api.results.guards import router as guards
from backend.api.results.leaderboard import router as leaderboard
from backend.api.results.rankings import router as rankings
from backend.api.results.run_charts import router as run_charts
from backend.api.results.sharing.routes import pages
from backend.api.results.slos import router as slos
from backend.api.results.studies.routes import router as studies
from backend.api.runs.events import open_relay
from backend.api.runs.presets import router as presets
from backend.api.runs.queue import router as queue
from backend.api.runs.routes import router as runs
from backend.api.runs.run_groups import router as run_groups
from backend.api.runs.schemas import RunEvents
from backend.core.config import ASSETS
from backend.core.documents import JsonObject
from backend.core.tracing import set_up_tracing
from backend.platform.logs.logs import set_up_logs
from backend.version import VERSION

# New objects until the next garbage collection; Python's default is 700.
_GARBAGE_OBJECTS = 50_000
_SWITCH_SECONDS = 0.0005
DESCRIPTION = """Benchmarks microservice frameworks on your own hardware.

Anyone can read public runs. To make changes or read private runs, send the header
`Authorization: Bearer <token>` with an access token or the value of TACHO_TOKEN, or the session
cookie of a signed-in browser. Lists are paged: pass `next` as `cursor`. Errors are
`application/problem+json` with a stable `code`. The name of a field, or a field next to it,
contains the unit of a number.
"""


def create_app() -> FastAPI:
    """Return the app. It opens no connection before the first request."""
    set_up_logs("api")
    set_up_tracing("api", VERSION)
    app = Api(
        further_schemas=[RunEvents, SignInRefusalReason],
        title="Tacho",
        version=VERSION,
        lifespan=_serve,
        description=DESCRIPTION,
        openapi_tags=TAGS,
        openapi_url=f"{API_PREFIX}/openapi.json",
        # FastAPI's own page loads scripts of another site.
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_operation_id,
        separate_input_output_schemas=False,
        # Spans go to the provider that set_up_tracing has chosen, if any.
        telemetry={
            "metrics": False,
            "logs": False,
            "operation_spans": False,
            "auto_configure": False,
            "exclude": _is_untraced,
        },
    )
    app.add_middleware(BodyLimit)
    errors.install(app)
    api = APIRouter(responses=problems(503))
    nouns: tuple[NounRouter, ...] = (
        health,
        installation,
        sessions,
        single_sign_on,
        account,
        links,
        users,
        workspaces,
        members,
        host_keys,
        joined_hosts,
        invitations,
        tokens,
        device_logins,
        limits,
        retention,
        audit,
        metrics,
        verdicts,
        frameworks,
        scenarios,
        studies,
        presets,
        examples,
        hosts,
        queue,
        runs,
        run_groups,
        answers,
        rankings,
        run_charts,
        cells,
        trials,
        history,
        comparisons,
        changes,
        incidents,
        host_events,
        home,
        slos,
        # Before the guards, whose slugs would match its paths.
        guard_requests,
        guards,
        schedules,
        webhooks,
        leaderboard,
        choice,
    )
    for noun in nouns:
        declare_permissions(noun)
        # Monitoring may request the health at any rate.
        api.include_router(noun, responses={} if noun is health else problems(429, 431))
    # With a prefix here, FastAPI would prepare each route twice: a tenth of the start's CPU time.
    app.include_router(api, prefix=API_PREFIX)
    # The path is short, because READMEs contain it.
    declare_permissions(badges)
    app.include_router(badges, responses=problems(429, 431))
    # Prometheus expects this path by default.
    declare_permissions(monitoring)
    app.include_router(monitoring)
    dist = ASSETS / "frontend" / "dist"
    if dist.is_dir():
        shared_pages = pages(dist / "index.html")
        declare_permissions(shared_pages)
        app.include_router(shared_pages)
        app.router.routes.append(api_docs(dist))
        app.router.routes.append(Interface("/", SinglePage(directory=dist, html=True)))
    return app


@asynccontextmanager
async def _serve(_: FastAPI) -> AsyncIterator[dict[str, AppResources]]:
    """Yield the state that all requests of this process share."""
    # backend.serve keeps garbage collection off until here. A garbage collection that visits all
    # imported objects takes 150 ms, and a response with a thousand points would start several.
    gc.freeze()
    gc.enable()
    gc.set_threshold(_GARBAGE_OBJECTS)
    # With the default, a thread that computes makes the event loop wait 5 ms at each of its steps.
    sys.setswitchinterval(_SWITCH_SECONDS)
    async with open_resources(open_relay) as resources:
        yield {"resources": resources}


def _is_untraced(scope: Scope) -> bool:
    """Return whether a request has no span: those of monitoring would fill traces, and the provider
    of single sign-on sends a secret in the query.
    """
    return scope["path"] in {"/metrics", f"{API_PREFIX}/health", f"{API_PREFIX}{CALLBACK_PATH}"}


def _operation_id(route: APIRoute) -> str:
    return route.name


@cache
def openapi_document() -> JsonObject:
    """Return the OpenAPI document, which is generated once and must not be changed."""
    document: JsonObject = create_app().openapi()
    return document


__all__: Sequence[str] = ("create_app", "openapi_document")
