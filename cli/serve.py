"""`tacho api`, `worker` and `dispatcher`: run one part, for containers and further bench hosts."""

import os
from collections.abc import Sequence
from typing import NoReturn

from backend.core.config import Settings
from backend.core.errors import TachoError
from backend.core.schema import SchemaState
from backend.platform.layout import Layout, check_services
from backend.platform.processes.guard import attend_command
from backend.platform.processes.parts import (
    BACKUPS_COMMAND,
    WORKER_CLEANING,
    api_command,
    dispatcher_command,
    worker_command,
)
from backend.platform.servers import check_servers, find_schema_mismatch
from cli.console import fail, read_settings
from cli.operator import invite_first_operator


def api() -> None:
    """Serve the API and the UI on an existing database and broker.

    If people have to sign in and nobody has an account, print a link for the first operator.
    """
    settings = _settings_with_servers()
    is_trusting = bool(settings.trust_loopback)
    try:
        mismatch = find_schema_mismatch(settings.database_url)
        if mismatch is None:
            shown = invite_first_operator(settings, settings.database_url, is_trusting)
        elif mismatch.state is SchemaState.NEWER:
            # The API answers each request with this explanation.
            shown = mismatch.detail
        else:
            raise mismatch
    except TachoError as error:
        fail(error.detail)
    if shown:
        print(shown, flush=True)
    _become(api_command(settings))


def worker() -> None:
    """Run trials on this machine as the bench host TACHO_BENCH_HOST."""
    settings = _settings_with_servers()
    _make_layout(settings)
    _become(worker_command(settings), afterwards=WORKER_CLEANING)


def dispatcher() -> None:
    """Finalize runs, start scheduled runs and send webhooks. Run it at least once."""
    _settings_with_servers()
    _become(dispatcher_command())


def backups() -> None:
    """Back up the database every TACHO_BACKUP_HOURS into TACHO_BACKUP_FOLDER."""
    settings = _settings_with_servers()
    if settings.backup_folder is None:
        fail("TACHO_BACKUP_FOLDER is not set. Set it to a folder for backups.")
    _become(BACKUPS_COMMAND)


def _become(command: Sequence[str], afterwards: Sequence[str] = ()) -> NoReturn:
    """Replace this process by the part, below a guard that ends all that the part starts."""
    attended = attend_command(command, afterwards)
    os.execv(attended[0], attended)  # noqa: S606


def _settings_with_servers() -> Settings:
    settings = read_settings()
    if not (settings.database_url and settings.redis_url):
        fail("DATABASE_URL and REDIS_URL must be set; `tacho up` starts servers of its own.")
    try:
        check_servers(settings.database_url, settings.redis_url)
        check_services(settings.services_dir)
    except TachoError as error:
        fail(error.detail)
    return settings


def _make_layout(settings: Settings) -> Layout:
    layout = Layout(settings.data)
    try:
        layout.make()
    except TachoError as error:
        fail(error.detail)
    return layout
