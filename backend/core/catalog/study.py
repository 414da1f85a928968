"""`services/studies/<slug>.toml`: a published study, its tables as printed, its claims, its cells.

Table, column and row together define the meaning of a number: each may name some of system,
experiment, metric and parameters. Rows have precedence over columns, and columns over the table.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from backend.core.catalog.figures import UNITS, Figure, in_metric, read_figures
from backend.core.catalog.manifest import ManifestPart, Slug, Text
from backend.core.catalog.study_claims import PublishedClaim
from backend.core.statuses import StudyVariant
from backend.core.units import Metric, Verdict

# Manifests of studies that a process remembers.
_MOST_KNOWN = 100


class Presentation(StrEnum):
    """How the study presents the data of a table; NONE if it only announced them."""

    TABLE = "table"
    PICTURE = "picture"
    TEXT = "text"
    NONE = "none"


class StudySource(ManifestPart):
    """The publication of a study; `year` is None if the text does not give it."""

    authors: tuple[Text, ...] = ()
    title: Text
    kind: Text
    year: int | None = None
    link: str | None = None
    document: Text
    host: Text | None = None
    cpus: int | None = Field(
        None, ge=1, description="CPUs of that host, as its operating system counts them."
    )
    drawings: tuple[Text, ...] = Field((), description="Pictures that show no result.")


class SystemUnderTest(ManifestPart):
    """A system that the study compared; `framework` represents it in the catalogue, if any does.

    `measured_instead` names what the framework is, if it is not the system of the study, such as a
    library from which it was made. A claim about the system can hold, but results of the framework
    cannot contradict it.
    """

    name: Text
    framework: Slug | None = None
    note: Text | None = None
    measured_instead: Text | None = None
    cpus: int | None = Field(None, gt=1, description="Least number of CPUs that it needs.")


class ReproductionVariant(ManifestPart):
    """One variant of an experiment: values that override the profile's defaults."""

    parameters: dict[str, int | tuple[int, ...]] = Field(default_factory=dict)


_DURATIONS = frozenset({"warm_up_seconds", "duration_seconds", "step_seconds", "drain_seconds"})


class Experiment(ManifestPart):
    """A load that the study put on the systems under test, in our catalogue's words."""

    name: Text
    scenario: Slug
    profile: Slug
    systems: tuple[Text, ...] | None = None
    quick: ReproductionVariant = ReproductionVariant()
    full: ReproductionVariant = ReproductionVariant()
    per_cpu: Text | None = Field(
        None,
        description="Parameter whose value belongs to the CPUs of the study's host. A host with "
        "more or fewer CPUs for the service gets more or less, in proportion.",
    )
    note: Text | None = None

    def fit_cpus(
        self, parameters: Mapping[str, int], service_cpus: int, study_cpus: int
    ) -> dict[str, int]:
        """Return the parameters for a service with `service_cpus` CPUs. The value is at least 1."""
        if self.per_cpu is None:
            return dict(parameters)
        value = round(parameters[self.per_cpu] * service_cpus / study_cpus)
        return {**parameters, self.per_cpu: max(1, value)}

    def includes(self, variant: StudyVariant, profile: str, parameters: Mapping[str, int]) -> bool:
        """Return whether a load with this profile (slug) and parameters is of this experiment.

        A load that took longer or shorter is of it too: the verdicts of its result show whether it
        was long enough. The same holds for a load that was fitted to the CPUs of another host.
        """
        if profile != f"{self.profile}-{variant}":
            return False
        wanted = getattr(self, variant).parameters
        return all(
            parameters.get(name) in (value if isinstance(value, tuple) else (value,))
            for name, value in wanted.items()
            if name not in _DURATIONS and name != self.per_cpu
        )


