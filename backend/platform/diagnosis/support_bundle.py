"""The bundle for support: facts about an installation that help to find a fault, without secrets.

Settings are shown by an allow-list, so a new setting stays hidden until it is added here. All text
passes the redaction, also that of this module.
"""

import json
import os
import platform
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import distributions
from pathlib import Path

import dotenv
from pydantic import SecretStr, TypeAdapter
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from backend.core.config import Settings
from backend.core.db import make_reading_engine, make_single_engine
from backend.core.documents import JsonObject
from backend.core.errors import TachoError
from backend.core.free_space import read_disk
from backend.core.measurement.statistics.version import STATISTICS_VERSION
from backend.core.operations.monitoring.repository import list_recent_failures, observe_installation
from backend.core.queue import open_redis
from backend.platform.credentials.part_users import SETTINGS_NAME
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.diagnosis.redaction import Redaction, describe_url, find_secrets
from backend.platform.layout import Layout
from backend.platform.network import public_url
from backend.platform.processes.part_states import read_part_states
from backend.platform.processes.parts import get_health
from backend.version import VERSION

# Settings whose values help, and that never hold a secret. Of those in ADDRESSES, only scheme, host
# and port are shown; of all others, whether they are set.
SHOWN = frozenset(
    {
        *("data", "host", "port", "trusted_proxies", "trust_loopback", "services_dir"),
        *("bench_host", "service_address", "runtime", "bases", "container_runtime"),
        *("allow_unisolated", "allow_unencrypted", "cgroup_root"),
        *("service_cpus", "load_cpus", "backing_cpus"),
        *("build_seconds", "build_network", "build_allow", "build_memory_mb", "build_disk_mb"),
        "ready_seconds",
        *("backup_folder", "backup_hours", "backups_kept"),
        *("database_folder", "database_free_mb", "host_free_mb"),
        *("statement_seconds", "confirmation_pairs", "k6_summary", "audit_days"),
        *("limit_requests", "limit_streams", "limit_queued_trials", "limit_bench_minutes"),
        *("worker_metrics", "dispatcher_metrics", "log_level", "log_format"),
    }
)
ADDRESSES = frozenset(
    {
        *("database_url", "redis_url", "public_database", "public_redis"),
        *("public_url", "oidc_issuer", "otlp_endpoint", "build_proxy"),
    }
)
_LOG_BYTES = 1024 * 1024
_DOCUMENT = TypeAdapter(JsonObject)
_README = """\
Support bundle of Tacho, made on {at:%d %B %Y, %H:%M} UTC.

versions.json     versions of Tacho, Python, packages, servers and the schema
settings.json     settings; those that may hold secrets show only whether they are set
doctor.txt        what `tacho doctor` reports about this machine
health.json       what GET /api/v1/health answers
installation.json hosts, queues and the backlog of the dispatcher
parts.json        the parts that `tacho up` supervises
disk.json         the disk of TACHO_DATA, and its largest folders
logs/             the newest {log_bytes:,} bytes of each log file in TACHO_DATA/logs

Secrets and e-mail addresses are removed. Logs can name runs and hosts: read them before you send
this file. With Docker Compose, logs are not in TACHO_DATA: add the output of `docker compose logs`.
"""


