"""The base of all schemas, and the schemas that several nouns use."""

from typing import Annotated, Generic, Self, TypeVar

from pydantic import (
    AwareDatetime,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from backend.core.bodies import Schema
from backend.core.units import Direction, Verdict
from backend.core.validation import (
    MOST_FAULTS,
    NO_CONTROL_CHARACTERS,
    NO_CONTROL_CHARACTERS_BUT_BREAKS,
    TOO_MANY_FAULTS,
)

Item = TypeVar("Item")
Name = Annotated[str, StringConstraints(max_length=200, pattern=NO_CONTROL_CHARACTERS)]
# No whitespace and no control characters around the @.
Email = Annotated[
    str,
    StringConstraints(
        to_lower=True, max_length=254, pattern=r"^[^@\s\x00-\x1f\x7f]+@[^@\s\x00-\x1f\x7f]+$"
    ),
    Field(examples=["ada@example.org"]),
]
PersonName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200, pattern=NO_CONTROL_CHARACTERS),
    Field(examples=["Ada Lovelace"]),
]
Note = Annotated[str, StringConstraints(max_length=2_000, pattern=NO_CONTROL_CHARACTERS_BUT_BREAKS)]


def _refuse_number(given: object) -> object:
    """Refuse seconds since 1970, which pydantic would accept as a time."""
    if isinstance(given, str) and "T" not in given.upper() and " " not in given:
        raise ValueError("Write the time like 2026-11-23T10:00:00Z.")
    return given


Time = Annotated[AwareDatetime, BeforeValidator(_refuse_number)]


class RequestBody(Schema):
    """Base of every request body. Of many faults, none is explained: that took 30 times as long as
    finding them.
    """

    @model_validator(mode="wrap")
    @classmethod
    def _count_faults(cls, value: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(value)
        except ValidationError as error:
            count = error.error_count()
            if count <= MOST_FAULTS:
                raise
        raise PydanticCustomError(TOO_MANY_FAULTS, "Too many faults", {"count": count})


class Page(Schema, Generic[Item]):
    """One page of a list; `next` is the cursor of the page after it, or null."""

    items: list[Item]
    next: str | None = None


class FrameworkRef(Schema):
    slug: str
    name: str
    colour: int = Field(description="Index of colour and marker, the same everywhere.")


class ScenarioRef(Schema):
    slug: str
    name: str


class MetricSummary(Schema):
    """One metric of one cell over its trials, with a 95 % confidence interval."""

    estimate: float
    low: float | None = Field(
        None, description="Null with fewer than three trials, which give no interval."
    )
    high: float | None = None
    values: list[float] = Field(
        default_factory=list,
        description="The values, with fewer than three trials. Otherwise empty.",
    )
    unit: str = Field(examples=["ms"])
    n: int
    direction: Direction
    is_bound: bool = Field(
        default_factory=bool,
        description="Whether the value is at least the estimate. Such results are not ranked or "
        "compared by this metric.",
    )


class VerdictOut(Schema):
    verdict: Verdict
    detail: str = Field(examples=["38 of 10,000 iterations were dropped."])
    trials: int = Field(1, description="Number of trials of the cell that it affects.")
    excludes_from_ranking: bool = Field(description="Whether it excludes the number from ranking.")
