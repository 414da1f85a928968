"""Finds the database of the installation on this machine."""

from backend.core.config import Settings
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout
from backend.platform.servers import check_database


def find_database(settings: Settings) -> str:
    """Return the URL of the database; without DATABASE_URL, of the embedded database.

    Raises:
        PlatformError: the database does not answer.
    """
    if settings.database_url:
        check_database(settings.database_url)
        return settings.database_url
    url = EmbeddedPostgres(Layout(settings.data)).url
    try:
        check_database(url)
    except PlatformError as error:
        raise PlatformError(
            f"The database in TACHO_DATA={settings.data} does not run. Start Tacho with `make up`, "
            "or set DATABASE_URL to the database of the installation."
        ) from error
    return url
