"""Which files differ between two builds, and how."""

from backend.core.changes.incidents.build_differences import FileChange, compare_files
from backend.core.documents import SourceFile


def file(path: str, text: str | None) -> SourceFile:
    return SourceFile(path=path, sha256=f"digest of {text}" if text else path, text=text)


def test_files_are_added_removed_and_changed() -> None:
    before = [file("a.py", "one\ntwo\n"), file("gone.py", "x\n"), file("same.py", "same\n")]
    after = [file("a.py", "one\nthree\n"), file("new.py", "y\n"), file("same.py", "same\n")]

    found = {item.path: item for item in compare_files(before, after)}

    assert {path: item.change for path, item in found.items()} == {
        "a.py": FileChange.CHANGED,
        "gone.py": FileChange.REMOVED,
        "new.py": FileChange.ADDED,
    }
    changed = found["a.py"].diff
    assert changed is not None
    assert changed.splitlines()[:2] == ["--- a/a.py", "+++ b/a.py"]
    assert changed.splitlines()[-2:] == ["-two", "+three"]
    assert found["new.py"].diff == "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+y"


def test_a_file_without_text_has_no_diff() -> None:
    before = [SourceFile(path="a.bin", sha256="1", text=None)]
    after = [SourceFile(path="a.bin", sha256="2", text=None)]
    (found,) = compare_files(before, after)
    assert (found.change, found.diff) == (FileChange.CHANGED, None)


def test_a_long_difference_is_cut() -> None:
    (found,) = compare_files([], [file("long.txt", "line\n" * 1000)])
    assert found.is_cut
    assert found.diff is not None
    assert len(found.diff.splitlines()) == 300
