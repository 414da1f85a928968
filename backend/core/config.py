"""The settings of Tacho; `.env.example` explains every key."""

import ipaddress
import socket
from email.utils import parseaddr
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AliasChoices,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from backend.core.cpus import parse_cpu_list
from backend.core.destinations import parse_allowed, parse_destination
from backend.core.numbers import join_words
from backend.core.validation import explain_fault

ROOT = Path(__file__).resolve().parents[2]

# The folder with `frontend/dist`, `migrations` and `services`: the repository, or in a wheel a
# folder of the package (tools/release/wheel.py).
_IN_WHEEL = ROOT / "backend" / "assets"
ASSETS = _IN_WHEEL if _IN_WHEEL.is_dir() else ROOT

# In containers, holds the users of a part or of a bench host. Its folder is a volume.
CONTAINER_SETTINGS = Path("/run/tacho/settings.env")

# The database refuses to delete entries of the audit log that are younger.
MIN_AUDIT_DAYS = 30

_MAIL_EXAMPLE = "smtps://user:password@mail.example.org"
_PROXY_EXAMPLE = "http://10.1.2.3:3128"

# None lets Tacho choose. In the environment, a list like `0-2,5`.
ChosenCpus = Annotated[tuple[int, ...] | None, NoDecode]


class Settings(BaseSettings):
    """Settings, read from the environment, then from files.

    Neither the representation nor a fault contains a secret. Addresses with a password are plain
    text without a representation.
    """

    model_config = SettingsConfigDict(
        env_prefix="TACHO_",
        env_file=(".env", CONTAINER_SETTINGS),
        extra="ignore",
        populate_by_name=True,
        hide_input_in_errors=True,
    )

    data: Path = Field(
        Path(".tacho"), description="Folder that holds all of an installation's data."
    )
    host: str = Field("127.0.0.1", description="Address on which the API listens.")
    port: int = Field(8000, ge=1, le=65535, description="Port on which the API listens.")
    public_url: str = Field(
        "",
        description="Address under which people reach Tacho, for links and for checks of where a "
        "request came from. Empty: the host and port on which the API listens.",
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Addresses or networks of reverse proxies. The API reads the address and the "
        "scheme of a request from their X-Forwarded-For and X-Forwarded-Proto headers.",
    )
    token: SecretStr = Field(
        SecretStr(""),
        description="Secret with which scripts and people operate this installation.",
    )
    oidc_issuer: str = Field(
        "", description="Address of the OpenID Connect provider that people can sign in with."
    )
    oidc_client_id: str = Field("", description="Name of this installation at the provider.")
    oidc_client_secret: SecretStr = Field(
        SecretStr(""),
        description="Secret with which this installation signs in at the provider.",
    )
    oidc_name: str = Field(
        "single sign-on",
        min_length=1,
        max_length=40,
        description="Name of the provider on the button that signs in.",
    )
    mail_from: str = Field("", description="Sender of e-mail, such as Tacho <tacho@example.org>.")
    smtp_url: str = Field(
        "",
        repr=False,
        description="Mail server for links that reset passwords. Empty: operators create them.",
    )
    trust_loopback: bool | None = Field(
        None,
        description="Whether programs on this machine may make changes without signing in. Empty: "
        "only under `tacho up` on a loopback address. No effect on other addresses, if a token is "
        "set, or if a user exists.",
    )
    database_url: str = Field(
        "",
        validation_alias=AliasChoices("DATABASE_URL", "database_url"),
        repr=False,
        description="PostgreSQL to use; empty starts the embedded one.",
    )
    redis_url: str = Field(
        "",
        validation_alias=AliasChoices("REDIS_URL", "redis_url"),
        repr=False,
        description="Redis to use; empty starts the embedded one.",
    )
    public_database: str = Field(
        "",
        repr=False,
        description="Address under which bench hosts reach PostgreSQL. Empty: that of "
        "DATABASE_URL.",
    )
    public_redis: str = Field(
        "",
        repr=False,
        description="Address under which bench hosts reach Redis. Empty: that of REDIS_URL.",
    )
    public_ca: Path | None = Field(
        None,
        description="File with the CA certificate of PostgreSQL and Redis, for bench hosts.",
    )
    allow_unencrypted: bool = Field(
        False,
        description="Whether bench hosts may reach PostgreSQL and Redis over a network without TLS "
        "that checks the server, and whether this machine may join an http:// address.",
    )
    database_folder: Path | None = Field(
        None,
        description="Folder of this machine on the disk of the database. Empty: that of the "
        "embedded PostgreSQL.",
    )
    database_free_mb: int = Field(
        2048,
        ge=0,
        description="Free space on the disk of the database below which no new run is accepted, in "
        "MiB. Below half of it no queued trial starts. 0: no limit.",
    )
    bench_host: str = Field(
        default_factory=socket.gethostname, description="Name of this bench host, and of its queue."
    )
    service_address: str = Field(
        "",
        description="IP address of this bench host at which load hosts reach the services. Empty: "
        "load comes only from this host itself.",
    )
    runtime: Literal["auto", "docker", "process"] = Field(
        "auto",
        description="Where services run. auto: Docker if an engine answers, otherwise processes.",
    )
    bases: Literal["auto", "official", "debian"] = Field(
        "auto",
        description="Base images: official ones, or equivalents built from Debian packages. auto: "
        "the official ones if an image registry answers.",
    )
    container_runtime: Literal["", "runsc"] = Field(
        "",
        description="Program of the Docker engine that runs containers of services. runsc: gVisor. "
        "Empty: the engine's default.",
    )
    allow_unisolated: bool = Field(
        False,
        description="Whether services may run as processes without isolation although other people "
        "use this installation, and scripts of load that other hosts request, too.",
    )
    cgroup_root: Path = Field(
        Path("/sys/fs/cgroup"), description="Where the host's cgroup tree is visible."
    )
    services_dir: Path = Field(
        ASSETS / "services",
        description="The catalogue: frameworks, scenarios, backing services, bases.",
    )
    service_cpus: ChosenCpus = Field(None, description="CPUs of the service, such as 0-2,5.")
    load_cpus: ChosenCpus = Field(None, description="CPUs of the load generator.")
    backing_cpus: ChosenCpus = Field(None, description="CPUs of backing services.")
    build_seconds: int = Field(
        1200,
        ge=1,
        le=86_400,
        description="Maximum duration of the build of one service, including its base images.",
    )
    build_network: Literal["bridge", "host"] = Field(
        "bridge",
        description="Network of builds. bridge: they reach the Internet, but no address of this "
        "machine and no private network. host: they use the network of this machine.",
    )
    build_allow: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Private networks and addresses that builds may reach, such as "
        "10.1.0.0/16,10.2.0.7:8081.",
    )
    build_proxy: str = Field(
        "",
        repr=False,
        description="URL of a filtering HTTP proxy. Builds then reach only this proxy, and the "
        "addresses of TACHO_BUILD_ALLOW. Empty: they need no proxy.",
    )
    build_memory_mb: int = Field(
        4096, ge=256, description="Maximum memory of the build of one service."
    )
    build_disk_mb: int = Field(
        8192, ge=64, description="Maximum disk space that one step of a build may fill."
    )
    host_free_mb: int = Field(
        3072,
        ge=0,
        description="Free disk space below which this bench host takes no further trials, in MiB. "
        "0: no limit.",
    )
    keep_days: int = Field(
        30,
        ge=0,
        le=36_500,
        description="Days without use after which a bench host removes builds, caches, base images "
        "and load generators. 0: never.",
    )
    keep_gb: int = Field(
        50,
        ge=0,
        description="Size of builds, caches, base images and load generators in GiB above which a "
        "bench host removes those that were used least recently. 0: no limit.",
    )
    ready_seconds: int = Field(
        120,
        ge=5,
        le=3600,
        description="Maximum time from the start of a service to its first 200 response.",
    )
    statement_seconds: float = Field(
        15,
        ge=0.1,
        le=3600,
        description="Maximum duration of one database statement of the API.",
    )
    confirmation_pairs: int = Field(
        20,
        ge=0,
        le=100,
        description="Maximum pairs of trials of the confirmation run that starts for a suspected "
        "change. 0: none starts automatically.",
    )
    k6_summary: bool = Field(
        False, description="Also store k6's own summary with each trial, to check Tacho's figures."
    )
    webhook_allow: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Hosts and ports that webhooks may reach although their addresses are not "
        "public.",
    )
    audit_days: int = Field(
        0,
        ge=0,
        le=36_500,
        description="Age at which entries of the audit log are deleted. 0: never. At least 30.",
    )
    backup_folder: Path | None = Field(
        None, description="Folder for scheduled backups. Empty: none are made."
    )
    backup_hours: int = Field(
        24, ge=1, le=8760, description="Hours between the starts of two scheduled backups."
    )
    backups_kept: int = Field(
        14, ge=1, description="Scheduled backups that are kept. Older ones are deleted."
    )
    limit_requests: int = Field(
        1200,
        ge=0,
        description="Requests that a person, workspace token or address may send in one minute. 0: "
        "no limit.",
    )
    limit_streams: int = Field(
        100,
        ge=0,
        description="Event streams that a person, workspace token or address may have open. 0: no "
        "limit.",
    )
    limit_queued_trials: int = Field(
        20_000,
        ge=0,
        description="Queued and running trials of one workspace. 0: no limit. Operators can set "
        "another limit for each workspace.",
    )
    limit_bench_minutes: int = Field(
        0,
        ge=0,
        description="Minutes of measuring of one workspace in 24 hours. 0: no limit. Operators can "
        "set another limit for each workspace.",
    )
    metrics_token: SecretStr = Field(
        SecretStr(""),
        description="Secret with which Prometheus reads /metrics of the API, and nothing else.",
    )
    worker_metrics: str = Field(
        "",
        description="Address and port on which the worker serves metrics for Prometheus. Empty: no "
        "metrics.",
    )
    dispatcher_metrics: str = Field(
        "",
        description="Address and port on which the dispatcher serves metrics for Prometheus. "
        "Empty: no metrics.",
    )
    otlp_endpoint: str = Field(
        "",
        validation_alias=AliasChoices("OTEL_EXPORTER_OTLP_ENDPOINT", "otlp_endpoint"),
        description="Collector of OpenTelemetry that gets traces by OTLP over HTTP. Empty: none.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="Log level of all parts."
    )
    log_format: Literal["text", "json"] = Field(
        "text", description="Format of the logs of API, worker and dispatcher."
    )

    @field_validator("database_url", "public_database")
    @classmethod
    def _with_driver(cls, url: str) -> str:
        for plain in ("postgresql://", "postgres://"):
            if url.startswith(plain):
                url = "postgresql+psycopg://" + url.removeprefix(plain)
        if url:
            _check_url(url, ("postgresql+psycopg",), "postgresql://user:password@host:5432/name")
        return url

    @field_validator("redis_url", "public_redis")
    @classmethod
    def _of_redis(cls, url: str) -> str:
        if url:
            _check_url(url, ("redis", "rediss", "unix"), "redis://host:6379/0")
        return url

    @field_validator("public_url")
    @classmethod
    def _of_browsers(cls, url: str) -> str:
        return _read_origin(url.rstrip("/"), "https://tacho.example.org") if url else ""

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _read_proxies(cls, given: object) -> object:
        if isinstance(given, str):
            given = _split(given)
        if isinstance(given, tuple | list):
            for proxy in given:
                _check_proxy(str(proxy))
        return given

    @field_validator("service_address")
    @classmethod
    def _of_this_host(cls, address: str) -> str:
        if not address:
            return address
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError as error:
            raise ValueError("must be an IP address of this host, such as 192.0.2.10") from error
        if parsed.is_unspecified or parsed.is_multicast:
            raise ValueError(
                f"must be a single address of this host, such as 192.0.2.10, not {address}"
            )
        return str(parsed)

    @field_validator("worker_metrics", "dispatcher_metrics")
    @classmethod
    def _of_metrics(cls, endpoint: str) -> str:
        if endpoint:
            parse_endpoint(endpoint)
        return endpoint

    @field_validator("smtp_url")
    @classmethod
    def _of_mail(cls, url: str) -> str:
        if url:
            _check_url(url, ("smtp", "smtps"), _MAIL_EXAMPLE)
            if not urlsplit(url).hostname:
                raise ValueError(f"must name a host, such as {_MAIL_EXAMPLE}")
        return url

    @field_validator("mail_from")
    @classmethod
    def _of_sender(cls, sender: str) -> str:
        if sender and "@" not in parseaddr(sender)[1]:
            raise ValueError("must be an e-mail address, such as Tacho <tacho@example.org>")
        return sender

    @field_validator("otlp_endpoint")
    @classmethod
    def _of_collector(cls, url: str) -> str:
        if url:
            _check_url(url, ("http", "https"), "http://127.0.0.1:4318")
        return url.rstrip("/")

    @field_validator("oidc_issuer")
    @classmethod
    def _of_provider(cls, url: str) -> str:
        if url:
            _check_url(url, ("http", "https"), "https://login.example.org")
        return url

    @field_validator(
        "trust_loopback", "public_ca", "database_folder", "backup_folder", mode="before"
    )
    @classmethod
    def _read_empty(cls, given: object) -> object:
        return None if given == "" else given

    @field_validator("service_cpus", "load_cpus", "backing_cpus", mode="before")
    @classmethod
    def _read_cpus(cls, given: object, info: ValidationInfo) -> object:
        if not isinstance(given, str):
            return given
        if not given:
            return None
        try:
            return parse_cpu_list(given)
        except ValueError as error:
            raise ValueError(f"TACHO_{str(info.field_name).upper()}: {error}.") from error

    @field_validator("webhook_allow", mode="before")
    @classmethod
    def _read_targets(cls, given: object) -> object:
        given = _split(given) if isinstance(given, str) else given
        if isinstance(given, tuple | list):
            for target in given:
                parse_allowed(str(target))
        return given

    @field_validator("build_allow", mode="before")
    @classmethod
    def _read_destinations(cls, given: object) -> object:
        given = _split(given) if isinstance(given, str) else given
        if isinstance(given, tuple | list):
            for destination in given:
                parse_destination(str(destination))
        return given

    @field_validator("build_proxy")
    @classmethod
    def _of_builds(cls, url: str) -> str:
        if url:
            _check_url(url, ("http",), _PROXY_EXAMPLE)
            parts = urlsplit(url)
            if not parts.hostname or ":" in parts.hostname or not parts.port:
                raise ValueError(f"must name a host and a port, such as {_PROXY_EXAMPLE}")
        return url

    @field_validator("audit_days")
    @classmethod
    def _leave_recent(cls, days: int) -> int:
        if 0 < days < MIN_AUDIT_DAYS:
            raise ValueError(f"must be 0, or {MIN_AUDIT_DAYS} or more")
        return days

    @field_validator("data", "services_dir", "backup_folder")
    @classmethod
    def _absolute(cls, folder: Path | None) -> Path | None:
        return None if folder is None else folder.expanduser().absolute()

    @model_validator(mode="after")
    def _separate_monitoring(self) -> Self:
        if self.metrics_token and self.metrics_token == self.token:
            raise ValueError(
                "TACHO_METRICS_TOKEN must differ from TACHO_TOKEN, because Prometheus must not get "
                "the rights of an operator"
            )
        return self

    @model_validator(mode="after")
    def _complete_mail(self) -> Self:
        if bool(self.smtp_url) != bool(self.mail_from):
            raise ValueError(
                "TACHO_SMTP_URL and TACHO_MAIL_FROM belong together. Set both to send e-mail, or "
                "none of them"
            )
        if self.smtp_url and not self.public_url:
            raise ValueError(
                "TACHO_SMTP_URL needs TACHO_PUBLIC_URL, because the links in e-mail begin with it. "
                "Set it, such as TACHO_PUBLIC_URL=https://tacho.example.org"
            )
        return self

    @model_validator(mode="after")
    def _complete_oidc(self) -> Self:
        given = {
            "TACHO_OIDC_ISSUER": self.oidc_issuer,
            "TACHO_OIDC_CLIENT_ID": self.oidc_client_id,
            "TACHO_OIDC_CLIENT_SECRET": self.oidc_client_secret,
        }
        missing = [name for name, value in given.items() if not value]
        if len(missing) == len(given):
            return self
        if missing:
            raise ValueError(
                f"{join_words(missing)} must not be empty for single sign-on. Set "
                f"{join_words([*given])}, or none of them"
            )
        if not self.public_url:
            raise ValueError(
                "TACHO_PUBLIC_URL must not be empty for single sign-on, because the provider sends "
                "people back to it. Set it, such as TACHO_PUBLIC_URL=https://tacho.example.org"
            )
        return self

    @property
    def plans_backups(self) -> bool:
        """Return whether scheduled backups are switched on."""
        return self.backup_folder is not None

    @property
    def chosen_ports(self) -> set[int]:
        """Return the ports that these settings give to parts of Tacho."""
        endpoints = filter(None, (self.worker_metrics, self.dispatcher_metrics))
        return {self.port, *(parse_endpoint(endpoint)[1] for endpoint in endpoints)}


