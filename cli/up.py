"""`tacho up`: set up whatever is missing, start all of Tacho, and run until stopped."""

import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from backend.core.config import Settings, explain_faults, get_settings
from backend.core.errors import TachoError
from backend.core.units import RuntimeKind
from backend.platform.bench_host.local_bench_host import provide_credentials
from backend.platform.credentials.part_users import PartSettings, read_settings_file
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.databases.embedded_redis import EmbeddedRedis
from backend.platform.disk import explain_full_disk
from backend.platform.errors import AlreadyRunning
from backend.platform.layout import Layout, check_services
from backend.platform.network import check_port, public_url
from backend.platform.packaged_servers import POSTGRES_VERSION
from backend.platform.processes.guard import adopt_orphans, end_children
from backend.platform.processes.leftovers import stop_leftovers
from backend.platform.processes.parent import hang_up_with_make, is_make_interrupted
from backend.platform.processes.parts import (
    api_part,
    backups_part,
    dispatcher_part,
    get_host,
    part_environment,
    worker_part,
)
from backend.platform.processes.programs import ProgramSpec
from backend.platform.processes.single import sole_owner
from backend.platform.processes.supervisor import Supervisor
from backend.platform.servers import check_redis_rights, check_servers
from backend.platform.steps import ProgressSteps
from cli.build import FRONTEND, build_frontend
from cli.console import fail, read_settings
from cli.load_generator import LoadGeneratorBuilder
from cli.migrate import SchemaUpgrade, upgrade_schema
from cli.operator import invite_first_operator
from worker.runtime.choice import describe_choice

EXIT_ALREADY_RUNNING = 3

_SERVERS, _SCHEMA, _PARTS = "Servers", "Schema and catalogue", "Parts"
_STEPS = (FRONTEND, _SERVERS, _SCHEMA, _PARTS)


class StopRequested(BaseException):
    """Ctrl-C was pressed, or a signal requests the end.

    Attributes:
        at_once: whether the terminal was closed, or make has ended.
    """

    def __init__(self, *, at_once: bool) -> None:
        super().__init__()
        self.at_once = at_once


@dataclass(frozen=True)
class ServerAddresses:
    """The URLs of database and broker.

    Attributes:
        database_url: as the owner of the tables.
        redis_url: as a user who may create users.
        api, dispatcher: the variables with the same servers, as the users of these parts.
        broker: the embedded Redis; None for a server of the operator.
    """

    database_url: str
    redis_url: str
    api: Mapping[str, str]
    dispatcher: Mapping[str, str]
    broker: EmbeddedRedis | None


