"""Backups of an installation: a ZIP file with a dump of its database and a manifest.

PostgreSQL's own programs make and read the dump. It is restored in one transaction, so a restore
that fails changes nothing.
"""

import hashlib
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Literal

import psycopg
from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError
from sqlalchemy import URL, make_url

from backend.core.numbers import count_of
from backend.platform.disk import DISK_FULL_ERRORS, mentions_full_disk
from backend.platform.errors import PlatformError
from backend.platform.packaged_servers import find_postgres_program
from backend.platform.servers import plain_url
from backend.version import VERSION, find_commit

_MANIFEST = "manifest.json"
_DUMP = "database.dump"
_CHUNK_BYTES = 1024 * 1024
# Replaces the whole content of the database. Both lines after the first restore the properties that
# PostgreSQL gives to the schema of a new database.
_EMPTY_SCHEMA = """\
DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public;
ALTER SCHEMA public OWNER TO pg_database_owner;
GRANT USAGE ON SCHEMA public TO PUBLIC;
"""
# pg_restore of PostgreSQL 17 and later sets this parameter, which no earlier server has. The line
# is one of the first lines, before that with the encoding.
_TRANSACTION_TIMEOUT = b"SET transaction_timeout = 0;\n"
_WITH_TRANSACTION_TIMEOUT = 170000
_LAST_CHECKED_LINE = b"SET client_encoding ="


