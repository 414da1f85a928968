"""`tacho.toml`: describes a service of a team's own, its loads, and limits for changes.

Every fault names the file, the line, the key and the fix.
"""

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Self, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from backend.core.catalog.manifest import (
    Argv,
    ManifestPart,
    OwnFile,
    ProfileDefaults,
    Slug,
    Text,
    ToolRequirement,
    Variable,
)
from backend.core.catalog.own.metrics import GuardMetric, is_of_script
from backend.core.documents import JsonObject
from backend.core.errors import ManifestInvalid
from backend.core.units import Metric, ProfileKind
from backend.core.validation import explain_fault

FILE_NAME = "tacho.toml"

_PERCENT = re.compile(r"^(-?\d{1,3}(?:\.\d+)?) ?%$")
_MOST_BYTES = 256 * 1024


def _check_percentage(text: str) -> str:
    found = _PERCENT.match(text)
    if found is None or not 0 < abs(float(found[1])) <= 100:
        raise ValueError('must be a percentage above 0, such as "5%"')
    return text


# Short enough for the slugs of builds.
ServiceName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=40)]
UrlPath = Annotated[str, StringConstraints(pattern=r"^/[^\s{}]*$", max_length=500)]
Percentage = Annotated[str, AfterValidator(_check_percentage)]

ImageReference = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/@-]*$", max_length=300)
]
# The largest changes for the worse that a guard accepts, by metric. Percentiles above the median
# are left out: few requests of a short window lie beyond them, and differ from trial to trial.
DEFAULT_WORSE: Mapping[Metric, str] = MappingProxyType(
    {
        Metric.CPU_US_PER_REQUEST: "3%",
        Metric.MEMORY_PEAK_BYTES: "5%",
        Metric.LATENCY_P50_MS: "10%",
    }
)
# A guard compares these instead when connections send without a pause.
DEFAULT_WORSE_SATURATED: Mapping[Metric, str] = MappingProxyType(
    {
        Metric.THROUGHPUT_RPS: "3%",
        Metric.CPU_US_PER_REQUEST: "3%",
        Metric.MEMORY_PEAK_BYTES: "5%",
    }
)


class ServiceTable(ManifestPart):
    """`[service]`: what both runtimes need to know.

    The service gets `port` as the variable PORT. In Docker it may also listen on it without
    reading the variable. As a process it must listen on PORT of HOST. `ready` is a path that
    answers 200 once the service can answer everything else.
    """

    name: ServiceName
    description: Text | None = None
    port: int = Field(8080, ge=1, le=65535)
    ready: UrlPath = "/health"
    memory_mb: int = Field(1024, ge=16, le=65536)
    environment: dict[Variable, str] = Field(default_factory=dict)
    backing: tuple[Slug, ...] = ()


class DockerTable(ManifestPart):
    """`[docker]`: the image of the service, built from a Dockerfile or named by its reference.

    Without `read_only`, the service may write to its own disk. `prepare` is a command of the image
    that fills the backing services before the service starts in each trial.
    """

    dockerfile: OwnFile = "Dockerfile"
    image: ImageReference | None = None
    read_only: bool = False
    prepare: Argv | None = None


class ProcessTable(ManifestPart):
    """`[process]`: how the service is built and started without Docker.

    `build` runs in a copy of the repository. `prepare` fills the backing services before the
    service starts in each trial. `{node}`, `{npm}`, `{python}`, `{go}`, `{java}`, `{mvn}` and
    `{cargo}` stand for the tools that `requires` names.
    """

    requires: tuple[ToolRequirement, ...] = ()
    build: tuple[Argv, ...] = ()
    prepare: Argv | None = None
    run: Argv


class LoadTable(ProfileDefaults):
    """`[loads.<name>]`: requests, and how they are sent.

    Exactly one of `http` and `script` names a file of the repository: requests in the format of
    editors, or a script for k6. The keys of the load are those of a scenario's profile. `worse` is
    the largest accepted change for the worse of each compared metric. A negative one, for a metric
    of a script, means that less is worse.
    """

    http: OwnFile | None = None
    script: OwnFile | None = None
    kind: ProfileKind | None = None
    description: Text | None = None
    warm_up_seconds: int = 30
    duration_seconds: int | None = 15
    worse: dict[GuardMetric, Percentage] = Field(default_factory=dict)

    @property
    def file(self) -> str:
        """Return the name of the file with the requests."""
        return self.http or self.script or ""

    @property
    def limits(self) -> dict[str, float]:
        """Return the largest accepted change for the worse of each compared metric, as a share."""
        is_saturated = self.kind is ProfileKind.SATURATE
        chosen = self.worse or (DEFAULT_WORSE_SATURATED if is_saturated else DEFAULT_WORSE)
        return {metric: abs(read_share(text)) for metric, text in chosen.items()}

    @property
    def less_is_worse(self) -> frozenset[str]:
        """Return the metrics of the script for which less is worse."""
        return frozenset(metric for metric, text in self.worse.items() if read_share(text) < 0)

    @model_validator(mode="after")
    def _check_file(self) -> Self:
        if (self.http is None) == (self.script is None):
            raise ValueError(
                'needs exactly one file of requests: http = "loads/main.http", or '
                'script = "loads/main.js"'
            )
        if self.script is not None and self.kind is not None:
            raise ValueError("kind: a script decides itself how it sends requests; remove the key")
        return self

    @model_validator(mode="after")
    def _check_worse(self) -> Self:
        for metric, text in self.worse.items():
            if is_of_script(metric) and self.script is None:
                raise ValueError(f"worse: {metric} needs a load with a k6 script; remove it")
            if read_share(text) < 0 and not is_of_script(metric):
                raise ValueError(f'worse: {metric}: must be a percentage above 0, such as "5%"')
        return self


