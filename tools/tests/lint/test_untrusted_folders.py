"""The rule finds paths in modules that handle untrusted folders, and accepts reasons."""

from pathlib import Path

import pytest

from tools.lint.untrusted_folders import ROOMS, ROOT, check_module, check_repository


@pytest.mark.parametrize(
    "line",
    [
        'note.write_text("{}")',
        'open(folder / "note")',
        "shutil.copytree(seed, home)",
        "folder.mkdir(parents=True)",
        "os.chown(path, 62000, 62000, follow_symlinks=False)",
        "os.open(name, os.O_RDONLY)",
        "os.remove(path)",
        "unfinished.replace(path)",
        "[entry for entry in folder.rglob('*')]",
        "if finished.exists(): pass",
        "os.stat(path)  # trusted path:",
        "os.stat(path)  # trusted path: yes",
        "os.stat(path)  # trusted",
    ],
)
def test_a_path_is_refused(line: str) -> None:
    [finding] = check_module("worker/a.py", f"x = 1\n{line}\n")
    assert finding.startswith("worker/a.py:2: ")


@pytest.mark.parametrize(
    "text",
    [
        "os.stat(path)  # trusted path: only Tacho can write its parent\n",
        "# trusted path: only Tacho can write its parent\nos.stat(path)\n",
        "copy.mkdir(\n    parents=True\n)  # trusted path: only Tacho can write its parent\n",
        'word = word.replace("a", "b")\n',
        "spec = replace(spec, port=1)\n",
        "removed.remove(item)\n",
        "measure_bytes(folder)\n",
        "remove_folder(folder)\n",
    ],
)
def test_other_code_is_accepted(text: str) -> None:
    assert check_module("worker/a.py", text) == []


def test_a_reason_holds_for_its_own_line_only() -> None:
    text = "os.stat(a)  # trusted path: only Tacho can write its parent\nos.stat(b)\n"
    [finding] = check_module("worker/a.py", text)
    assert finding.startswith("worker/a.py:2: ")


def test_the_repository_follows_the_rule() -> None:
    assert check_repository(ROOT) == []


def test_a_planted_path_in_a_room_is_found(tmp_path: Path) -> None:
    for room in ROOMS:
        path = tmp_path / (room if room.endswith(".py") else f"{room}/planted.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('(folder / ".tacho-built.new").write_text("{}")\n')
    findings = check_repository(tmp_path)
    assert [finding for finding in findings if "write_text" in finding] != []
    for room in ROOMS:
        assert any(finding.startswith(room) for finding in findings)
