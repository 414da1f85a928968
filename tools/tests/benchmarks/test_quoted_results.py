"""The methodology quotes the newest entry of each benchmark's results."""

import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

_DOCS = Path(__file__).resolve().parents[3] / "docs"
_RESULTS = _DOCS / "results"
_METHODOLOGY = _DOCS / "methodology"
_MONTHS = "January February March April May June July August September October November December"
_DATE = re.compile(rf"(\d{{1,2}}) ({'|'.join(_MONTHS.split())}) (\d{{4}})")
_LINK = re.compile(r"\[([^\]]+)\]\(\.\./results/([a-z-]+)\.md[^)]*\)")
# Rows of the table in load.md, by their names in the results.
_GENERATORS = {
    "k6 2.2.0": "k6",
    "k6 `--out json`": "k6 --out json",
    "sender in Go": "Go loop",
    "wrk 4.1": "wrk",
    "oha 1.16": "oha",
}


def read_newest(name: str) -> dict[str, Any]:
    """Return the figures of the newest entry."""
    found = re.search(
        r"^## .*?```json\n(.*?)\n```", read(_RESULTS / f"{name}.md"), re.MULTILINE | re.DOTALL
    )
    assert found is not None
    figures: dict[str, Any] = json.loads(found[1])["figures"]
    return figures


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def list_dated() -> Iterator[tuple[str, str, date]]:
    """Yield each dated quote: the page, the name of the results, and the date."""
    for page in sorted(_METHODOLOGY.glob("*.md")):
        for text, name in _LINK.findall(read(page)):
            if (found := _DATE.search(" ".join(text.split()))) is not None:
                month = _MONTHS.split().index(found[2]) + 1
                yield page.name, name, date(int(found[3]), month, int(found[1]))


@pytest.mark.parametrize(("page", "name", "quoted"), list(list_dated()))
def test_a_quote_is_of_the_newest_entry(page: str, name: str, quoted: date) -> None:
    dates = re.findall(r"^## (\d{4}-\d{2}-\d{2})", read(_RESULTS / f"{name}.md"), re.MULTILINE)

    assert quoted == max(map(date.fromisoformat, dates)), page


def test_dated_quotes_are_found() -> None:
    assert {"aa", "cpu", "loadgen", "sequential", "truth"} <= {name for _, name, _ in list_dated()}


def test_load_quotes_each_load_generator() -> None:
    figures, text = read_newest("loadgen"), read(_METHODOLOGY / "load.md")

    def show(value: float | None) -> str:
        return "–" if value is None else f"{value:,}"

    for shown, name in _GENERATORS.items():
        own = figures["generators"][name]
        values = (own["rps"], own["cpu_us"], own["rate_p99_ms"], own["rate_dropped"])
        assert f"| {shown} | {' | '.join(map(show, values))} |" in text
    assert f"reaches {figures['loop_to_wrk']:.3f} of wrk's rate" in text
    assert f"its p99 is {figures['loop_p99_to_oha']:.3f} of oha's" in text


def test_latency_quotes_the_error_of_the_median() -> None:
    rows = [row for row in read_newest("truth")["rows"] if row["quantile"] == 0.5]
    text = " ".join(read(_METHODOLOGY / "latency.md").split())

    errors = [row["reported"] - row["true"] for row in rows]
    # The service that stands still does not state how long it waited.
    waited = max(row["waited"] - row["true"] for row in rows if row["waited"] is not None)
    assert f"The median was {min(errors):.2f} to {max(errors):.2f} ms too high" in text
    assert f"waited at most {waited:.2f} ms too long" in text


def test_cpu_quotes_both_ratios() -> None:
    rows = read_newest("cpu")["rows"]
    text = " ".join(read(_METHODOLOGY / "cpu-and-memory.md").split())

    kernel = [row["to_kernel"] for row in rows]
    added = [row["added_to_burnt"] for row in rows if row["added_to_burnt"] is not None]
    assert f"was {min(kernel):.4f} to {max(kernel):.4f} of what the kernel charged" in text
    assert f"added {min(added):.4f} to {max(added):.4f} of the added time" in text


def test_ranking_quotes_the_wrong_differences() -> None:
    figures = read_newest("aa")
    # Records from before the four states count words.
    states = figures.get("states") or figures["words"]
    text = " ".join(read(_METHODOLOGY / "ranking.md").split())

    wrong = [
        sum(states[name].get(state, 0) for state in ("difference", "faster", "slower"))
        for name in ("cpu_us_per_request", "latency_p50_ms", "latency_p99_ms")
    ]
    assert f"{wrong[0]} of the 40 equal pairs were called" in text
    assert f"by CPU per request, {wrong[1]} by the median and {wrong[2]} by p99" in text


def test_sequential_quotes_each_kind_of_noise() -> None:
    figures, text = read_newest("sequential"), read(_METHODOLOGY / "sequential.md")

    assert f"with {figures['runs_per_set']} runs per set" in " ".join(text.split())
    for own in figures["models"].values():
        shares = own["wrong"], own["wrong_in_worst_set"]
        wrong, worst = (f"{share * 100:.1f} %" for share in shares)
        row = f"| {wrong} | {worst} | {own['right'] * 100:.0f} % | {own['trials']:.1f} |"
        assert f"{row} {own['fixed_trials']} | {own['fixed_wrong'] * 100:.1f} % |" in text
