"""The common questions that Tacho suggests a run for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from backend.core.catalog.colours import WELL_KNOWN
from backend.core.documents import RunGoal

DEFAULT_TRIALS = 5


@dataclass(frozen=True)
class Question:
    """A common question, and the run that answers it.

    Attributes:
        frameworks: preferred frameworks in order; None for all that can run.
        most: the largest number of frameworks.
        trials: per cell; ignored if the run has a goal.
        is_starter: whether the first page of a new installation suggests it.
    """

    slug: str
    name: str
    description: str
    scenario: str
    profile: str | None = None
    parameters: Mapping[str, int] = field(default_factory=dict)
    frameworks: Sequence[str] | None = None
    most: int | None = None
    trials: int = DEFAULT_TRIALS
    goal: RunGoal | None = None
    is_starter: bool = False


QUESTIONS: Sequence[Question] = (
    Question(
        slug="first-look",
        name="First look",
        description="Which of two frameworks needs less CPU per request? Ends as soon as the "
        "answer is certain.",
        scenario="hello",
        # With a longer maximum of the warm-up, three trials of each framework might not fit into
        # four minutes.
        parameters={"warm_up_seconds": 20, "duration_seconds": 10},
        frameworks=("node", "go-nethttp", "fastapi", "spring-mvc"),
        most=2,
        goal=RunGoal(max_trials=10, max_minutes=4),
        is_starter=True,
    ),
    Question(
        slug="least-cpu",
        name="Least CPU at 1,000 req/s",
        description="Which framework uses the least CPU per request at the same rate?",
        scenario="hello",
        profile="rate-quick",
        parameters={"rate_rps": 1000},
        frameworks=WELL_KNOWN,
    ),
    Question(
        slug="highest-rate",
        name="Highest sustained rate",
        description="Which rate does each framework sustain before requests fail?",
        scenario="hello",
        profile="steps-quick",
        # A trial takes up to two minutes.
        frameworks=WELL_KNOWN,
        most=4,
    ),
    Question(
        slug="slow-upstream",
        name="Slow upstream",
        description="Frameworks calling a third party that takes one second to respond.",
        scenario="slow-upstream",
        profile="rate-quick",
        frameworks=WELL_KNOWN,
        is_starter=True,
    ),
    Question(
        slug="all-hello",
        name="All frameworks",
        description="Every framework that runs here, on the Hello scenario.",
        scenario="hello",
        profile="rate-quick",
        is_starter=True,
    ),
)
