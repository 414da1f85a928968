"""Benchmarks write their output to a page of dated entries."""

from datetime import UTC, datetime
from pathlib import Path

from tools.benchmarks.recording import Recording, split_output, write

JSON_LINE = '{"bench": "cpu", "figures": {"ratio": 1.22}, "goals": {}, "met": true}'


def make_recording(day: int) -> Recording:
    return Recording(
        bench="cpu",
        command="python -m tools.benchmarks.cpu",
        table="tacho  0.79",
        result=JSON_LINE,
        at=datetime(2026, 11, day, 9, 30, tzinfo=UTC),
        commit="0123456789",
        machine="AMD EPYC, 2 cores, Linux 6.18.44",
    )


def test_output_is_split_into_table_and_json_line() -> None:
    printed = f"    1 runs\r    2 runs\n\ntacho  0.79\n{JSON_LINE}\n"
    assert split_output(printed) == ("cpu", "    2 runs\n\ntacho  0.79", JSON_LINE)


def test_output_without_a_result_is_not_recorded() -> None:
    assert split_output("No Docker engine answers.\n") is None


def test_the_newest_entry_comes_first(tmp_path: Path) -> None:
    write(make_recording(21), tmp_path)
    path = write(make_recording(22), tmp_path)
    page = path.read_text()
    assert path == tmp_path / "cpu.md"
    assert page.startswith("# bench-cpu\n\n## 2026-11-22 09:30 UTC\n\n- Commit: `0123456789`\n")
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert headings == ["## 2026-11-22 09:30 UTC", "## 2026-11-21 09:30 UTC"]
    assert "- Machine: AMD EPYC, 2 cores, Linux 6.18.44\n" in page
    assert page.count("```text\ntacho  0.79\n```\n\n```json\n") == 2


def test_text_above_the_entries_stays(tmp_path: Path) -> None:
    (tmp_path / "cpu.md").write_text("# bench-cpu\n\nThe error of CPU times.\n")
    page = write(make_recording(22), tmp_path).read_text()
    assert page.startswith("# bench-cpu\n\nThe error of CPU times.\n\n## 2026-11-22")
