"""The settings of Tacho; `.env.example` explains every key."""

import socket
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from backend.core.cpus import parse_cpu_list
from backend.core.validation import explain_fault

ROOT = Path(__file__).resolve().parents[2]

# None lets Tacho choose. In the environment, a list like `0-2,5`.
ChosenCpus = Annotated[tuple[int, ...] | None, NoDecode]


class Settings(BaseSettings):
    """Settings, read from the environment, then from `.env`."""

    model_config = SettingsConfigDict(
        env_prefix="TACHO_", env_file=".env", extra="ignore", populate_by_name=True
    )

    data: Path = Field(
        Path(".tacho"), description="Folder that holds all of an installation's data."
    )
    host: str = Field("127.0.0.1", description="Address on which the API listens.")
    port: int = Field(8000, ge=1, le=65535, description="Port on which the API listens.")
    token: str = Field(
        "", description="Secret that calls must carry to make changes and to read private runs."
    )
    trust_loopback: bool | None = Field(
        None,
        description="Whether programs on this machine may make changes without a token. Empty: "
        "only under `tacho up` on a loopback address. No effect if a token is set.",
    )
    database_url: str = Field(
        "",
        validation_alias=AliasChoices("DATABASE_URL", "database_url"),
        description="PostgreSQL to use; empty starts the embedded one.",
    )
    redis_url: str = Field(
        "",
        validation_alias=AliasChoices("REDIS_URL", "redis_url"),
        description="Redis to use; empty starts the embedded one.",
    )
    bench_host: str = Field(
        default_factory=socket.gethostname, description="Name of this bench host, and of its queue."
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
    cgroup_root: Path = Field(
        Path("/sys/fs/cgroup"), description="Where the host's cgroup tree is visible."
    )
    services_dir: Path = Field(
        ROOT / "services",
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
        (), description="Hosts that webhooks may reach although their addresses are not public."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="Log level of all parts."
    )

    @field_validator("database_url")
    @classmethod
    def _with_driver(cls, url: str) -> str:
        for plain in ("postgresql://", "postgres://"):
            if url.startswith(plain):
                url = "postgresql+psycopg://" + url.removeprefix(plain)
        if url:
            _check_url(url, ("postgresql+psycopg",), "postgresql://user:password@host:5432/name")
        return url

    @field_validator("redis_url")
    @classmethod
    def _of_redis(cls, url: str) -> str:
        if url:
            _check_url(url, ("redis", "rediss", "unix"), "redis://host:6379/0")
        return url

    @field_validator("trust_loopback", mode="before")
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
    def _read_words(cls, given: object) -> object:
        if not isinstance(given, str):
            return given
        return tuple(word for part in given.split(",") if (word := part.strip()))

    @field_validator("data", "services_dir")
    @classmethod
    def _absolute(cls, folder: Path) -> Path:
        return folder.expanduser().absolute()


def _check_url(url: str, schemes: tuple[str, ...], example: str) -> None:
    """Raise ValueError unless the URL has one of the schemes and a port that is a number.

    The URL may hold a password, so the message does not repeat it.
    """
    try:
        parts = urlsplit(url)
        # Reading the port validates it.
        found = (parts.scheme, parts.port)[0]
    except ValueError as error:
        raise ValueError(
            f"must be a URL such as {example}, but its host or port is wrong"
        ) from error
    if found not in schemes:
        begins = f"begins with {found}://" if "://" in url else "is not a URL"
        raise ValueError(f"must be a URL such as {example}, but {begins}; correct it")


def explain_faults(error: ValidationError) -> str:
    """Return which variables are wrong, and how to correct them."""
    faults = []
    for fault in error.errors():
        words = explain_fault(fault)
        name = str(fault["loc"][0]).upper()
        # Other programs use these variables too, so they have no prefix.
        variable = name if name in {"DATABASE_URL", "REDIS_URL"} else f"TACHO_{name}"
        faults.append(words if words.startswith(variable) else f"{variable} {words}")
    return "The settings are wrong. " + " ".join(faults)


@lru_cache
def get_settings() -> Settings:
    """Return the settings of the process, read once."""
    return Settings()
