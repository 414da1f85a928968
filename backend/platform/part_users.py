"""Users of PostgreSQL and Redis for the parts of an installation in containers.

The administrator of PostgreSQL creates them before anything else starts. Each part gets a folder
with its own settings, so no part knows the password of another.
"""

import hashlib
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

import psycopg
from sqlalchemy import make_url

from backend.platform.errors import PlatformError
from backend.platform.part_roles import PART_ROLES, create_part_roles
from backend.platform.servers import plain_url

SETTINGS_NAME = "settings.env"
_ACL_NAME = "users.acl"
_BROKER_USER = "tacho"
# Written by the migration, when the bench host of this machine is known.
_BENCH = "bench"
_BROKER = "broker"


@dataclass(frozen=True)
class PartUsers:
    """Creates the users and writes the settings of the parts below `folder`.

    Attributes:
        administrator_url: a superuser of PostgreSQL and the database of Tacho.
        broker_url: Redis, without a user.
        folder: has a folder for each part.
        owner_id: number of the user that runs the parts.
    """

    administrator_url: str
    broker_url: str
    folder: Path
    owner_id: int

    def create(self) -> None:
        """Create what is missing. Passwords of an earlier start stay.

        Raises:
            PlatformError: the administrator may not create roles, or a file cannot be written.
        """
        try:
            broker_password = self._write_acl()
            passwords = {part: self._write(part, broker_password) for part in PART_ROLES}
            self._make_folder(_BENCH)
        except OSError as error:
            raise PlatformError(f"{error.filename} cannot be written: {error.strerror}.") from error
        try:
            with psycopg.connect(
                plain_url(self.administrator_url), application_name="tacho roles", autocommit=True
            ) as connection:
                create_part_roles(connection, passwords)
        except psycopg.Error as error:
            raise PlatformError(f"PostgreSQL refuses to create the roles: {error}") from error

    def _write_acl(self) -> str:
        """Write the users of Redis, and return the password of the parts."""
        known = self._find_password("owner", "REDIS_URL")
        password = known or secrets.token_urlsafe(32)
        digest = hashlib.sha256(password.encode()).hexdigest()
        path = self._make_folder(_BROKER) / _ACL_NAME
        # Health checks of the container ping without a password.
        path.write_text(
            "user default on nopass resetkeys resetchannels -@all +ping\n"
            f"user {_BROKER_USER} on #{digest} ~* &* +@all\n"
        )
        # It holds no password, and the user of the Redis container reads it.
        path.chmod(0o644)
        return password

    def _write(self, part: str, broker_password: str) -> str:
        """Write the settings of a part, and return the password of its role."""
        password = self._find_password(part, "DATABASE_URL") or secrets.token_urlsafe(32)
        database = make_url(self.administrator_url).set(
            username=PART_ROLES[part][0], password=password, drivername="postgresql"
        )
        broker = make_url(self.broker_url).set(username=_BROKER_USER, password=broker_password)
        write_settings(
            self._make_folder(part),
            database.render_as_string(hide_password=False),
            broker.render_as_string(hide_password=False),
            self.owner_id,
        )
        return password

    def _find_password(self, part: str, variable: str) -> str | None:
        url = read_setting(self.folder / part / SETTINGS_NAME, variable)
        return None if url is None else str(make_url(url).password)

    def _make_folder(self, part: str) -> Path:
        path = self.folder / part
        path.mkdir(parents=True, exist_ok=True)
        os.chown(path, self.owner_id, self.owner_id)
        return path


def read_setting(path: Path, variable: str) -> str | None:
    """Return the value of a variable in a file of settings; None if one of them is missing."""
    if not path.exists():
        return None
    found = re.search(rf"^{variable}=(.+)$", path.read_text(), re.MULTILINE)
    return found[1] if found else None


def write_settings(folder: Path, database_url: str, redis_url: str, owner_id: int) -> None:
    """Write the addresses of both servers to a file that only one user can read."""
    path, part = folder / SETTINGS_NAME, folder / f"{SETTINGS_NAME}.part"
    part.touch(mode=0o600)
    part.write_text(f"DATABASE_URL={database_url}\nREDIS_URL={redis_url}\n")
    os.chown(part, owner_id, owner_id)
    part.replace(path)