class GuardTable(ManifestPart):
    """`[guard]`: how two versions are compared.

    `ignore` lists what may differ between equal responses: names of headers, and paths of JSON
    bodies such as `$.items[*].created_at`.
    """

    minutes: int = Field(15, ge=1, le=24 * 60)
    headers: tuple[Text, ...] = ("content-type",)
    ignore: tuple[Text, ...] = ()


class ServiceFile(ManifestPart):
    """The content of a `tacho.toml`."""

    service: ServiceTable
    docker: DockerTable | None = None
    process: ProcessTable | None = None
    loads: Annotated[dict[Slug, LoadTable], Field(min_length=1, max_length=20)]
    guard: GuardTable = GuardTable()

    @model_validator(mode="after")
    def _check_runtime(self) -> Self:
        if self.docker is None and self.process is None:
            raise ValueError(
                "needs a table [docker] or [process] that states how the service is built and "
                "started; add one"
            )
        return self


def read_share(percentage: str) -> float:
    """Return a percentage as a share: 0.05 for "5%"."""
    return float(percentage.rstrip("% ")) / 100


def parse_service_file(path: Path) -> ServiceFile:
    """Read and validate a `tacho.toml`.

    Raises:
        ManifestInvalid: with file, line, key and fix of every fault.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise ManifestInvalid(
            f"{path} does not exist. Write one with: tacho init", file=str(path)
        ) from error
    except OSError as error:
        raise ManifestInvalid(f"{path} cannot be read: {error.strerror}.") from error
    if len(content) > _MOST_BYTES:
        raise ManifestInvalid(f"{path} has more than {_MOST_BYTES // 1024} KiB; shorten it.")
    try:
        text = content.decode()
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ManifestInvalid(f"{path}: not valid TOML: {error}. Fix the line it names.") from error
    return validate_service_file(document, text, path)


def validate_service_file(document: JsonObject, text: str, path: Path) -> ServiceFile:
    """Return the validated content; raise ManifestInvalid. `text` is where lines are found."""
    try:
        return ServiceFile.model_validate(document)
    except ValidationError as error:
        problems = []
        for fault in error.errors():
            keys = [str(key) for key in fault["loc"]]
            detail = explain_fault(fault).rstrip(".")
            if fault["type"] == "extra_forbidden":
                detail = _explain_unknown(keys)
            line = find_line(text, keys)
            field = ".".join(keys) or FILE_NAME
            problems.append({"field": field, "detail": detail, "line": str(line)})
        listed = "\n".join(
            f"{path}:{problem['line']}: {problem['field']}: {problem['detail']}."
            for problem in problems
        )
        raise ManifestInvalid(listed, problems, file=str(path)) from error


def find_line(text: str, keys: Sequence[str]) -> int:
    """Return the line (from 1) of a key in TOML, or that of its innermost table that is there.

    Args:
        keys: from the outermost table to the key; numbers are positions in arrays.
    """
    names = [key for key in keys if not key.isdigit()]
    best, best_depth, table = 1, 0, list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.startswith("["):
            table = _split_key(stripped.strip("[]").split("]")[0])
            here = table
        elif "=" in stripped and not stripped.startswith("#"):
            here = [*table, *_split_key(stripped.split("=", 1)[0])]
        else:
            continue
        depth = len(here)
        if depth > best_depth and here == names[:depth]:
            best, best_depth = number, depth
    return best


def _split_key(key: str) -> list[str]:
    return [part.strip().strip("\"'") for part in key.split(".")]


def _explain_unknown(keys: Sequence[str]) -> str:
    """Return that a key is unknown, with the nearest known key of its table."""
    known = _list_known(ServiceFile, keys[:-1])
    near = difflib.get_close_matches(keys[-1], known, n=1, cutoff=0.6)
    if near:
        return f"is not a known key; did you mean {near[0]}?"
    return f"is not a known key; the table has {', '.join(known)}"


def _list_known(model: type[BaseModel], keys: Sequence[str]) -> list[str]:
    """Return the keys of a table."""
    for at, key in enumerate(keys):
        field = model.model_fields.get(key)
        if field is None:
            return []
        candidates = [field.annotation, *get_args(field.annotation)]
        inner = next(
            (item for item in candidates if isinstance(item, type) and issubclass(item, BaseModel)),
            None,
        )
        if inner is None:
            return []
        # The second key of a dictionary of tables is the name of the table.
        if get_origin(field.annotation) is dict:
            return _list_known(inner, keys[at + 2 :])
        model = inner
    return list(model.model_fields)


def make_schema() -> JsonObject:
    """Return the JSON Schema of `tacho.toml`, for editors."""
    schema = ServiceFile.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "tacho.toml",
    }