def parse_endpoint(endpoint: str) -> tuple[str, int]:
    """Return address and port of `127.0.0.1:9464` or `[::1]:9464`; raise ValueError."""
    address, _, port = endpoint.rpartition(":")
    try:
        parsed = ipaddress.ip_address(address.removeprefix("[").removesuffix("]"))
        number = int(port)
    except ValueError as error:
        raise ValueError(
            f"must be an IP address and a port, such as 127.0.0.1:9464, not {endpoint!r}"
        ) from error
    if not 0 < number < 65_536:
        raise ValueError(f"must end with a port from 1 to 65535, not {number}")
    return str(parsed), number


def _split(words: str) -> tuple[str, ...]:
    return tuple(word for part in words.split(",") if (word := part.strip()))


def _read_origin(url: str, example: str) -> str:
    """Return an address of a site as browsers write it, in the Origin header for instance."""
    _check_url(url, ("http", "https"), example)
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not host or not url.isascii():
        raise ValueError(f"must have a host name in ASCII letters, such as {example}")
    if parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError(
            f"must be a scheme, a host and optionally a port, such as {example}. Tacho needs a "
            "host name or port of its own; remove the rest"
        )
    host = f"[{host}]" if ":" in host else host
    is_default = parts.port in {None, {"http": 80, "https": 443}[parts.scheme]}
    return f"{parts.scheme}://{host}" + ("" if is_default else f":{parts.port}")


