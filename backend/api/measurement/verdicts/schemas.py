"""The closed list of verdicts, which name the warnings about a number."""

from pydantic import Field

from backend.api.schemas import Schema
from backend.core.units import Verdict


class VerdictInfo(Schema):
    verdict: Verdict = Field(examples=["generator_saturated"])
    excludes_from_ranking: bool = Field(description="Whether it excludes a number from ranking.")
