"""`load.send`: sends a part of the load of a trial that runs on another host."""

from backend.core.config import Settings, get_settings
from backend.core.log_context import process_log_fields
from backend.core.queue import LOAD_TASK, open_redis
from worker.bench.bench import Bench
from worker.bench_host.app import app, get_bench, get_lease
from worker.bench_host.taker import is_stopping
from worker.remote.agent import LoadHost, send_load
from worker.remote.messages import LoadPart
from worker.transactions import get_schema_watch


@app.task(name=LOAD_TASK)
def send(part: dict[str, object]) -> None:
    """Send a part of a load. This worker runs no trial meanwhile: it runs one task at a time.

    Next to the schema of another version it sends none, and the trial reports this host.
    """
    if not get_lease().wait(is_stopping):
        return
    settings = get_settings()
    host = _describe_host(get_bench(), settings)
    load = LoadPart.model_validate(part)
    with (
        process_log_fields(run_id=str(load.run_id), trial_id=str(load.trial_id)),
        open_redis(settings.redis_url) as client,
    ):
        send_load(host, load, client, is_stopping)


def _describe_host(bench: Bench, settings: Settings) -> LoadHost:
    return LoadHost(
        name=settings.bench_host,
        host_digest=bench.fingerprint_digest,
        cpus=tuple(sorted(bench.cpus.all)),
        memory_bytes=bench.load_memory_bytes,
        k6=bench.k6,
        k6_sha256=bench.harness["k6_sha256"],
        data=settings.data / "loads" / settings.bench_host,
        allows_unisolated=settings.allow_unisolated,
        is_outdated=not get_schema_watch().may_be_current(),
    )
