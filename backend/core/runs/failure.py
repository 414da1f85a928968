"""The stored failure of a trial."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from backend.core.units import FailureCause


class Failure(BaseModel):
    """Why a trial failed."""

    model_config = ConfigDict(extra="forbid", use_enum_values=True)

    code: str = Field(examples=["verification_failed"])
    title: str
    detail: str
    cause: FailureCause = Field(
        description="The party at fault. Failures of the load generator and of the infrastructure "
        "are retried, at most twice."
    )
    stage: str = Field(examples=["verifying"])
    evidence: list[dict[str, Any]] = Field(default_factory=list)
