"""Presets: suggested runs for common questions and for studies."""

from pydantic import Field

from backend.api.runs.schemas import RunIn
from backend.api.schemas import FrameworkRef, Schema
from backend.core.runs.presets.planning import PresetKind


class PresetOut(Schema):
    """A suggested run that can run here."""

    kind: PresetKind = Field(
        description="question: a common question. study: the quick variant of a study, with one "
        "load per scenario; `POST /studies/{slug}/reproduce` runs all of them."
    )
    slug: str = Field(examples=["first-look"])
    name: str = Field(examples=["Least CPU at 1,000 req/s"])
    description: str
    is_starter: bool = Field(description="Whether the overview suggests it.")
    request: RunIn = Field(description="Body for `POST /runs`.")
    frameworks: list[FrameworkRef]
    results: int = Field(
        description="Number of results. A swept parameter has a result for each value."
    )
    seconds: float = Field(description="Maximum duration, without builds.")