class Meaning(ManifestPart):
    """The meaning of a number, as far as table, column or row define it."""

    system: Text | None = None
    experiment: Slug | None = None
    metric: Metric | None = None
    metrics: tuple[Metric | Literal[""], ...] = Field(
        (), description="Metrics of the figures of a cell, in order; empty for none."
    )
    parameters: dict[str, int] = Field(default_factory=dict)
    step_rps: int | None = Field(None, description="Rate of the step, for a load in steps.")
    unit: str | None = Field(None, description="Unit of figures that are printed without one.")
    divide_by: float | None = Field(None, gt=0, description="Turns a total into the metric.")
    services: int | None = Field(
        None, gt=1, description="Services over which our value is summed; the study gives one's."
    )
    unpaired: Text | None = Field(None, description="Why no result of Tacho corresponds to it.")

    def over(self, other: "Meaning") -> "Meaning":
        """Return both combined; values of self take precedence."""
        mine = self.model_dump(exclude_defaults=True)
        return Meaning.model_validate(
            {
                **other.model_dump(include=set(Meaning.model_fields), exclude_defaults=True),
                **{name: mine[name] for name in mine if name in Meaning.model_fields},
                "parameters": {**other.parameters, **self.parameters},
            }
        )

    @model_validator(mode="after")
    def _check_unit(self) -> Self:
        if self.unit is not None and self.unit not in UNITS:
            raise ValueError(f"unit: {self.unit!r} is not known; use one of {sorted(UNITS)}")
        return self


class Column(Meaning):
    head: str


class StudyRow(Meaning):
    """A row of a table. `cells` are as printed, one per column; empty if nothing is printed."""

    head: Text
    cells: tuple[str, ...]


