"""The fields that Tacho reads from answers of the Docker engine, which the SDK leaves untyped.

Reference: <https://docs.docker.com/reference/api/engine/version/v1.41/>.
"""

from collections.abc import Mapping, Sequence
from typing import TypedDict


class ImageConfig(TypedDict):
    """The settings of an image in an answer of `GET /images/{name}/json`."""

    Labels: Mapping[str, str] | None


class ImageDetails(TypedDict):
    """An answer of `GET /images/{name}/json`."""

    Id: str
    Size: int
    RepoDigests: Sequence[str] | None
    Config: ImageConfig


class ListedImage(TypedDict):
    """An image in an answer of `GET /images/json`. `ParentId` is empty for a pulled image."""

    Id: str
    ParentId: str
    RepoTags: Sequence[str] | None
    RepoDigests: Sequence[str] | None
    Size: int
    Labels: Mapping[str, str] | None


class ContainerState(TypedDict):
    """The state in an answer of `GET /containers/{id}/json`."""

    Status: str
    Running: bool
    Pid: int
    ExitCode: int
    OOMKilled: bool


class ListedContainer(TypedDict):
    """A container in an answer of `GET /containers/json`."""

    Id: str
    ImageID: str
    Labels: Mapping[str, str]


class BuildEvent(TypedDict, total=False):
    """An event in an answer of `POST /build`; an event has only some of the fields."""

    stream: str
    error: str
    status: str
    id: str
    progressDetail: Mapping[str, int]
