"""Users of PostgreSQL and Redis for the parts of an installation.

The administrator of PostgreSQL creates them before anything else starts. Each part gets a folder
with its own settings, so in containers no part knows the password of another.
"""

import re
import secrets
from dataclasses import dataclass
from pathlib import Path

import psycopg
from sqlalchemy import URL, make_url

from backend.platform.credentials.broker_users import BROKER_USERS, describe_part
from backend.platform.credentials.part_roles import PART_ROLES, create_part_roles
from backend.platform.errors import PlatformError
from backend.platform.servers import plain_url
from backend.platform.untrusted_folders import own_folder, read_file, write_file

SETTINGS_NAME = "settings.env"
_ACL_NAME = "users.acl"
# Written by the migration, when the bench host of this machine is known.
_BENCH = "bench"
_BROKER = "broker"


@dataclass(frozen=True)
class PartUsers:
    """Creates the users and writes the settings of the parts below `folder`.

    Attributes:
        administrator_url: a superuser of PostgreSQL and the database of Tacho.
        broker_url: Redis, without a user; None if the parts share the user of REDIS_URL.
        folder: has a folder for each part.
        owner_id: number of the user that runs the parts.
    """

    administrator_url: str
    broker_url: str | None
    folder: Path
    owner_id: int

    def create(self, *, replaces_passwords: bool = True) -> None:
        """Create what is missing. Passwords of an earlier start stay.

        Args:
            replaces_passwords: whether to replace passwords that the folder does not hold.

        Raises:
            PlatformError: the administrator may not create roles, a file cannot be written, or a
                role has another password that must not be replaced.
        """
        try:
            with psycopg.connect(
                plain_url(self.administrator_url), application_name="tacho roles", autocommit=True
            ) as connection:
                if not replaces_passwords:
                    self._check_passwords(connection)
                create_part_roles(connection, self._write_all())
        except psycopg.Error as error:
            raise PlatformError(f"PostgreSQL refuses to create the roles: {error}") from error

    def read_url(self, part: str) -> str:
        """Return the URL of the database for a part. Call `create` first."""
        url = read_setting(self.folder / part / SETTINGS_NAME, "DATABASE_URL")
        assert url is not None
        return url

    def _check_passwords(self, connection: psycopg.Connection) -> None:
        """Raise PlatformError if a role has a password that the folder does not hold."""
        known = [
            role
            for part, (role, _) in PART_ROLES.items()
            if self._find_password(part, "DATABASE_URL", role) is not None
        ]
        query = (
            "SELECT rolname FROM pg_authid WHERE rolpassword IS NOT NULL AND rolname = ANY(%s) "
            "AND rolname <> ALL(%s) ORDER BY rolname"
        )
        wanted = [role for role, _ in PART_ROLES.values()]
        others = [name for (name,) in connection.execute(query, (wanted, known))]
        if others:
            raise PlatformError(
                f"{', '.join(others)} already has a password, which {self.folder} does not hold. "
                "Perhaps another installation uses this server. To replace the password, add "
                "--replace."
            )

    def _write_all(self) -> dict[str, str]:
        """Write the settings of all parts, and return the password of each role by part."""
        try:
            passwords = {part: self._write(part) for part in PART_ROLES}
            if self.broker_url is not None:
                self._write_acl()
                self._make_folder(_BENCH)
        except OSError as error:
            raise PlatformError(f"{error.filename} cannot be written: {error.strerror}.") from error
        return passwords

    def _write_acl(self) -> None:
        """Write the users of Redis."""
        folder = self._make_folder(_BROKER)
        # Health checks of the container ping without a password.
        lines = ["user default on nopass resetkeys resetchannels -@all +ping\n"]
        for part, user in BROKER_USERS.items():
            password = self._find_password(part, "REDIS_URL", user)
            assert password is not None
            lines.append(describe_part(part, password))
        # It holds no password, and the user of the Redis container reads it.
        write_file(folder, _ACL_NAME, "".join(lines), self.owner_id, mode=0o644)

    def _write(self, part: str) -> str:
        """Write the settings of a part, and return the password of its role."""
        role = PART_ROLES[part][0]
        password = self._find_password(part, "DATABASE_URL", role) or secrets.token_urlsafe(32)
        database = make_url(self.administrator_url).set(
            username=role, password=password, drivername="postgresql"
        )
        write_settings(
            self._make_folder(part),
            database.render_as_string(hide_password=False),
            self._make_broker_url(part),
            self.owner_id,
        )
        return password

    def _make_broker_url(self, part: str) -> str | None:
        """Return the URL of Redis for a part, with the password of an earlier start."""
        if self.broker_url is None:
            return None
        user = BROKER_USERS[part]
        password = self._find_password(part, "REDIS_URL", user) or secrets.token_urlsafe(32)
        url = make_url(self.broker_url).set(username=user, password=password)
        return url.render_as_string(hide_password=False)

    def _find_password(self, part: str, variable: str, user: str) -> str | None:
        """Return the password of an earlier start; None if it is that of another user."""
        found = read_setting(self.folder / part / SETTINGS_NAME, variable)
        url = None if found is None else make_url(found)
        return None if url is None or url.username != user else str(url.password)

    def _make_folder(self, part: str) -> Path:
        path = self.folder / part
        path.mkdir(parents=True, exist_ok=True)  # trusted path: parts cannot write its parent
        own_folder(path, self.owner_id)
        return path


@dataclass(frozen=True)
class PartSettings:
    """The settings that `PartUsers` has written below `folder`, for a database of the operator."""

    folder: Path
    database_url: str

    def find_url(self, part: str) -> str:
        """Return the URL of the database for a part.

        It is `database_url` itself without settings for this database.
        """
        found = read_setting(self.folder / part / SETTINGS_NAME, "DATABASE_URL")
        if found is None or _without_user(found) != _without_user(self.database_url):
            return self.database_url
        return found


def _without_user(database_url: str) -> URL:
    return make_url(database_url).set(drivername="postgresql", username="", password="")


def read_settings_file(folder: Path) -> dict[str, str]:
    """Return the variables of `write_settings` in a folder."""
    lines = read_file(folder, SETTINGS_NAME).splitlines()
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def read_setting(path: Path, variable: str) -> str | None:
    """Return the value of a variable in a file of settings; None if one of them is missing."""
    try:
        text = read_file(path.parent, path.name)
    except FileNotFoundError:
        return None
    found = re.search(rf"^{variable}=(.+)$", text, re.MULTILINE)
    return found[1] if found else None


def write_settings(folder: Path, database_url: str, redis_url: str | None, owner_id: int) -> None:
    """Write the addresses of both servers, or only of PostgreSQL, to a file that one user reads."""
    broker = "" if redis_url is None else f"REDIS_URL={redis_url}\n"
    write_file(folder, SETTINGS_NAME, f"DATABASE_URL={database_url}\n{broker}", owner_id)
