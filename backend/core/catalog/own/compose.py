"""Reads the service of a repository from its Compose file, for its first `tacho.toml`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import yaml  # type: ignore[import-untyped]

from backend.core.numbers import agree, join_words

# A part of the name of an image, the backing service of Tacho that replaces it, and the variable
# with its address.
_BACKING = (
    (re.compile(r"postgres|postgis|pgvector|timescale"), "postgres", "POSTGRES_URL"),
    (re.compile(r"redis|valkey"), "redis", "REDIS_URL"),
    (re.compile(r"rabbitmq"), "rabbitmq", "RABBITMQ_URL"),
    (re.compile(r"etcd"), "etcd", "ETCD_URL"),
)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# `${NAME:-default}` stands for the default, because the variables of a shell are not those of CI.
_DEFAULTED = re.compile(r"\$\{\w+:?-([^}]*)\}")
# Compose replaces such a variable, and `$$` stands for a single dollar.
_OF_SHELL = re.compile(r"\$[{A-Za-z_]")
_MOST_VARIABLES = 50


@dataclass(frozen=True)
class ComposeService:
    """The service that a Compose file builds.

    Attributes:
        port: in the container; None if none is published.
        dockerfile: within the folder.
        backing: the backing services of Tacho that stand for other services of the file.
        environment: its variables. Addresses of these services are replaced by those of Tacho.
        notes: sentences about what a person has to check.
    """

    name: str
    port: int | None = None
    dockerfile: str = "Dockerfile"
    backing: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_compose(text: str, file: str) -> ComposeService | None:
    """Return the service that a Compose file builds from this folder; None without one.

    Args:
        file: the name of the file, for notes.
    """
    try:
        document = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    services = _table(_table(document).get("services"))
    built = {name: entry for name, entry in services.items() if _is_built_here(entry)}
    if not built:
        return None
    # People reach the service that publishes a port.
    name = next((name for name, entry in built.items() if _find_port(entry)), next(iter(built)))
    return _Reader(file, name, services).read(has_others=len(built) > 1)


class _Reader:
    """Reads one service of a Compose file."""

    def __init__(self, file: str, name: str, services: Mapping[str, object]) -> None:
        self._file = file
        self._name = name
        self._entry = _table(services[name])
        # Name of the other service, backing service and variable.
        self._backing: dict[str, tuple[str, str]] = {}
        self._unknown: list[str] = []
        used = self._list_used(services)
        for other, entry in services.items():
            if other == name or other not in used:
                continue
            image = _write(_table(entry).get("image")).lower()
            known = next((found for found in _BACKING if found[0].search(image)), None)
            if known is None:
                self._unknown.append(other)
            else:
                self._backing[other] = known[1], known[2]

    def read(self, *, has_others: bool) -> ComposeService:
        """Return the service, with notes."""
        build = self._entry.get("build")
        dockerfile = _table(build).get("dockerfile")
        environment, unresolved = self._read_environment()
        notes = [f"The service is {self._name} of {self._file}."]
        if has_others:
            notes[0] += " The file builds others, too, which Tacho does not start."
        if self._backing:
            names = list(dict.fromkeys(slug for slug, _ in self._backing.values()))
            stand = agree(len(names), "stands", "stand")
            notes.append(
                f"Tacho's own {join_words(names)} {stand} for {join_words(list(self._backing))}."
            )
        if self._unknown:
            notes.append(f"Tacho does not start {join_words(self._unknown)} of {self._file}.")
        notes += unresolved
        return ComposeService(
            self._name,
            _find_port(self._entry),
            dockerfile if isinstance(dockerfile, str) else "Dockerfile",
            tuple(dict.fromkeys(slug for slug, _ in self._backing.values())),
            environment,
            tuple(notes),
        )

    def _list_used(self, services: Mapping[str, object]) -> set[str]:
        """Return the services that this one needs or names."""
        needed, links = self._entry.get("depends_on"), self._entry.get("links")
        names = {*map(_write, _list(needed)), *_table(needed)}
        names |= {_write(link).split(":")[0] for link in _list(links)}
        texts = " ".join(_list_variables(self._entry).values())
        return names | {name for name in services if _names_host(texts, name)}

    def _read_environment(self) -> tuple[dict[str, str], list[str]]:
        """Return the variables, and notes about those that a person has to write."""
        environment, notes = {}, []
        for name, value in list(_list_variables(self._entry).items())[:_MOST_VARIABLES]:
            host = next((host for host in self._backing if _names_host(value, host)), None)
            variable = self._backing[host][1] if host is not None else ""
            if host is None and any(_names_host(value, other) for other in self._unknown):
                notes.append(f"{name} names a service that Tacho does not start.")
            elif host is not None and "://" not in value:
                notes.append(f"{name} is the host {host}. Take it from {variable} instead.")
            elif _OF_SHELL.search(value.replace("$$", "")):
                notes.append(f"{name} has its value from the shell. Write it in tacho.toml.")
            elif name != "PORT":
                environment[name] = f"${{{variable}}}" if host is not None else value
        return environment, notes


def _is_built_here(entry: object) -> bool:
    build = _table(entry).get("build")
    context = _table(build).get("context", ".") if isinstance(build, dict) else build
    return _write(context) in {".", "./"}


def _find_port(entry: object) -> int | None:
    """Return the port in the container of the first published or exposed one."""
    found = _table(entry)
    for port in (*_list(found.get("ports")), *_list(found.get("expose"))):
        last = port.get("target") if isinstance(port, dict) else _write(port).split("/")[0]
        number = _write(last).rsplit(":", 1)[-1].split("-")[0]
        if number.isdigit() and 0 < int(number) < 65536:
            return int(number)
    return None


def _list_variables(entry: Mapping[str, object]) -> dict[str, str]:
    given = entry.get("environment")
    items = [_write(item) for item in _list(given)]
    pairs = _table(given) or dict(item.split("=", 1) for item in items if "=" in item)
    return {
        name: _DEFAULTED.sub(r"\1", _write(value))
        for name, value in pairs.items()
        if value is not None and _VARIABLE.fullmatch(name)
    }


def _write(value: object) -> str:
    """Return a scalar as Compose writes it; empty for others.

    Aliases of YAML can make the text of a small list fill the memory.
    """
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""


def _names_host(text: str, host: str) -> bool:
    """Return whether a text has a host as a word of its own, as in `redis://cache:6379`."""
    return re.search(rf"(?<![\w.-]){re.escape(host)}(?![\w-])", text) is not None


def _table(value: object) -> dict[str, object]:
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
