"""`tacho roles`: create a user of PostgreSQL for each part, and in containers also of Redis."""

import os
from pathlib import Path
from typing import Annotated

import dotenv
import typer

from backend.core.config import Settings
from backend.core.errors import TachoError
from backend.platform.credentials.certificates import Certificates
from backend.platform.credentials.part_roles import PART_ROLES
from backend.platform.credentials.part_users import PartUsers
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout
from backend.platform.servers import check_database
from cli.console import fail, read_settings

_ENV_FILE = Path(".env")

Folder = Annotated[
    Path | None,
    typer.Argument(
        help="For containers: folder for the settings of each part. Without it, the users are for "
        "`tacho up` on this machine.",
        show_default=False,
    ),
]
Owner = Annotated[int, typer.Option(help="With a folder: number of the user that runs the parts.")]
Replace = Annotated[
    bool,
    typer.Option(
        "--replace",
        help="Replace passwords of these users that this installation does not know.",
    ),
]


def run(folder: Folder = None, owner: Owner = 10001, replaces: Replace = False) -> None:
    """Create a user for migrations, API and dispatcher, and write the settings of each.

    DATABASE_URL names a superuser of PostgreSQL, which nothing else needs. Without a folder, the
    address of the database for `tacho up` is written to .env.
    """
    settings = read_settings()
    if not settings.database_url or (folder is not None and not settings.redis_url):
        fail(
            "DATABASE_URL must name a superuser of PostgreSQL, and with a folder REDIS_URL a Redis."
        )
    try:
        check_database(settings.database_url)
        if folder is None:
            _create_here(settings, replaces=replaces)
            return
        PartUsers(settings.database_url, settings.redis_url, folder, owner).create()
    except TachoError as error:
        fail(error.detail)
    print(f"The users exist. {folder} has the settings of each part.")


def _create_here(settings: Settings, *, replaces: bool) -> None:
    """Create the users for `tacho up` on this machine, and check that each may connect."""
    layout = Layout(settings.data)
    layout.make()
    users = PartUsers(settings.database_url, None, layout.part_settings, os.geteuid())
    users.create(replaces_passwords=replaces)
    for part in PART_ROLES:
        check_database(users.read_url(part))
    try:
        _ENV_FILE.touch(mode=0o600)
        _ENV_FILE.chmod(0o600)
        dotenv.set_key(_ENV_FILE, "DATABASE_URL", users.read_url("owner"))
        _ENV_FILE.chmod(0o600)
    except OSError as error:
        raise PlatformError(f"{_ENV_FILE} cannot be written: {error.strerror}.") from error
    print(
        f"The users exist and can connect. {_ENV_FILE} has the address for `tacho up`, without the "
        f"superuser. {layout.part_settings} has the passwords."
    )


CertificateFolder = Annotated[
    Path, typer.Argument(help="Folder for the certificates and their keys.")
]
Names = Annotated[
    list[str],
    typer.Argument(help="Names and IP addresses under which bench hosts reach the servers."),
]


def certificates(folder: CertificateFolder, names: Names) -> None:
    """Create a CA and a certificate for PostgreSQL and Redis, unless they are valid."""
    certificates = Certificates(folder)
    try:
        is_new = certificates.create(names)
    except TachoError as error:
        fail(error.detail)
    state = "is new. Restart PostgreSQL and Redis" if is_new else "is valid"
    print(f"{certificates.server} {state}. Bench hosts trust {certificates.ca}.")
