"""Checks the versions of a service: each builds, starts, and answers its loads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backend.core.catalog.own.own_catalogue import OwnCatalogue
from backend.core.results.guard.responses import Response
from worker.bench.bench import Bench
from worker.loadgen.command import verify_command
from worker.loadgen.output import await_exit, explain_death, read_lines
from worker.loadgen.parse import ResponseLine
from worker.runtime.base import Pod
from worker.stages.build import Materials
from worker.stages.context import TrialContext
from worker.stages.start import ReadyService
from worker.verify.trial import VerifyOutcome, try_service

_LIMIT_SECONDS = 120


@dataclass
class LoadCheck:
    """The outcome of a short load, and the responses to its requests.

    Attributes:
        responses: None for a load that a script sends.
        digest: of the build; empty if the service was not built.
    """

    outcome: VerifyOutcome
    responses: Sequence[Response] | None = None
    digest: str = ""


def check_load(
    bench: Bench,
    catalogue: OwnCatalogue,
    load: str,
    on_stage: Callable[[str], None] = lambda _stage: None,
) -> LoadCheck:
    """Build and start a service, read its responses, and send a light load for 3 s.

    The responses are read before the load, because a load changes data by chance.

    Raises:
        ManifestInvalid: `tacho.toml` or a file of requests is wrong.
    """
    responses: list[Response] | None = None
    digest = ""

    def read(context: TrialContext, pod: Pod, materials: Materials, ready: ReadyService) -> None:
        nonlocal responses, digest
        digest = materials.digest
        if materials.scenario.script is None:
            responses = _read_responses(context, pod, ready)

    outcome = try_service(bench, catalogue.slug, load, on_stage=on_stage, on_verified=read)
    return LoadCheck(outcome, responses, digest)


def _read_responses(context: TrialContext, pod: Pod, ready: ReadyService) -> list[Response]:
    """Send the requests of a load one after another, and return their responses."""
    context.watch.set_deadline(_LIMIT_SECONDS)
    command = verify_command("k6", f"{ready.folder}/responses.js")
    execution = pod.execute(command, ready.environment)
    found = [
        Response(line.request, line.status, line.headers, line.body, line.digest)
        for line in read_lines(execution)
        if isinstance(line, ResponseLine)
    ]
    context.watch.check()
    end = await_exit(execution)
    context.watch.set_deadline(None)
    if not end.is_success:
        raise explain_death(end, execution)
    return found
