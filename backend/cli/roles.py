"""`tacho roles`: create the users of PostgreSQL and Redis of an installation in containers."""

from pathlib import Path
from typing import Annotated

import typer

from backend.cli.console import fail, read_settings
from backend.core.errors import TachoError
from backend.platform.part_users import PartUsers
from backend.platform.servers import check_database

Folder = Annotated[Path, typer.Argument(help="Folder for the settings of each part.")]
Owner = Annotated[int, typer.Option(help="Number of the user that runs the parts.")]


def run(folder: Folder, owner: Owner = 10001) -> None:
    """Create a user for migrations, API and dispatcher, and write the settings of each.

    DATABASE_URL names a superuser of PostgreSQL, which nothing else needs.
    """
    settings = read_settings()
    if not (settings.database_url and settings.redis_url):
        fail("DATABASE_URL must name a superuser of PostgreSQL, and REDIS_URL a Redis.")
    try:
        check_database(settings.database_url)
        PartUsers(settings.database_url, settings.redis_url, folder, owner).create()
    except TachoError as error:
        fail(error.detail)
    print(f"The users exist. {folder} has the settings of each part.")
