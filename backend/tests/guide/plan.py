"""`plan.toml`: how CI runs each command of the operator's guide."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from backend.core.config import ROOT
from backend.tests.guide.commands import (
    COMMANDS,
    OTHER,
    Command,
    list_blocks,
    list_commands,
    list_pages,
    list_spans,
    normalize,
    read_page,
)

_FILE = Path(__file__).with_name("plan.toml")


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str


class RunEntry(_Entry):
    """A command that needs more than a shell. `plan.toml` describes the fields."""

    page: str = ""
    prepare: str = ""
    ready: str = ""
    answer: str = ""
    prints: str = ""
    check: str = ""


class ElsewhereEntry(_Entry):
    """A command that another step of CI runs. `plan.toml` describes the fields."""

    step: str
    file: str
    reason: str
    text: str = ""


class Plan(BaseModel):
    """The content of `plan.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pages: tuple[str, ...]
    placeholders: dict[str, str]
    run: tuple[RunEntry, ...]
    elsewhere: tuple[ElsewhereEntry, ...]

    def find_entry(self, command: Command) -> RunEntry:
        """Return how a command runs."""
        named = [entry for entry in self.run if entry.command == command.name]
        own = [entry for entry in named if entry.page == command.page]
        general = [entry for entry in named if not entry.page]
        return next(iter(own + general), RunEntry(command=command.name))

    def is_run_here(self, command: Command) -> bool:
        """Return whether the step "operator guide" runs a command."""
        return all(entry.command != command.name for entry in self.elsewhere)


def read_plan() -> Plan:
    """Return the plan."""
    return Plan.model_validate(tomllib.loads(_FILE.read_text(encoding="utf-8")))


def find_gaps(plan: Plan, pages: Mapping[str, str]) -> list[str]:
    """Return what is wrong with the plan or with the guide, as one sentence each.

    Args:
        pages: the Markdown of all pages of the guide, by name.
    """
    return [
        *_find_page_gaps(plan, pages),
        *_find_unknown_entries(plan, pages),
        *_find_unmapped_spans(plan, pages),
        *_find_steps_without_command(plan),
    ]


def read_pages() -> dict[str, str]:
    """Return the Markdown of all pages of the guide, by name."""
    return {name: read_page(name) for name in list_pages()}


def _find_page_gaps(plan: Plan, pages: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(set(pages) ^ set(plan.pages)):
        yield f"{name} is only in the guide, or only in the plan."
    for name, markdown in pages.items():
        for block in list_blocks(markdown):
            if block.language not in COMMANDS | OTHER:
                yield f"{name}:{block.line}: a block has the unknown language {block.language!r}."


def _list_all_commands(pages: Mapping[str, str]) -> list[Command]:
    return [command for name, text in pages.items() for command in list_commands(name, text)]


def _find_unknown_entries(plan: Plan, pages: Mapping[str, str]) -> Iterator[str]:
    commands = _list_all_commands(pages)
    names = {command.name for command in commands}
    spans = {span for markdown in pages.values() for span in list_spans(markdown)}
    for entry in plan.run:
        if not any(
            command.name == entry.command and entry.page in {"", command.page}
            for command in commands
        ):
            yield f"The guide has no command {entry.command!r} to run."
        if any(other.command == entry.command for other in plan.elsewhere):
            yield f"{entry.command!r} is run, and elsewhere."
    for mapped in plan.elsewhere:
        if mapped.command not in names | spans:
            yield f"The guide has no command {mapped.command!r} for another step."
    for text in plan.placeholders:
        if not any(text in command.text for command in commands):
            yield f"No command contains the placeholder {text!r}."


def _find_unmapped_spans(plan: Plan, pages: Mapping[str, str]) -> Iterator[str]:
    known = [command.name for command in _list_all_commands(pages)]
    known += [entry.command for entry in plan.elsewhere]
    for name, markdown in pages.items():
        for span in list_spans(markdown):
            if not any(command == span or command.startswith(f"{span} ") for command in known):
                yield f"{name}: no step runs the command `{span}`."


def _find_steps_without_command(plan: Plan) -> Iterator[str]:
    suites = tomllib.loads((ROOT / ".ci/suites.toml").read_text(encoding="utf-8"))["suite"]
    steps = {suite["name"] for suite in suites} | {"packages"}
    for entry in plan.elsewhere:
        if entry.step not in steps:
            yield f".ci/suites.toml has no suite {entry.step!r} for {entry.command!r}."
        content = normalize((ROOT / entry.file).read_text(encoding="utf-8"))
        if (entry.text or entry.command) not in content.replace(" --no-print-directory", ""):
            yield f"{entry.file} does not run {entry.text or entry.command!r}."
