"""The parts of Tacho: the API, the worker of this bench host, and the dispatcher."""

import os
import ssl
import sys
from collections.abc import Mapping

import httpx

from backend.core.config import ROOT, Settings
from backend.core.documents import JsonObject
from backend.core.queue import answers_dispatcher, is_connected, worker_client_name
from backend.platform.layout import Layout
from backend.platform.network import is_proxied, trusts_loopback
from backend.platform.processes.programs import ProgramSpec
from backend.platform.tools import tool_environment

BACKUPS_COMMAND = (sys.executable, "-m", "backend.platform.backups.scheduled")
# Removes the containers of a worker that did not end by itself.
WORKER_CLEANING = (sys.executable, "-m", "worker.runtime.docker.remains")
# Time for a running trial to remove its containers and processes.
_WORKER_GRACE_S = 8.0
# Long enough for a busy machine, where a worker first removes the leftovers of a lost worker.
_READY_TIMEOUT_S = 180.0
# The API is asked over plain HTTP. By default, each request loads all certificates of the machine.
_WITHOUT_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def part_environment(settings: Settings, database_url: str, redis_url: str) -> dict[str, str]:
    """Variables of every part, which override `.env` and the environment of the caller."""
    trust = trusts_loopback(
        settings.host,
        settings.trust_loopback,
        has_token=bool(settings.token),
        has_proxy=is_proxied(settings.public_url, settings.trusted_proxies),
    )
    return {
        **tool_environment(),
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "TACHO_DATA": str(settings.data),
        "TACHO_HOST": settings.host,
        "TACHO_PORT": str(settings.port),
        "TACHO_TRUST_LOOPBACK": str(trust).lower(),
        "PYTHONUNBUFFERED": "1",
        # Without compiled modules, a start of the API takes a sixth more CPU time.
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
    }


def api_command(settings: Settings) -> tuple[str, ...]:
    """Return the command that starts the API."""
    return (
        *(sys.executable, "-m", "backend.serve", "backend.main:create_app", "--factory"),
        *("--host", settings.host, "--port", str(settings.port)),
        *("--no-access-log", "--log-level", settings.log_level.lower()),
        *("--http", "backend.api.http.protocol:BoundedProtocol", "--ws", "none"),
        *("--timeout-graceful-shutdown", "2"),
        *_proxy_arguments(settings),
    )


def _proxy_arguments(settings: Settings) -> tuple[str, ...]:
    """Without them, uvicorn trusts 127.0.0.1, or FORWARDED_ALLOW_IPS of the environment."""
    if not settings.trusted_proxies:
        return ("--no-proxy-headers",)
    return ("--proxy-headers", "--forwarded-allow-ips", ",".join(settings.trusted_proxies))


def worker_command(settings: Settings) -> tuple[str, ...]:
    """Return the command that starts the worker of this bench host, which runs one trial at a time.

    A thread runs the trial, not a forked child. A stop signal reaches it, and a kill ends both, so
    that no trial continues without its worker. JSON logs leave out Celery's banner.
    """
    quiet = ("--quiet",) if settings.log_format == "json" else ()
    return (
        *(sys.executable, "-m", "celery", "-A", "worker.bench_host.app", *quiet, "worker"),
        *("-c", "1"),
        *("--pool", "threads", "--without-mingle", "--without-gossip", "--without-heartbeat"),
        *("-n", f"worker@{settings.bench_host}"),
        *("--loglevel", settings.log_level),
    )


def dispatcher_command() -> tuple[str, ...]:
    """Return the command that starts the dispatcher."""
    return (sys.executable, "-m", "worker.dispatcher.app")


def api_part(settings: Settings, url: str, environment: Mapping[str, str]) -> ProgramSpec:
    """Return the program of the API, which also serves the UI. It is ready when it answers."""
    return ProgramSpec(
        name="api",
        argv=api_command(settings),
        environment=environment,
        is_ready=lambda: _answer_both(get_health(url)),
        grace_s=4.0,
        ready_timeout_s=_READY_TIMEOUT_S,
    )


def worker_part(settings: Settings, url: str, environment: Mapping[str, str]) -> ProgramSpec:
    """Return the program of this bench host's worker. It is ready when the API reports it and it
    is connected to Redis, or waits for the load generator."""
    client_name = worker_client_name(settings.bench_host)
    building = Layout(settings.data).load_generator_build

    def is_seen() -> bool:
        hosts = get_health(url).get("hosts", [])
        if not any(
            host["name"] == settings.bench_host and host["status"] == "ok" for host in hosts
        ):
            return False
        if is_connected(environment["REDIS_URL"], client_name):
            return True
        # Its worker gives the reason when it registers the host, before it waits.
        return building.exists() and bool(get_host(url, settings.bench_host).get("runtime_reason"))

    return ProgramSpec(
        name="worker",
        argv=worker_command(settings),
        environment=environment,
        is_ready=is_seen,
        grace_s=_WORKER_GRACE_S,
        afterwards=WORKER_CLEANING,
        ready_timeout_s=_READY_TIMEOUT_S,
    )


def dispatcher_part(settings: Settings, environment: Mapping[str, str]) -> ProgramSpec:
    """Return the program of the dispatcher. It is ready when it waits for requests in Redis."""
    return ProgramSpec(
        name="dispatcher",
        argv=dispatcher_command(),
        environment=environment,
        is_ready=lambda: answers_dispatcher(environment["REDIS_URL"], settings.bench_host),
        ready_timeout_s=_READY_TIMEOUT_S,
    )


def backups_part(environment: Mapping[str, str]) -> ProgramSpec:
    """Return the program that makes scheduled backups."""
    return ProgramSpec(
        name="backups",
        argv=BACKUPS_COMMAND,
        environment=environment,
        is_ready=lambda: True,
    )


def _answer_both(health: JsonObject) -> bool:
    return health.get("database") == health.get("broker") == "ok"


def get_health(url: str) -> JsonObject:
    """Return the health that the API reports; empty if it does not answer."""
    return _get(f"{url}/api/v1/health")


def get_host(url: str, name: str) -> JsonObject:
    """Return the API's record of a bench host; empty if the API does not answer."""
    return _get(f"{url}/api/v1/hosts/{name}")


def _get(url: str) -> JsonObject:
    try:
        answer = httpx.get(url, timeout=5.0, trust_env=False, verify=_WITHOUT_CERTIFICATES)
        document: JsonObject = answer.json()
    except (httpx.HTTPError, ValueError):
        return {}
    return document
