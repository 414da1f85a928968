"""`tacho migrate`: brings the schema up to date and loads the catalogue."""

from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from backend.cli.console import fail
from backend.core.catalog.service import load_catalog
from backend.core.config import get_settings
from backend.core.db import make_engine
from backend.core.errors import TachoError
from backend.core.migration import migrate
from backend.platform.errors import PlatformError


def bring_up_to_date(database_url: str) -> tuple[int, int]:
    """Migrates, then mirrors the manifests; returns how many frameworks and scenarios there are.

    Raises:
        ManifestInvalid: naming file, key and fix.
        PlatformError: the database does not answer.
    """
    engine = make_engine(database_url)
    try:
        engine.connect().close()
        migrate(database_url)
        with Session(engine) as session, session.begin():
            catalogue = load_catalog(session, get_settings().services_dir)
    except OperationalError as error:
        shown = engine.url.render_as_string(hide_password=True)
        raise PlatformError(
            f"The database {shown} does not answer: {error.orig}. Correct DATABASE_URL, or leave "
            "it out for the embedded PostgreSQL."
        ) from error
    finally:
        engine.dispose()
    return len(catalogue.frameworks), len(catalogue.scenarios)


def run() -> None:
    """Bring the database of DATABASE_URL to the newest schema and load the catalogue."""
    database_url = get_settings().database_url
    if not database_url:
        fail("DATABASE_URL is not set. `tacho up` migrates the embedded database by itself.")
    try:
        frameworks, scenarios = bring_up_to_date(database_url)
    except TachoError as error:
        fail(error.detail)
    print(f"Schema up to date; {frameworks} frameworks, {scenarios} scenarios loaded.")