@dataclass(frozen=True)
class Start:
    """A start of an installation: `prepare`, `start_servers`, `migrate` and `start_parts`."""

    settings: Settings
    layout: Layout
    steps: ProgressSteps
    supervisor: Supervisor
    load_generator: LoadGeneratorBuilder
    url: str

    def prepare(self) -> None:
        """Stop what is left over of a killed start, check the machine, and build what is missing.

        The load generator is still being built then: `load_generator.wait`.

        Raises:
            TachoError: with the fix. Here and below.
        """
        stopped = stop_leftovers(self.layout)
        if stopped:
            self.steps.console.print(
                f"  [yellow]![/] stopped parts of a start that was killed: {', '.join(stopped)}"
            )
        check_port(self.settings.host, self.settings.port)
        check_services(self.settings.services_dir)
        check_servers(self.settings.database_url, self.settings.redis_url)
        if self.settings.redis_url:
            check_redis_rights(self.settings.redis_url)
        builder = self.load_generator.start()
        if builder is not None:
            self.supervisor.kept.add(builder)
        build_frontend(self.layout, self.steps)

    def start_servers(self) -> ServerAddresses:
        """Start the servers that are not set."""
        parts = []
        postgres = EmbeddedPostgres(self.layout)
        broker = EmbeddedRedis.choose(self.layout, self.settings.chosen_ports)
        with self.steps.step("Starting PostgreSQL and Redis", _SERVERS) as step:
            step.note = ", ".join(
                [
                    "external PostgreSQL"
                    if self.settings.database_url
                    else f"PostgreSQL {POSTGRES_VERSION}",
                    "external Redis" if self.settings.redis_url else "Redis",
                ]
            )
            if not self.settings.database_url:
                postgres.prepare()
                parts.append(postgres.part())
            if not self.settings.redis_url:
                broker.prepare()
                parts.append(broker.part())
            self.supervisor.start(parts)
            if not self.settings.database_url:
                postgres.create_database()
        database_url, redis_url = self.settings.database_url, self.settings.redis_url
        parts_of = PartSettings(self.layout.part_settings, database_url)
        of_api, of_dispatcher = (
            {
                "DATABASE_URL": parts_of.find_url(part) if database_url else own_url,
                "REDIS_URL": redis_url or broker.part_url(part),
            }
            for part, own_url in (
                ("api", postgres.api_url),
                ("dispatcher", postgres.dispatcher_url),
            )
        )
        return ServerAddresses(
            database_url or postgres.url,
            redis_url or broker.url,
            of_api,
            of_dispatcher,
            None if redis_url else broker,
        )

    def migrate(self, servers: ServerAddresses, backups: Path) -> SchemaUpgrade:
        """Migrate the schema and load the catalogue; back an older schema up into a folder."""
        with self.steps.step("Applying migrations", _SCHEMA) as step:
            upgrade = upgrade_schema(servers.database_url, self.settings.services_dir, backups)
            step.note = upgrade.preparation.loaded
        if upgrade.backup:
            self.steps.console.print(
                f"  The schema was migrated. The state before is in {escape(str(upgrade.backup))}.",
                soft_wrap=True,
            )
        return upgrade

    def start_parts(self, servers: ServerAddresses) -> str | None:
        """Start API, worker and dispatcher until all are ready.

        Returns the text with the link for the first operator, if people have to sign in and nobody
        has an account.
        """
        environment = part_environment(self.settings, servers.database_url, servers.redis_url)
        # The checks of readiness keep the administrator's users: the parts may not list clients.
        parts = [
            _as_user(api_part(self.settings, self.url, environment), servers.api),
            _as_user(
                worker_part(self.settings, self.url, environment),
                self._provide_bench_host(servers),
            ),
            _as_user(dispatcher_part(self.settings, environment), servers.dispatcher),
        ]
        if self.settings.backup_folder is not None:
            parts.append(backups_part(environment))
        with self.steps.step("Starting API, worker and dispatcher", _PARTS) as step:
            step.note = "API, worker, dispatcher"
            self.supervisor.start(parts)
        self._show_runtime()
        return invite_first_operator(
            self.settings, servers.database_url, self.settings.trust_loopback
        )

    def _provide_bench_host(self, servers: ServerAddresses) -> Mapping[str, str]:
        """Return the variables with the servers as users of this bench host.

        Raises:
            TachoError: the embedded servers did not create the users. A server of the operator
                may refuse to.
        """
        settings = self.settings.model_copy(
            update={"database_url": servers.database_url, "redis_url": servers.redis_url}
        )
        folder = self.layout.bench_host
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            credentials = provide_credentials(settings, folder)
        except TachoError as error:
            if not (self.settings.database_url or self.settings.redis_url):
                raise
            self.steps.console.print(
                "  [yellow]![/] The worker has no users of its own, and uses those of the "
                f"installation. {escape(error.detail)}",
                soft_wrap=True,
            )
            return {}
        if servers.broker is not None:
            servers.broker.keep_bench_host(
                credentials.redis_user, credentials.redis_password, self.settings.bench_host
            )
        return read_settings_file(folder)

    def _show_runtime(self) -> None:
        """Print where services run and from which base images, as the worker chose."""
        host = get_host(self.url, self.settings.bench_host)
        if host:
            choice = describe_choice(RuntimeKind(host["runtime"]), host["bases"])
            reason = host["runtime_reason"]
            self.steps.console.print(f"  {escape(f'{choice}: {reason}')}", soft_wrap=True)