class BackupManifest(BaseModel):
    """The content of a backup.

    Attributes:
        tacho: version of Tacho that made it.
        commit: of the code of that Tacho; None if it was unknown, as before 26 November 2026.
        schema_revision: revision of the schema in `migrations/`.
        postgresql: version of the server that was dumped.
        dump_sha256: SHA-256 of the dump, in hexadecimal digits.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    created_at: AwareDatetime
    tacho: str
    commit: str | None = None
    schema_revision: str
    postgresql: str
    dump_bytes: int
    dump_sha256: str


def create_backup(database_url: str, file: Path) -> BackupManifest:
    """Write the state of the database at this moment to a new file. Tacho may be running.

    The file appears under its name only when it is complete. Only its owner can read it, because it
    contains hashes of passwords and secrets of webhooks.

    Raises:
        PlatformError: the file exists or cannot be written, or the database cannot be dumped.
    """
    if file.exists():
        raise PlatformError(f"{file} exists already. Choose another name, or remove the file.")
    revision, server = _read_versions(database_url)
    part = file.with_name(f"{file.name}.part")
    try:
        with _open_private(part) as raw, zipfile.ZipFile(raw, "w") as archive:
            with archive.open(_DUMP, "w", force_zip64=True) as target:
                size, digest = _dump(database_url, target)
            manifest = BackupManifest(
                created_at=datetime.now(UTC),
                tacho=VERSION,
                commit=find_commit(),
                schema_revision=revision,
                postgresql=server,
                dump_bytes=size,
                dump_sha256=digest,
            )
            archive.writestr(_MANIFEST, manifest.model_dump_json(indent=2))
        part.replace(file)
    except OSError as error:
        full = "the disk is full. Free some space there" if error.errno in DISK_FULL_ERRORS else ""
        raise PlatformError(
            f"{file} cannot be written: {full or error.strerror}, or choose another folder."
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return manifest


def verify_backup(file: Path) -> BackupManifest:
    """Return the manifest of a backup after reading all of it. Nothing is restored.

    Raises:
        PlatformError: the file is missing, damaged, or not a backup.
    """
    with _open_backup(file) as (archive, manifest), archive.open(_DUMP) as dump:
        digest, size = hashlib.sha256(), 0
        while chunk := dump.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
    if (size, digest.hexdigest()) != (manifest.dump_bytes, manifest.dump_sha256):
        raise PlatformError(
            f"{file} is damaged: its dump has {size} bytes and the SHA-256 {digest.hexdigest()}, "
            f"instead of {manifest.dump_bytes} bytes and {manifest.dump_sha256}. Use another one."
        )
    return manifest


def restore_backup(file: Path, database_url: str, *, allows_parts: bool = False) -> BackupManifest:
    """Replace the content of a database by that of a backup, in one transaction.

    Args:
        file: the backup.
        database_url: of the database.
        allows_parts: whether parts of Tacho may be connected to the database. Otherwise, they must
            not be.

    Raises:
        PlatformError: the file is damaged, parts are connected, or PostgreSQL refuses the dump. The
            database is unchanged then.
    """
    manifest = verify_backup(file)
    if not allows_parts:
        _refuse_connected_parts(database_url)
    with _open_backup(file) as (archive, _), archive.open(_DUMP) as dump:
        _load(database_url, dump)
    return manifest


@contextmanager
def _open_backup(file: Path) -> Iterator[tuple[zipfile.ZipFile, BackupManifest]]:
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive, BackupManifest.model_validate_json(archive.read(_MANIFEST))
    except FileNotFoundError as error:
        raise PlatformError(f"{file} does not exist. Name the file of a backup.") from error
    except OSError as error:
        raise PlatformError(f"{file} cannot be read: {error.strerror}.") from error
    except KeyError as error:
        raise PlatformError(f"{file} is not a backup of Tacho. Name the file of one.") from error
    except ValidationError as error:
        raise PlatformError(
            f"The manifest of {file} has another format. Restore it with the version of Tacho that "
            "made it."
        ) from error
    except zipfile.BadZipFile as error:
        raise PlatformError(
            f"{file} is damaged or not a backup of Tacho: {error}. Use another backup."
        ) from error


def _open_private(file: Path) -> IO[bytes]:
    file.unlink(missing_ok=True)
    return os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600), "wb")


def _read_versions(database_url: str) -> tuple[str, str]:
    """Return the revision of the schema, and the version of the server."""
    try:
        with psycopg.connect(
            plain_url(database_url), application_name="tacho backup"
        ) as connection:
            row = connection.execute(
                "SELECT version_num, current_setting('server_version') FROM alembic_version"
            ).fetchone()
    except psycopg.errors.UndefinedTable:
        row = None
    except psycopg.Error as error:
        raise PlatformError(f"The database cannot be read: {error}") from error
    if row is None:
        raise PlatformError("The database holds no data of Tacho, so there is nothing to back up.")
    return str(row[0]), str(row[1])


def _read_server_version(database_url: str) -> int:
    """Return the version of the server as a number: 160015 for 16.15."""
    try:
        with psycopg.connect(
            plain_url(database_url), application_name="tacho restore"
        ) as connection:
            return connection.info.server_version
    except psycopg.Error as error:
        raise PlatformError(f"The database does not answer: {error}") from error


def _dump(database_url: str, target: IO[bytes]) -> tuple[int, str]:
    """Write a dump, and return its size in bytes and its SHA-256."""
    # Documents that are stored ready to send are left out. Tacho computes them again. Rights on
    # functions of PostgreSQL are left out, because they name roles that another server may lack.
    options = (
        *("--format=custom", "--no-owner", "--no-unlogged-table-data"),
        "--exclude-schema=pg_catalog",
    )
    digest, size = hashlib.sha256(), 0
    with _start(database_url, "pg_dump", *options, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while chunk := process.stdout.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
            target.write(chunk)
        _check_end(process, "The database cannot be dumped")
    return size, digest.hexdigest()


def _load(database_url: str, dump: IO[bytes]) -> None:
    """Restore a dump in one transaction, which is committed only if the whole dump was read."""
    options = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null")
    has_timeout = _read_server_version(database_url) >= _WITH_TRANSACTION_TIMEOUT
    with (
        _pipe([_find_program("pg_restore"), "--no-owner", "--file=-"]) as reader,
        _start(database_url, "psql", *options, stdin=subprocess.PIPE) as psql,
        ThreadPoolExecutor(1) as pool,
    ):
        assert reader.stdin is not None
        assert reader.stdout is not None
        assert psql.stdin is not None
        feeding = pool.submit(_feed, dump, reader.stdin)
        # psql may end early. Its message is read below.
        with suppress(BrokenPipeError):
            psql.stdin.write(b"BEGIN;\n" + _EMPTY_SCHEMA.encode())
            if not has_timeout:
                _copy_without_timeout(reader.stdout, psql.stdin)
            shutil.copyfileobj(reader.stdout, psql.stdin, _CHUNK_BYTES)
            feeding.result()
            if reader.wait() == 0:
                psql.stdin.write(b"COMMIT;\n")
        reader.stdout.close()
        with suppress(BrokenPipeError):
            psql.stdin.close()
        _check_end(psql, "PostgreSQL refuses the backup; nothing was changed")
        _check_end(reader, "The dump cannot be read; nothing was changed")


def _copy_without_timeout(script: IO[bytes], target: IO[bytes]) -> None:
    """Copy the first lines of a script, except the parameter that an older server does not have."""
    while line := script.readline():
        if line != _TRANSACTION_TIMEOUT:
            target.write(line)
        if line.startswith(_LAST_CHECKED_LINE):
            return


def _feed(source: IO[bytes], target: IO[bytes]) -> None:
    """Copy everything and close the target; stop if the program that reads it has ended."""
    with suppress(BrokenPipeError):
        shutil.copyfileobj(source, target, _CHUNK_BYTES)
    with suppress(BrokenPipeError):
        target.close()


def _pipe(command: Sequence[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def _refuse_connected_parts(database_url: str) -> None:
    statement = """\
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'tacho%%'
          AND pid <> pg_backend_pid()"""
    try:
        with psycopg.connect(
            plain_url(database_url), application_name="tacho restore"
        ) as connection:
            row = connection.execute(statement).fetchone()
    except psycopg.Error as error:
        raise PlatformError(f"The database does not answer: {error}") from error
    if row and row[0]:
        raise PlatformError(
            f"{count_of(row[0], 'connection')} of Tacho to this database must be closed first. "
            "Stop the API, the dispatcher and all workers, then restore again."
        )


def _start(
    database_url: str,
    program: str,
    *options: str,
    stdin: IO[bytes] | int | None = subprocess.DEVNULL,
    stdout: int | None = None,
) -> "subprocess.Popen[bytes]":
    """Start a program of PostgreSQL for this database. Its password is not on the command line."""
    url = make_url(database_url)
    secret = {"PGPASSWORD": str(url.password)} if url.password else {}
    named = URL.create(
        "postgresql", url.username, None, url.host, url.port, url.database, url.query
    ).render_as_string()
    return subprocess.Popen(
        [_find_program(program), f"--dbname={named}", "--no-password", *options],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **secret, "PGOPTIONS": "-c client_min_messages=warning"},
    )


def _check_end(process: "subprocess.Popen[bytes]", what: str) -> None:
    """Wait for a program. Raise PlatformError with its first messages if it failed."""
    assert process.stderr is not None
    if process.wait() == 0:
        return
    printed = process.stderr.read().decode(errors="replace").strip()
    if mentions_full_disk(printed):
        raise PlatformError(f"{what}: the disk of the database is full. Free some space there.")
    raise PlatformError(f"{what}: {' '.join(printed.splitlines()[:3])}")


def _find_program(name: str) -> str:
    """Return the path of PostgreSQL's program: from Tacho's own package, else from the machine."""
    found = find_postgres_program(name)
    path = str(found) if found else shutil.which(name)
    if path is None:
        raise PlatformError(
            f"{name} is missing. Install the client programs of PostgreSQL (postgresql-client)."
        )
    return path
