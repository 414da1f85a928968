"""Decide which suites of `.ci/suites.toml` a run of CI does: `python -m tools.ci plan`.

The day and the changed files decide, never the hash of a commit, so that repeating a commit changes
nothing. A run does, in this order: the suites without paths; those whose turn it is today; and, as
long as there is time, those that a change of the last day reaches. `.ci/run` runs them.
"""

import json
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict

ROOT = Path(__file__).resolve().parents[1]
SUITES = ROOT / ".ci/suites.toml"
PASSED = ROOT / ".ci/passed.json"
_TURN_DAYS = 3

app = typer.Typer(add_completion=False)


class Suite(BaseModel):
    """A suite of `.ci/suites.toml`, which describes the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    command: str
    full: str = ""
    minutes: int
    parts: int = 1
    paths: tuple[str, ...] = ()


class Why(StrEnum):
    """Why a run of CI does a suite, or when the suite is done instead."""

    ALWAYS = "always"
    TURN = "turn"
    REACHED = "reached"
    LATER = "later"


def read_suites() -> list[Suite]:
    """Return the suites in the order of the table."""
    entries = tomllib.loads(SUITES.read_text(encoding="utf-8"))["suite"]
    return [Suite.model_validate(entry) for entry in entries]


@dataclass(frozen=True)
class Choice:
    """A suite with the reason why a run of CI does it or not.

    Attributes:
        turn: the next day on which the suite runs even if no change reaches it.
    """

    suite: Suite
    why: Why
    turn: date


def choose(suites: Sequence[Suite], day: date, changed: Sequence[str] | None) -> list[Choice]:
    """Return what to do with each suite on a day, in the order of the run.

    Args:
        suites: of the table, in its order.
        day: the day of the run.
        changed: paths of the changed files; None if they are not known, which reaches all suites.
    """
    always = [Choice(suite, Why.ALWAYS, day) for suite in suites if not suite.paths]
    others = [suite for suite in suites if suite.paths]
    choices = [*always, *(_choose_by_day(*item, day, changed) for item in enumerate(others))]
    reasons = list(Why)
    # A suite that takes the time that is left comes last.
    return sorted(choices, key=lambda it: ("{left}" in it.suite.command, reasons.index(it.why)))


def _choose_by_day(position: int, suite: Suite, day: date, changed: Sequence[str] | None) -> Choice:
    turn = day + timedelta(days=-(day.toordinal() + position) % _TURN_DAYS)
    if turn == day:
        why = Why.TURN
    elif changed is None or any(_reaches(path, suite) for path in changed):
        why = Why.REACHED
    else:
        why = Why.LATER
    return Choice(suite, why, turn)


def _reaches(path: str, suite: Suite) -> bool:
    return any(path == known or path.startswith(f"{known}/") for known in suite.paths)


def list_changed() -> list[str] | None:
    """Return the files that the commits of the last day changed; None in a shallow clone."""
    if _git("rev-parse", "--is-shallow-repository") == "true":
        return None
    newest = datetime.fromtimestamp(int(_git("log", "-1", "--format=%ct")), UTC)
    since = (newest - timedelta(days=1)).isoformat()
    output = _git("log", "--format=", "--name-only", f"--since={since}")
    return sorted({line for line in output.splitlines() if line})


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def _read_passed() -> dict[str, dict[str, str]]:
    return json.loads(PASSED.read_text(encoding="utf-8")) if PASSED.exists() else {}


def _lines(full: bool, resume: bool) -> Iterator[str]:
    """Yield reason, minutes, name and command of each suite, and its next turn and last pass."""
    passed = _read_passed()
    today = datetime.now(UTC).date()
    for choice in choose(read_suites(), today, None if full else list_changed()):
        suite = choice.suite
        last = passed.get(suite.name)
        if full and resume and last is not None and last["commit"] == _git("rev-parse", "HEAD"):
            continue
        part = today.toordinal() % suite.parts + 1
        command = suite.command.replace("{part}", str(part))
        said = f"{last['day']} at {last['commit'][:8]}" if last is not None else "no record"
        fields = (
            Why.ALWAYS if full else choice.why,
            suite.minutes,
            suite.name,
            (suite.full or command) if full else command,
            f"next turn {choice.turn}, last full pass: {said}",
        )
        yield "\t".join(str(field) for field in fields)


@app.command()
def plan(
    full: Annotated[bool, typer.Option("--full", help="All suites, each in full.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="With --full: not those that passed at this commit.")
    ] = False,
) -> None:
    """Print a line for each suite: reason, minutes, name, command, next turn and last pass."""
    for line in _lines(full, resume):
        typer.echo(line)


@app.command("passed")
def record_pass(name: str, seconds: int) -> None:
    """Record that a suite has passed in full at the present commit."""
    day = datetime.now(UTC).date().isoformat()
    entry = {"day": day, "commit": _git("rev-parse", "HEAD"), "seconds": str(seconds)}
    text = json.dumps({**_read_passed(), name: entry}, indent=2, sort_keys=True)
    PASSED.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    app()
