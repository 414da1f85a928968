"""The suites of CI: what a run does follows from the day and from the changed files."""

import re
from datetime import date, timedelta

from tools.ci import ROOT, Suite, Why, choose, read_suites

_DAY = date(2026, 11, 29)
_DAYS = [_DAY + timedelta(days=index) for index in range(3)]


def make_suites() -> list[Suite]:
    rotating = [
        Suite(
            name=f"suite {index}", command="true", minutes=1, paths=(f"folder-{index}", "Makefile")
        )
        for index in range(6)
    ]
    rest = Suite(name="rest", command="make rest MINUTES={left}", minutes=0)
    return [rest, *rotating, Suite(name="fast", command="true", minutes=1)]


def names(day: date, changed: list[str] | None, why: Why) -> set[str]:
    return {it.suite.name for it in choose(make_suites(), day, changed) if it.why is why}


def test_every_suite_has_its_turn_within_three_days() -> None:
    turns = [names(day, [], Why.TURN) for day in _DAYS]

    assert sorted(len(turn) for turn in turns) == [2, 2, 2]
    assert set.union(*turns) == {f"suite {index}" for index in range(6)}
    assert names(_DAY, [], Why.ALWAYS) == {"rest", "fast"}


def test_the_next_turn_of_a_suite_is_the_day_on_which_it_runs() -> None:
    for day in _DAYS:
        for choice in choose(make_suites(), day, []):
            assert choice.suite.name in names(choice.turn, [], Why.TURN) | {"rest", "fast"}


def test_a_change_reaches_the_suites_of_its_folder() -> None:
    for day in _DAYS:
        turn = names(day, [], Why.TURN)
        assert names(day, ["folder-3/a.py"], Why.REACHED) == {"suite 3"} - turn
        assert names(day, ["folder-33/a.py", "docs/Makefile"], Why.REACHED) == set()
        assert names(day, ["Makefile"], Why.LATER) == set()
        assert names(day, None, Why.LATER) == set()


def test_suites_of_the_day_come_before_those_that_a_change_reaches_and_the_rest_is_last() -> None:
    reasons = [it.why for it in choose(make_suites(), _DAY, None)]

    assert reasons == [Why.ALWAYS, *[Why.TURN] * 2, *[Why.REACHED] * 4, Why.ALWAYS]
    assert choose(make_suites(), _DAY, None)[-1].suite.name == "rest"


def test_the_table_names_paths_and_commands_that_exist() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for suite in read_suites():
        for path in suite.paths:
            assert (ROOT / path).exists(), f"{suite.name}: {path} does not exist"
        for command in (suite.command, suite.full):
            for target in re.findall(r"make --no-print-directory ([a-z0-9-]+)", command):
                assert target in targets, f"{suite.name}: make {target} does not exist"
            for script in re.findall(r"\.ci/[a-z-]+", command):
                assert (ROOT / script).exists(), f"{suite.name}: {script} does not exist"


def test_every_command_that_tests_something_is_in_a_suite() -> None:
    makefile = (ROOT / "Makefile").read_text()
    tests = set(re.findall(r"^((?:test|e2e|verify)[a-z-]*|[a-z]+-smoke):", makefile, re.MULTILINE))
    parts_of_others = {"test-python", "test-load-generator", "test-frontend", "verify-service"}
    commands = " ".join(f"{suite.command} {suite.full}" for suite in read_suites())

    missing = {name for name in tests - parts_of_others if not re.search(rf"\b{name}\b", commands)}

    assert missing - {"up-smoke", "test-fast"} == set()
