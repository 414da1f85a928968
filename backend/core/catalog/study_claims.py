"""The claims of a study, as `services/studies/<slug>.toml` states them."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from backend.core.catalog.manifest import ManifestPart, Slug, Text
from backend.core.units import METRICS, Metric

Bounds = Annotated[tuple[float, float], Field(description="Minimum and maximum.")]


_TOLERANCE = 0.25


class Check(ManifestPart):
    """A statement that data can decide.

    The value of `of` is divided by another value, and the ratio is `more` or `less` than 1, `alike`
    within the ratio `within`, or does `differ` from 1 in either direction. The other value is that
    of each system of `against`, or of the same system in another metric or under another load
    (`against_metric`, `against_experiment`, `against_parameters`). All of them may be combined.
    Shares, such as that of successes, are compared by their difference.

    With `among`, the value is the spread of `of` and these systems: the greatest of their values in
    a trial, divided by the least. It is compared with their spread under another load.

    If the study states a ratio, `about` is that ratio (its inverse for `less`), and ours may differ
    by the factor 1 + `tolerance` (default 0.25). `by` bounds the ratio explicitly. Without another
    value, the metric itself lies `between` two values.
    """

    experiment: Slug
    metric: Metric
    parameters: dict[str, int] = Field(default_factory=dict)
    of: Text
    among: tuple[Text, ...] = ()
    against: tuple[Text, ...] = ()
    against_metric: Metric | None = None
    against_experiment: Slug | None = None
    against_parameters: dict[str, int] | None = None
    relation: Literal["more", "less", "alike", "differ"] | None = None
    about: float | None = Field(None, gt=1)
    tolerance: float | None = Field(None, gt=0, le=2)
    by: Bounds | None = None
    within: float = Field(1.2, gt=1)
    between: Bounds | None = None

    @property
    def is_comparison(self) -> bool:
        """Return whether the value is divided by another value."""
        others = (self.against_metric, self.against_experiment, self.against_parameters)
        return bool(self.against) or any(other is not None for other in others)

    @property
    def stated_tolerance(self) -> float:
        """Return the tolerance of `about`."""
        return _TOLERANCE if self.tolerance is None else self.tolerance

    @property
    def ratio_bounds(self) -> tuple[float, float] | None:
        """Return the least and the greatest ratio; None if the study states no ratio."""
        if self.about is None:
            return self.by
        factor = 1 + self.stated_tolerance
        return (self.about / factor, self.about * factor)

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if self.is_comparison != (self.relation is not None):
            raise ValueError(
                "relation: is required with against, against_metric, against_experiment or "
                "against_parameters, and allowed only there"
            )
        if self.is_comparison == (self.between is not None):
            raise ValueError("between: is required without another value, and allowed only there")
        has_order = self.relation in ("more", "less")
        if (self.about, self.by) != (None, None) and not has_order:
            raise ValueError("about, by: use them with the relation more or less")
        if self.about is not None and self.by is not None:
            raise ValueError("about: remove by")
        if METRICS[self.metric].is_share and (self.ratio_bounds or self.relation == "alike"):
            raise ValueError("relation: shares may be more, less or differ, without a ratio")
        if self.among and (self.against or not self.is_comparison):
            raise ValueError("among: needs another load instead of against")
        if self.tolerance is not None and self.about is None:
            raise ValueError("tolerance: belongs to about; add that or remove it")
        return self


class PublishedClaim(ManifestPart):
    """A claim of the study about its results, in our words. It holds if all its checks hold.

    `figures` are the numbers in the claim, as printed. `question` is a research question of the
    study that the claim answers. The page of the study begins with the claims that are `headline`.
    """

    words: Text
    question: Text | None = None
    headline: bool = False
    source_location: Text
    figures: tuple[Text, ...] = ()
    checks: tuple[Check, ...] = ()
    unchecked: Text | None = Field(None, description="Why no data of Tacho can decide it.")

    @model_validator(mode="after")
    def _check_decidable(self) -> Self:
        if bool(self.checks) == (self.unchecked is not None):
            raise ValueError("checks: add at least one, or explain in unchecked why there is none")
        return self
