"""Keys of bench hosts. They are in bodies only, so that no log of requests contains them."""

from datetime import datetime

from pydantic import AliasPath, Field

from backend.api.operations.hosts.schemas import HostName
from backend.api.schemas import RequestBody, Schema
from backend.core.documents import Harness, HostFingerprint
from backend.core.units import RuntimeKind


class HostKeyIn(RequestBody):
    name: HostName = Field(
        description="Name of the bench host. A host that joined before keeps its results and gets "
        "new credentials."
    )


class HostKeyOut(Schema):
    """A key that waits for its machine."""

    name: str = Field(validation_alias=AliasPath("host_name"), examples=["bench-02"])
    created_at: datetime
    expires_at: datetime


class NewHostKeyOut(Schema):
    """A key, and two commands that use it. One of them is run on the new machine."""

    name: str = Field(examples=["bench-02"])
    key: str = Field(
        examples=["hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"],
        description="It works once. No other response contains it.",
    )
    join_command: str = Field(
        examples=["make join URL=https://tacho.example KEY=hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiR"],
        description="The command to run in a clone of Tacho on the new machine.",
    )
    container_command: str = Field(
        examples=["make join-container URL=https://tacho.example KEY=hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3m"],
        description="The same for a machine with Docker Compose, whose worker is a container.",
    )
    expires_at: datetime


class JoinIn(RequestBody):
    """A key, and the properties of the machine that joins."""

    key: str = Field(
        min_length=1, max_length=200, examples=["hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"]
    )
    runtime: RuntimeKind
    runtime_reason: str = Field(max_length=2_000)
    fingerprint: HostFingerprint
    fingerprint_digest: str = Field(pattern="^[0-9a-f]{16,64}$")
    harness: Harness = Field(max_length=50)


class JoinOut(Schema):
    """The settings of a new bench host. No other response contains its password."""

    name: str = Field(examples=["bench-02"])
    bench_host: str = Field(description="Value of TACHO_BENCH_HOST.", examples=["bench-02"])
    database_url: str = Field(
        examples=["postgresql://tacho_host_5f2c:pAsSw0rD@db.example.org:5432/tacho"]
    )
    redis_url: str = Field(examples=["rediss://tacho_host_5f2c:pAsSw0rD@db.example.org:6380/0"])
    ca_certificate: str | None = Field(
        description="Certificate of the CA of both servers, in PEM. Null: a CA that machines know."
    )
