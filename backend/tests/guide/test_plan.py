"""Each command of the operator's guide has a step of CI that runs it."""

import pytest

from backend.tests.guide.commands import list_commands, list_spans, normalize
from backend.tests.guide.plan import (
    ElsewhereEntry,
    Plan,
    RunEntry,
    find_gaps,
    read_pages,
    read_plan,
)
from backend.tests.guide.preparations import Preparations

PAGE = """\
# A page

Run `tacho doctor`, then `tacho`:

```sh
tacho doctor            # what this machine has
tacho run node \\
  --trials 1
echo 'two
lines'
```

1. A list:

   ```sql
   SELECT 1
   FROM run;
   ```

```text
tacho is output here
```
"""


def test_every_command_of_the_guide_is_run_by_a_step_of_ci() -> None:
    assert find_gaps(read_plan(), read_pages()) == []


def test_every_step_around_a_command_exists() -> None:
    plan = read_plan()
    names = {name for entry in plan.run for name in (entry.prepare, entry.check) if name}

    assert names
    assert [name for name in names if not hasattr(Preparations, name)] == []


def test_commands_are_read_with_their_lines() -> None:
    commands = list_commands("page.md", PAGE)

    assert [(command.line, command.name) for command in commands] == [
        (6, "tacho doctor"),
        (7, "tacho run node --trials 1"),
        (9, "echo 'two lines'"),
        (16, "SELECT 1 FROM run;"),
    ]
    assert list_spans(PAGE) == ["tacho doctor"]


def test_a_path_in_a_clone_and_a_comment_do_not_matter() -> None:
    assert normalize(".venv/bin/tacho clean   # now") == "tacho clean"


def test_a_block_that_ends_within_a_command_is_refused() -> None:
    with pytest.raises(ValueError, match="ends within a command"):
        list_commands("page.md", "```sh\necho 'no end\n```\n")


def make_plan(**changes: object) -> Plan:
    """Return a plan for a guide with one page."""
    return Plan.model_validate(
        {"pages": ("page.md",), "placeholders": {}, "run": (), "elsewhere": (), **changes}
    )


@pytest.mark.parametrize(
    ("plan", "markdown", "gap"),
    [
        (make_plan(), "Run `make gone now`.", "page.md: no step runs the command `make gone now`."),
        (make_plan(), "```shell\nls\n```", "the unknown language 'shell'"),
        (make_plan(pages=()), "", "page.md is only in the guide, or only in the plan."),
        (make_plan(run=(RunEntry(command="ls"),)), "", "The guide has no command 'ls' to run."),
        (
            make_plan(
                elsewhere=(
                    ElsewhereEntry(command="ls", step="gone", file=".ci/within", reason="test"),
                )
            ),
            "```sh\nls\n```",
            ".ci/suites.toml has no suite 'gone' for 'ls'.",
        ),
        (
            make_plan(
                elsewhere=(
                    ElsewhereEntry(
                        command="ls -l", step="upgrade", file=".ci/within", reason="test"
                    ),
                )
            ),
            "```sh\nls -l\n```",
            ".ci/within does not run 'ls -l'.",
        ),
    ],
)
def test_a_command_without_a_step_is_found(plan: Plan, markdown: str, gap: str) -> None:
    assert any(gap in found for found in find_gaps(plan, {"page.md": markdown}))