class Table(Meaning):
    """A table of the document, or an empty table for data that the document shows as a picture.

    `document_table` counts the document's tables from 1. If two tables share one grid,
    `head_column` and `head_row` are the positions of the row and column heads.
    """

    slug: Slug
    title: Text
    corner: str = ""
    span: str | None = None
    printed: Presentation = Presentation.TABLE
    source_location: Text
    pictures: tuple[Text, ...] = ()
    setting: bool = Field(False, description="Set-up of the study; nothing is compared.")
    failed: str | None = Field(None, description="How the table marks a failed system.")
    document_table: int | None = Field(None, ge=1)
    head_column: int = 0
    head_row: int = 0
    note: Text | None = None
    columns: Annotated[tuple[Column, ...], Field(min_length=1)]
    rows: Annotated[tuple[StudyRow, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_shape(self) -> Self:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(
                    f"rows {row.head!r}: has {len(row.cells)} cells for {len(self.columns)} columns"
                )
        if (self.printed is Presentation.TABLE) != (self.document_table is not None):
            raise ValueError("document_table: is required for printed tables; remove it elsewhere")
        return self

    def meaning(self, row: StudyRow, column: Column) -> Meaning:
        """Return the meaning of the number in this row and column."""
        return row.over(column.over(self))


class DeclaredDifference(ManifestPart):
    """A point in which a reproduction differs from the study, and why."""

    topic: Text
    study: Text = Field(description="The method of the study.")
    here: Text = Field(description="The method of a reproduction.")
    reason: Text


class ExpectedExclusion(ManifestPart):
    """Results that are excluded from ranking because of what the study shows.

    They are those of `systems` in an experiment, only with these `parameters` if any are given.
    """

    experiment: Slug
    systems: Annotated[tuple[Text, ...], Field(min_length=1)]
    parameters: dict[str, int] = Field(default_factory=dict)
    verdicts: Annotated[tuple[Verdict, ...], Field(min_length=1)]
    may_fail: bool = Field(False, description="Trials may fail, for example if a service dies.")
    reason: Text


class StudyManifest(ManifestPart):
    """`services/studies/<slug>.toml`."""

    slug: Slug
    name: Text
    description: Text
    position: int = Field(100, ge=1)
    source: StudySource
    differences: tuple[DeclaredDifference, ...] = ()
    expected_exclusions: tuple[ExpectedExclusion, ...] = ()
    trials: dict[StudyVariant, Annotated[int, Field(ge=1, le=50)]]
    systems: Annotated[tuple[SystemUnderTest, ...], Field(min_length=1)]
    experiments: dict[Slug, Experiment]
    tables: tuple[Table, ...]
    claims: tuple[PublishedClaim, ...] = ()

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        systems = [system.name for system in self.systems]
        for slug, experiment in self.experiments.items():
            _check_known(f"experiments.{slug}.systems", experiment.systems or (), systems)
            if experiment.per_cpu is not None and self.source.cpus is None:
                raise ValueError(f"experiments.{slug}.per_cpu: needs source.cpus")
        for table in self.tables:
            for row in table.rows:
                for column in table.columns:
                    meaning = table.meaning(row, column)
                    at = f"tables.{table.slug}: {row.head} × {column.head}"
                    _check_known(at, [meaning.system] if meaning.system else [], systems)
                    _check_known(
                        at, [meaning.experiment] if meaning.experiment else [], self.experiments
                    )
        for claim in self.claims:
            for check in claim.checks:
                at = f"claims: {claim.words!r}"
                _check_known(at, [check.of, *check.among, *check.against], systems)
                named = filter(None, (check.experiment, check.against_experiment))
                _check_known(at, list(named), self.experiments)
        for expected in self.expected_exclusions:
            _check_known("expected_exclusions.systems", expected.systems, systems)
            _check_known("expected_exclusions.experiment", [expected.experiment], self.experiments)
        return self

    @model_validator(mode="after")
    def _check_figures(self) -> Self:
        for table in self.tables:
            for row in table.rows:
                for column, printed in zip(table.columns, row.cells, strict=True):
                    for metric, figure in list_figures(table, row, column, printed):
                        if metric is not None:
                            divide_by = table.meaning(row, column).divide_by or 1
                            in_metric(figure, metric, divide_by)
        return self

    @property
    def frameworks(self) -> dict[str, str]:
        """Return the framework that represents each system under test, if any does."""
        return {
            system.name: system.framework for system in self.systems if system.framework is not None
        }

    def get_system(self, name: str) -> SystemUnderTest:
        """Return a system under test by its name."""
        return next(system for system in self.systems if system.name == name)

    def list_expected_exclusions(
        self,
        variant: StudyVariant,
        load: tuple[str, str],
        framework: str,
        parameters: Mapping[str, int],
    ) -> list[ExpectedExclusion]:
        """Return the exclusions that the study expects of a result.

        Args:
            load: scenario and profile, as slugs.
        """
        scenario, profile = load
        systems = {name for name, slug in self.frameworks.items() if slug == framework}
        return [
            expected
            for expected in self.expected_exclusions
            if systems.intersection(expected.systems)
            and self.experiments[expected.experiment].scenario == scenario
            and self.experiments[expected.experiment].includes(variant, profile, parameters)
            and all(parameters.get(name) == value for name, value in expected.parameters.items())
        ]

    @cached_property
    def figures_total(self) -> int:
        """Return the number of figures in all tables."""
        return sum(
            len(list_figures(table, row, column, printed))
            for table in self.tables
            for row in table.rows
            for column, printed in zip(table.columns, row.cells, strict=True)
        )


def read_study(manifest: Mapping[str, object]) -> StudyManifest:
    """Return the manifest of a study as the catalogue stores it.

    To check a large table takes milliseconds, so each manifest is checked once in each process.
    """
    return _check(json.dumps(manifest))


@lru_cache(maxsize=_MOST_KNOWN)
def _check(document: str) -> StudyManifest:
    return StudyManifest.model_validate(json.loads(document))


def list_figures(
    table: Table, row: StudyRow, column: Column, printed: str
) -> list[tuple[Metric | None, Figure]]:
    """Return the figures of a cell with their metrics; None for a figure without a metric."""
    if table.setting or printed == table.failed:
        return []
    meaning = table.meaning(row, column)
    figures = read_figures(printed, meaning.unit)
    named = meaning.metrics or ((meaning.metric,) if meaning.metric else ())
    metrics = [metric or None for metric in named]
    return [
        (metrics[index] if index < len(metrics) else None, figure)
        for index, figure in enumerate(figures)
    ]


def _check_known(at: str, names: Iterable[str], known: Collection[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        listed = ", ".join(known)
        raise ValueError(f"{at}: there is no {', '.join(unknown)}; there are {listed}")