@dataclass(frozen=True)
class SupportBundle:
    """The content of the bundle of one installation.

    Args:
        settings: of the installation.
        doctor: returns the output of `tacho doctor`.
        env_file: holds settings, and so secrets to remove.
    """

    settings: Settings
    doctor: Callable[[], str]
    env_file: Path = Path(".env")

    def write(self, file: Path) -> list[str]:
        """Write the bundle to a new file that only this user can read; return its contents.

        Raises:
            OSError: the file exists, or cannot be written.
        """
        redaction = self._make_redaction()
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        names = []
        with (
            os.fdopen(descriptor, "wb") as stream,
            zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bundle,
        ):
            for name, content in self._list_contents():
                if isinstance(content, str):
                    bundle.writestr(name, redaction.clean(content))
                else:
                    document = redaction.clean_document(_DOCUMENT.dump_python(content, mode="json"))
                    bundle.writestr(name, json.dumps(document, indent=1))
                names.append(name)
        return names

    @property
    def _layout(self) -> Layout:
        return Layout(self.settings.data)

    def _make_redaction(self) -> Redaction:
        own = {
            f"TACHO_{name.upper()}": _reveal(value)
            for name, value in self.settings.model_dump(exclude_defaults=True).items()
        }
        environment = {
            name: value
            for name, value in os.environ.items()
            if name.startswith("TACHO_")
            or name in {"DATABASE_URL", "REDIS_URL"}
            # Set for Docker Compose.
            or name == "POSTGRES_PASSWORD"
        }
        secrets = find_secrets(own) | find_secrets(environment)
        for file in (self.env_file, *_list_settings_files(self._layout)):
            if file.is_file():
                secrets |= find_secrets(dotenv.dotenv_values(file))
        return Redaction(secrets | set(_list_passwords_of_broker(self._layout)))

    def _list_contents(self) -> Iterator[tuple[str, str | JsonObject]]:
        """Yield name and content of each file. A part that cannot be read shows why."""
        yield "README.txt", _README.format(at=datetime.now(UTC), log_bytes=_LOG_BYTES)
        for name, read in (
            ("versions.json", self._read_versions),
            ("settings.json", lambda: describe_settings(self.settings)),
            ("health.json", lambda: get_health(self._url)),
            ("installation.json", self._read_installation),
            ("parts.json", self._read_parts),
            ("disk.json", lambda: _describe_disk(self.settings.data)),
        ):
            yield name, _attempt(read)
        yield "doctor.txt", _attempt_text(self.doctor)
        for log in sorted(self._layout.logs.glob("*.log*")):
            yield f"logs/{log.name}", _attempt_text(partial(_read_end, log))

    @property
    def _url(self) -> str:
        return public_url(self.settings.host, self.settings.port)

    @property
    def _database_url(self) -> str:
        return self.settings.database_url or EmbeddedPostgres(self._layout).url

    def _read_versions(self) -> JsonObject:
        return {
            "tacho": VERSION,
            "statistics": STATISTICS_VERSION,
            "python": sys.version,
            "system": platform.platform(),
            "postgresql": _attempt(self._read_server_version),
            "redis": _attempt(self._read_broker_version),
            "packages": dict(sorted((found.name, found.version) for found in distributions())),
        }

    def _read_server_version(self) -> JsonObject:
        with Session(make_single_engine(self._database_url)) as session:
            version = session.scalars(select(text("version()"))).one()
            return {"version": str(version)}

    def _read_broker_version(self) -> JsonObject:
        if not self.settings.redis_url:
            return {"version": "embedded"}
        with open_redis(self.settings.redis_url) as client:
            info = client.info("server")
            return {"version": str(info.get("redis_version"))}

    def _read_installation(self) -> JsonObject:
        with Session(make_reading_engine(self._database_url)) as session:
            found = asdict(observe_installation(session))
            failures = list_recent_failures(session)
            return {**found, "recent_failures": [asdict(failure) for failure in failures]}

    def _read_parts(self) -> JsonObject:
        states = read_part_states(self._layout.part_states)
        return {state.name: state.model_dump(mode="json") for state in states}


def _reveal(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


def describe_settings(settings: Settings) -> JsonObject:
    """Return the settings by variable: values, addresses, or only whether they are set."""
    described: JsonObject = {}
    for name, value in settings.model_dump(mode="json").items():
        if name in SHOWN:
            described[name] = value
        elif name in ADDRESSES:
            described[name] = describe_url(value)
        else:
            described[name] = "(set)" if value else "(empty)"
    return described


def _describe_disk(data: Path) -> JsonObject:
    space = read_disk(data)
    folders = {folder.name: _measure(folder) for folder in data.iterdir() if folder.is_dir()}
    return {
        "size_bytes": space.size_bytes,
        "free_bytes": space.free_bytes,
        "folders_bytes": dict(sorted(folders.items(), key=lambda item: -item[1])),
    }


def _measure(folder: Path) -> int:
    """Return the size of all files in a folder; files that vanish or are closed count nothing."""
    size_bytes = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                size_bytes += (Path(parent) / name).lstat().st_size
            except OSError:
                continue
    return size_bytes


def _read_end(log: Path) -> str:
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - _LOG_BYTES))
        return stream.read().decode(errors="replace")


def _list_settings_files(layout: Layout) -> Iterator[Path]:
    """Yield the files with the users of the worker and of the other parts."""
    for folder in (layout.bench_host, *layout.part_settings.glob("*")):
        yield folder / SETTINGS_NAME


def _list_passwords_of_broker(layout: Layout) -> Iterator[str]:
    """Yield the password of the embedded Redis."""
    configuration = layout.broker / "redis.conf"
    if configuration.is_file():
        for line in configuration.read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == "requirepass" and value:
                yield value


def _attempt(read: Callable[[], JsonObject]) -> JsonObject:
    """Return what a function reads, or why it failed: a broken installation needs a bundle too."""
    try:
        return read()
    except Exception as error:  # noqa: BLE001  any part may be broken
        return {"failed": _explain(error)}


def _attempt_text(read: Callable[[], str]) -> str:
    try:
        return read()
    except Exception as error:  # noqa: BLE001  any part may be broken
        return f"failed: {_explain(error)}\n"


def _explain(error: Exception) -> str:
    return error.detail if isinstance(error, TachoError) else f"{type(error).__name__}: {error}"
