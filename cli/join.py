"""`tacho join`: make this machine a bench host of an installation. `tacho leave` stops that."""

import os
import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer
from rich.console import Console

from backend.core.config import CONTAINER_SETTINGS, Settings
from backend.core.documents import JsonObject
from backend.core.errors import TachoError
from backend.platform.bench_host import host_settings, service_unit
from backend.platform.bench_host.host_settings import HostSettings
from backend.platform.layout import Layout, check_services
from backend.platform.network import is_loopback
from backend.platform.servers import check_servers
from cli.client import ExitCode, ask, find_url, make_client
from cli.console import fail, read_settings
from cli.doctor import show_machine
from worker.bench.bench import Bench, survey_bench

_ENV_FILE = Path(".env")
_COMPOSE = "docker compose --file docker-compose.worker.yml"


def join(
    url: Annotated[str, typer.Argument(help="Address of the installation.")],
    key: Annotated[str, typer.Option(help="The key of this machine. It works once.")],
    starts: Annotated[
        bool, typer.Option("--start", help="Run the worker in the foreground afterwards.")
    ] = False,
    installs: Annotated[
        bool | None,
        typer.Option(
            "--systemd/--no-systemd",
            help="Install a systemd unit that runs the worker. Default: ask, if it is possible.",
        ),
    ] = None,
) -> None:
    """Join an installation as a bench host, with a key that an operator created.

    Checks this machine, gets credentials of its own, and writes them to .env, or in a container to
    its volume.
    Exit codes: 0 joined, 1 this machine or the installation is not ready, 2 refused.
    """
    settings = read_settings()
    base = find_url(settings, url)
    console = Console(highlight=False)
    _check_unused(settings)
    _check_encryption(settings, base)
    bench = _survey(settings, console)
    with make_client(base, None) as client:
        joined = ask(client, "POST", "/api/v1/joined-hosts", {"key": key, **_describe(bench)})
    try:
        stored = _store(settings, joined)
        console.print(f"[green]✓[/] This machine is the bench host [bold]{joined['name']}[/].")
        check_servers(stored.database_url, stored.redis_url)
        console.print("[green]✓[/] It reaches PostgreSQL and Redis.")
        is_installed = _offer_unit(settings, installs, console)
    except TachoError as error:
        fail(error.detail)
    if is_installed:
        return
    if starts:
        tacho = str(service_unit.PROGRAM)
        os.execv(tacho, [tacho, "worker"])  # noqa: S606
    command = f"{_COMPOSE} up --detach" if _is_container() else f"{service_unit.PROGRAM} worker"
    console.print(f"Start its worker with: {command}", soft_wrap=True)


def leave() -> None:
    """Stop the worker of this bench host, and remove its credentials from this machine.

    If the host has not left with `tacho host leave`, an operator revokes it, so that its
    credentials end.
    """
    settings = read_settings()
    try:
        is_uninstalled = service_unit.uninstall()
        is_removed = host_settings.remove(_find_settings_file(), settings.data)
    except TachoError as error:
        fail(error.detail)
    if not (is_removed or is_uninstalled):
        fail("This machine has not joined an installation.", ExitCode.REFUSED)
    typer.echo(
        f"This machine is no longer the bench host {settings.bench_host}. Unless it has left "
        "already, an operator revokes it on the page Installation → Hosts, or with `tacho host "
        "revoke`."
    )


def _is_container() -> bool:
    """Return whether this program runs in the container of docker-compose.worker.yml."""
    return CONTAINER_SETTINGS.parent.is_dir()


def _find_settings_file() -> Path:
    """Return the file for the credentials."""
    return CONTAINER_SETTINGS if _is_container() else _ENV_FILE


def _check_unused(settings: Settings) -> None:
    """End the command if this clone belongs to an installation already."""
    if settings.database_url or settings.redis_url:
        fix = (
            f"Remove them with `{_COMPOSE} down --volumes`, and join with a new key."
            if _is_container()
            else "Run `tacho leave` first, or use another clone."
        )
        fail(
            "This clone has settings of an installation: DATABASE_URL or REDIS_URL is set. " + fix,
            ExitCode.REFUSED,
        )
    if "TACHO_BENCH_HOST" in os.environ:
        fail(
            "TACHO_BENCH_HOST is set, but the installation names this host. Unset it.",
            ExitCode.REFUSED,
        )
    if Layout(settings.data).database.exists():
        fail(
            f"TACHO_DATA={settings.data} holds an installation of its own. Use another clone, or "
            "set TACHO_DATA to another folder.",
            ExitCode.REFUSED,
        )


def _check_encryption(settings: Settings, base: str) -> None:
    """End the command if the installation would send the credentials over a network without TLS."""
    parts = urlsplit(base)
    is_private = parts.scheme == "https" or is_loopback(parts.hostname or "")
    if not is_private and not settings.allow_unencrypted:
        fail(
            f"{base} is not encrypted, so others on the network could read the key and the "
            "credentials of this host, or replace them. The key is not used yet. Use an https:// "
            "address. If the network is private, set TACHO_ALLOW_UNENCRYPTED=true on this machine.",
            ExitCode.REFUSED,
        )


def _survey(settings: Settings, console: Console) -> Bench:
    """Show what this machine has, and return it. End the command if its worker would not start."""
    try:
        check_services(settings.services_dir)
        Layout(settings.data).make()
        show_machine(settings, console)
        console.print("Building the load generator, unless it is built already …")
        return survey_bench(settings)
    except TachoError as error:
        fail(f"{error.detail} The key is not used yet.")


def _describe(bench: Bench) -> JsonObject:
    return {
        "runtime": bench.runtime.kind,
        "runtime_reason": bench.runtime_reason,
        "fingerprint": bench.fingerprint,
        "fingerprint_digest": bench.fingerprint_digest,
        "harness": bench.harness,
    }


def _store(settings: Settings, joined: JsonObject) -> HostSettings:
    given = HostSettings(
        bench_host=joined["bench_host"],
        database_url=joined["database_url"],
        redis_url=joined["redis_url"],
        ca_certificate=joined["ca_certificate"],
    )
    return host_settings.store(given, _find_settings_file(), settings.data)


def _offer_unit(settings: Settings, wanted: bool | None, console: Console) -> bool:
    """Install a systemd unit if the person wants it, and return whether it is installed."""
    if wanted is False or not service_unit.has_systemd():
        if wanted:
            fail("systemd does not run on this machine. Start the worker in another way.")
        return False
    unit = service_unit.write_unit(settings.data)
    if not service_unit.may_install():
        console.print(
            "As root, install a unit that runs the worker at each boot: "
            f"cp {unit} /etc/systemd/system/ && systemctl enable --now {service_unit.NAME}",
            soft_wrap=True,
        )
        return False
    question = f"Install {service_unit.NAME}, which runs the worker now and at each boot?"
    if not (wanted or (sys.stdin.isatty() and typer.confirm(question, default=True))):
        return False
    service_unit.install(unit)
    console.print(f"[green]✓[/] {service_unit.NAME} runs the worker.")
    return True
