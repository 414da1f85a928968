"""`tacho up`: set up whatever is missing, start all of Tacho, and run until stopped."""

import errno
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from backend.cli.build import build_all
from backend.cli.console import fail, read_settings
from backend.cli.migrate import bring_up_to_date
from backend.cli.operator import invite_first_operator
from backend.core.config import Settings, explain_faults, get_settings
from backend.core.errors import TachoError
from backend.core.units import RuntimeKind
from backend.platform.disk import explain_full_disk
from backend.platform.embedded_postgres import VERSION as POSTGRES_VERSION
from backend.platform.embedded_postgres import EmbeddedPostgres
from backend.platform.embedded_redis import EmbeddedRedis
from backend.platform.errors import AlreadyRunning
from backend.platform.layout import Layout, check_services
from backend.platform.leftovers import adopt_orphans, kill_descendants, stop_leftovers
from backend.platform.network import check_port, public_url
from backend.platform.parent import is_make_interrupted
from backend.platform.parts import (
    api_part,
    dispatcher_part,
    get_host,
    part_environment,
    worker_part,
)
from backend.platform.servers import check_servers
from backend.platform.single import sole_owner
from backend.platform.steps import ProgressSteps
from backend.platform.supervisor import Supervisor
from worker.runtime.choice import describe_choice

EXIT_ALREADY_RUNNING = 3


class StopRequested(BaseException):
    """Ctrl-C was pressed, or a signal requests the end."""


@dataclass(frozen=True)
class _Start:
    """A start of an installation."""

    settings: Settings
    layout: Layout
    steps: ProgressSteps
    supervisor: Supervisor
    url: str

    def everything(self) -> str | None:
        """Start all parts until the API answers.

        Returns the text with the link for the first operator, if people have to sign in and nobody
        has an account.

        Raises:
            TachoError: with the fix.
        """
        stopped = stop_leftovers(self.layout)
        if stopped:
            self.steps.console.print(
                f"  [yellow]![/] stopped parts of a start that was killed: {', '.join(stopped)}"
            )
        check_port(self.settings.host, self.settings.port)
        check_services(self.settings.services_dir)
        check_servers(self.settings.database_url, self.settings.redis_url)
        build_all(self.layout, self.steps)
        database_url, redis_url = self._servers()
        with self.steps.step("Applying migrations", "Schema and catalogue") as step:
            done = bring_up_to_date(database_url, self.settings.services_dir)
            step.note = f"{done.frameworks} frameworks, {done.scenarios} scenarios"
        environment = part_environment(self.settings, database_url, redis_url)
        schedule = self.layout.data / "celerybeat-schedule"
        with self.steps.step("Starting API, worker and dispatcher", "API, worker, dispatcher"):
            self.supervisor.start(
                [
                    api_part(self.settings, self.url, environment),
                    worker_part(self.settings, self.url, environment),
                    dispatcher_part(self.settings, environment, schedule),
                ]
            )
        self._show_runtime()
        return invite_first_operator(self.settings, database_url, self.settings.trust_loopback)

    def _show_runtime(self) -> None:
        """Print where services run and from which base images, as the worker chose."""
        host = get_host(self.url, self.settings.bench_host)
        if host:
            choice = describe_choice(RuntimeKind(host["runtime"]), host["bases"])
            reason = host["runtime_reason"]
            self.steps.console.print(f"  {escape(f'{choice}: {reason}')}", soft_wrap=True)

    def _servers(self) -> tuple[str, str]:
        """Start the servers that are not set, and return the URLs of database and broker."""
        parts = []
        postgres, broker = EmbeddedPostgres(self.layout), EmbeddedRedis.choose(self.layout)
        names = [
            "external PostgreSQL"
            if self.settings.database_url
            else f"PostgreSQL {POSTGRES_VERSION}",
            "external Redis" if self.settings.redis_url else "Redis",
        ]
        with self.steps.step("Starting PostgreSQL and Redis", ", ".join(names)):
            if not self.settings.database_url:
                postgres.prepare()
                parts.append(postgres.part())
            if not self.settings.redis_url:
                broker.prepare()
                parts.append(broker.part())
            self.supervisor.start(parts)
            if not self.settings.database_url:
                postgres.create_database()
        return self.settings.database_url or postgres.url, self.settings.redis_url or broker.url


def run() -> None:
    """Set up whatever is missing and start Tacho. Ctrl-C stops everything."""
    console = Console(highlight=False)
    try:
        settings = get_settings()
        layout = Layout(settings.data)
        layout.make()
        url = public_url(settings.host, settings.port)
        with sole_owner(layout, url), _signals_raise():
            adopt_orphans()
            _serve(settings, layout, url, console)
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


def _serve(settings: Settings, layout: Layout, url: str, console: Console) -> None:
    steps = ProgressSteps(console)
    supervisor = Supervisor(
        layout, lambda text: console.print(f"[yellow]![/] {escape(text)}", soft_wrap=True)
    )
    try:
        with suppress(StopRequested):
            console.print("[bold]Tacho[/] is starting")
            invitation = _Start(settings, layout, steps, supervisor, url).everything()
            console.print(
                f"\n[bold green]Tacho is ready at {url}[/] [dim]({steps.elapsed_s:.1f} s)[/]\n"
                f"[dim]Data and logs: {escape(str(layout.data))}. Ctrl-C stops everything.[/]",
                soft_wrap=True,
            )
            if invitation:
                console.print(f"\n{escape(invitation)}", soft_wrap=True)
            supervisor.watch(is_make_interrupted)
        console.print("\nStopping …")
    finally:
        _ignore_signals()
        supervisor.stop()
        kill_descendants()
    console.print("Stopped.")


_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def _signals_raise() -> Iterator[None]:
    """While it is active, each request to stop raises StopRequested in the main thread."""

    def request_stop(_number: int, _frame: FrameType | None) -> None:
        _ignore_signals()
        raise StopRequested

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
