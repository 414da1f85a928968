"""Example data: runs measured elsewhere that can be loaded, and removed again."""

from pydantic import Field

from backend.api.schemas import Schema


class ExampleOut(Schema):
    slug: str = Field(examples=["k3v9q2mx4d"], description="Slug of the run.")
    title: str
    study: str | None = None
    host: str = Field(description="Host that measured the run.")
    loaded: bool
    left_out: int = Field(
        description="Cells that were not loaded because the catalogue has no framework for them."
    )


class Removed(Schema):
    runs: int = Field(description="Number of deleted runs.")
