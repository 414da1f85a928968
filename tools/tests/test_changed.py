"""The tests near changed files, and the commands that check them."""

import pytest

from tools import changed
from tools.changed import find_near, find_tests, list_commands, list_imports, read_imports


def test_the_nearest_tests_come_first() -> None:
    graph = {
        "core.ranks": {"core.answer", "tests.test_ranks"},
        "core.answer": {"api.answers", "tests.answers"},
        "tests.answers": {"tests.test_answer"},
        "api.answers": {"main"},
        "main": {"tests.test_all_pages"},
    }

    assert find_near(["core.ranks"], graph) == ["tests/test_ranks.py"]
    assert find_near(["core.answer"], graph) == ["tests/test_answer.py"]
    assert find_near(["tests.test_answer", "core.ranks"], graph) == [
        "tests/test_answer.py",
        "tests/test_ranks.py",
    ]


def test_imports_are_found_at_any_level() -> None:
    source = "import a.b\ndef f():\n    from c import d, e\n"

    assert list_imports(source) == {"a.b", "c", "c.d", "c.e"}


def test_the_imports_of_this_repository_are_known() -> None:
    near = find_near(["tools.changed"], read_imports())

    assert near == ["tools/tests/test_changed.py"]


def test_a_run_has_a_limit_and_reports_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    importers = {f"tests.test_{number:02}" for number in range(30)}
    monkeypatch.setattr(changed, "read_imports", lambda: {"core.units": importers})

    found = find_tests(["docs/README.md", "core/units.py"])

    assert found[:2] == ["backend/tests/test_docs.py", "tests/test_00.py"]
    assert len(found) == 21
    assert "30 files of tests are near" in capsys.readouterr().out


def test_each_kind_of_file_has_its_checks() -> None:
    paths = ["frontend/src/app.tsx", "frontend/README.md", "worker/loadgen/k6/main.go"]

    commands = [(folder, " ".join(words)) for folder, words in list_commands(paths)]

    for folder, end in (
        ("frontend", "prettier --check --ignore-unknown src/app.tsx README.md"),
        ("frontend", "eslint --max-warnings 0 src/app.tsx"),
        ("frontend", "vitest related --run src/app.tsx"),
        ("worker/loadgen/k6", "go>=1.25 test -trimpath ./..."),
    ):
        assert any(own == folder and words.endswith(end) for own, words in commands)
    assert len(commands) == 4
