"""`tacho migrate`: migrate the schema and load the catalogue."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from backend.cli.console import fail, read_settings
from backend.core.catalog.service import load_catalog
from backend.core.db import DATABASE_DISK_FULL, is_disk_full, make_engine
from backend.core.errors import TachoError
from backend.core.migration import migrate
from backend.core.schema import SchemaState
from backend.platform.errors import PlatformError
from backend.platform.layout import check_services
from backend.platform.local_bench_host import provide_credentials
from backend.platform.servers import check_database, find_schema_mismatch

BenchFolder = Annotated[
    Path | None,
    typer.Option(
        help="Folder for the settings of the bench host TACHO_BENCH_HOST, which gets users of its "
        "own in PostgreSQL and Redis.",
    ),
]


@dataclass(frozen=True)
class Preparation:
    """The numbers of frameworks and scenarios of a database that is up to date.

    `advice` is empty, or why bench hosts cannot get database users of their own.
    """

    frameworks: int
    scenarios: int
    advice: str


def bring_up_to_date(database_url: str, services_dir: Path) -> Preparation:
    """Migrate the schema, set up the roles and load the manifests.

    Raises:
        ManifestInvalid: a manifest is wrong; the detail names file, key and fix.
        PlatformError: the database does not answer, or its disk is full.
        SchemaMismatch: a newer version has migrated the database.
    """
    engine = make_engine(database_url)
    try:
        mismatch = find_schema_mismatch(database_url)
        if mismatch is not None and mismatch.state is SchemaState.NEWER:
            raise mismatch
        advice = migrate(database_url)
        with Session(engine) as session, session.begin():
            catalogue = load_catalog(session, services_dir)
    except OperationalError as error:
        if is_disk_full(error):
            raise PlatformError(f"{DATABASE_DISK_FULL}, then start again.") from error
        shown = engine.url.render_as_string(hide_password=True)
        reason = str(error.orig).splitlines()[0]
        raise PlatformError(
            f"The database {shown} stopped answering during the migration: {reason}. Start Tacho "
            "again to repeat the unfinished steps."
        ) from error
    finally:
        engine.dispose()
    return Preparation(len(catalogue.frameworks), len(catalogue.scenarios), advice)


def run(bench_host_settings: BenchFolder = None) -> None:
    """Bring the database of DATABASE_URL to the newest schema and load the catalogue."""
    settings = read_settings()
    if not settings.database_url:
        fail("DATABASE_URL is not set. `tacho up` migrates the embedded database by itself.")
    try:
        check_services(settings.services_dir)
        check_database(settings.database_url)
        done = bring_up_to_date(settings.database_url, settings.services_dir)
        if bench_host_settings is not None:
            provide_credentials(settings, bench_host_settings)
    except TachoError as error:
        fail(error.detail)
    print(f"Schema up to date; {done.frameworks} frameworks, {done.scenarios} scenarios loaded.")
    if done.advice:
        print(done.advice)