def _check_proxy(proxy: str) -> None:
    """Raise ValueError unless it is an address, or a network that is not the whole Internet."""
    try:
        network = ipaddress.ip_network(proxy)
    except ValueError as error:
        raise ValueError(
            f"must be a list of addresses and networks such as 127.0.0.1,10.1.0.0/16, but {error}"
        ) from error
    if network.prefixlen == 0:
        raise ValueError(
            f"must not contain {proxy}, because then every client could forge its address. Name "
            "the addresses of your proxies"
        )


def _check_url(url: str, schemes: tuple[str, ...], example: str) -> None:
    """Raise ValueError unless the URL has one of the schemes and a port that is a number.

    The URL may hold a password, so the message does not repeat it.
    """
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  reading it validates it
    except ValueError as error:
        raise ValueError(
            f"must be a URL such as {example}, but its host or port is wrong"
        ) from error
    if parts.scheme not in schemes:
        begins = f"begins with {parts.scheme}://" if "://" in url else "is not a URL"
        raise ValueError(f"must be a URL such as {example}, but {begins}; correct it")


# Other programs use these variables too, so they have no prefix.
_OF_OTHERS = frozenset({"DATABASE_URL", "REDIS_URL", "OTEL_EXPORTER_OTLP_ENDPOINT"})


def explain_faults(error: ValidationError) -> str:
    """Return which variables are wrong, and how to correct them."""
    faults = []
    for fault in error.errors():
        words = explain_fault(fault)
        # A rule about several settings begins with a name, and has no location.
        if not words.startswith("TACHO_"):
            name = str(fault["loc"][0]).upper()
            words = f"{name if name in _OF_OTHERS else f'TACHO_{name}'} {words}"
        faults.append(words)
    return "The settings are wrong. " + " ".join(faults)


@lru_cache
def get_settings() -> Settings:
    """Return the settings of the process, read once."""
    return Settings()