def _as_user(part: ProgramSpec, variables: Mapping[str, str]) -> ProgramSpec:
    """Return a part with variables that replace its own."""
    return replace(part, environment={**part.environment, **variables})


def run() -> None:
    """Set up whatever is missing and start Tacho. Ctrl-C stops everything."""
    with explained_faults():
        settings = get_settings()
        layout = Layout(settings.data)
        layout.make()
        serve(settings, layout, Console(highlight=False), _begin)


def _begin(start: Start) -> str | None:
    start.prepare()
    servers = start.start_servers()
    start.migrate(servers, start.layout.backups)
    return start.start_parts(servers)


@contextmanager
def explained_faults() -> Iterator[None]:
    """End the command with an explanation if Tacho cannot start."""
    try:
        yield
    except ValidationError as error:
        fail(explain_faults(error))
    except AlreadyRunning as error:
        fail(error.detail, EXIT_ALREADY_RUNNING)
    except TachoError as error:
        fail(error.detail)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        fail(f"Tacho cannot start: {explain_full_disk(read_settings().data)}.")


def serve(
    settings: Settings,
    layout: Layout,
    console: Console,
    begin: Callable[[Start], str | None],
    is_over: Callable[[], bool] = is_make_interrupted,
) -> None:
    """Start Tacho and run it until it is stopped.

    Args:
        settings: of the installation.
        layout: of its data folder.
        console: receives messages.
        begin: starts all parts, and returns a text for the operator.
        is_over: whether to stop, asked a few times a second.

    Raises:
        AlreadyRunning: another process uses the data folder.
        TachoError: with the fix.
    """
    url = public_url(settings.host, settings.port)
    supervisor = Supervisor(
        layout, lambda text: console.print(f"[yellow]![/] {escape(text)}", soft_wrap=True)
    )
    load_generator = LoadGeneratorBuilder(layout, console)
    steps = ProgressSteps(console, _STEPS)
    start = Start(settings, layout, steps, supervisor, load_generator, url)
    with sole_owner(layout, url, serves=True), _signals_raise():
        adopt_orphans()
        hang_up_with_make()
        _run_parts(start, begin, is_over)


def _run_parts(
    start: Start, begin: Callable[[Start], str | None], is_over: Callable[[], bool]
) -> None:
    console = start.steps.console
    try:
        try:
            console.print("[bold]Tacho[/] is starting")
            invitation = begin(start)
            console.print(
                f"\n[bold green]Tacho is ready at {start.url}[/] "
                f"[dim]({start.steps.elapsed_s:.1f} s)[/]\n"
                f"[dim]Data and logs: {escape(str(start.layout.data))}. Ctrl-C stops "
                "everything.[/]",
                soft_wrap=True,
            )
            if unfinished := start.load_generator.describe():
                console.print(f"\n{unfinished}")
            if invitation:
                console.print(f"\n{escape(invitation)}", soft_wrap=True)
            start.supervisor.watch(is_over)
        except StopRequested as request:
            if request.at_once:
                start.supervisor.stop_at_once()
                end_children()
                # Python would need up to seconds to free its memory.
                os._exit(128 + signal.SIGHUP)
        _ignore_signals()
        console.print("\nStopping …")
    finally:
        _ignore_signals()
        start.supervisor.stop()
        start.load_generator.stop()
        end_children()
    console.print("Stopped.")


_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def _signals_raise() -> Iterator[None]:
    """While it is active, each request to stop raises StopRequested in the main thread."""

    def request_stop(number: int, _frame: FrameType | None) -> None:
        _ignore_signals()
        raise StopRequested(at_once=number == signal.SIGHUP)

    for ending in _ENDING:
        signal.signal(ending, request_stop)
    try:
        yield
    except StopRequested:
        # The request came before any part was started.
        typer.echo("Stopped.", file=sys.stderr)


def _ignore_signals() -> None:
    for ending in _ENDING:
        signal.signal(ending, signal.SIG_IGN)
