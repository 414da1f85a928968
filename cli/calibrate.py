"""`tacho doctor --calibrate`: calibrate a bench host through a running Tacho."""

import sys

import typer
from rich.console import Console
from rich.table import Table

from backend.core.config import Settings
from backend.core.documents import JsonObject
from backend.core.results.calibration.plan import plan_calibration
from backend.core.units import TERMINAL_METRICS, Verdict
from cli.client import ExitCode, ask, follow, get_address, open_client
from cli.console import fail


def calibrate(settings: Settings, *, url: str | None, host: str | None, is_full: bool) -> None:
    """Measure load generator overhead, minimum detectable differences and a known distribution.

    Print the results.

    Exit codes: 0 the reported values are correct, 1 they are not or the run failed, 2 refused, 3
    cancelled, 130 interrupted.
    """
    # A file or a CI log has no terminal width, so make the tables wide enough.
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    name = host or settings.bench_host
    with open_client(settings, url) as client:
        run = ask(client, "POST", "/api/v1/runs", plan_calibration(name, is_full=is_full))
        address = get_address(client, run["permalink"])
        console.print(f"Calibrating {name}: {address}", soft_wrap=True, markup=False)
        try:
            ended = follow(client, run["id"], console)
        except KeyboardInterrupt:
            console.print("The calibration continues. Follow or cancel it at the address above.")
            raise typer.Exit(ExitCode.DETACHED) from None
        if ended["status"] != "succeeded":
            failures = [trial["failure"]["detail"] for trial in ended["trials"] if trial["failure"]]
            reason = f": {failures[0]}" if failures else "."
            fail(f"The calibration {ended['status']}{reason}", ExitCode[ended["status"].upper()])
        found = ask(client, "GET", f"/api/v1/hosts/{name}")["calibration"]
        page = get_address(client, f"/hosts/{name}")
    for make_table in (_overhead_table, _noise_table, _truth_table, _disagreement_table):
        console.print(make_table(found))
    console.print(f"Shown at {page}", soft_wrap=True, markup=False)
    if not all(check["is_within"] for check in found["truth"]):
        seen = {verdict["verdict"] for cell in ended["cells"] for verdict in cell["verdicts"]}
        hint = (
            " Other programs used this host during the calibration. Stop them and calibrate again."
            if Verdict.HOST_BUSY in seen
            else ""
        )
        fail(f"Reported values differ from the true values; see the last table.{hint}")


def _overhead_table(found: JsonObject) -> Table:
    title = "Load generator overhead"
    table = Table("Rate (req/s)", "p50 (ms)", "p99 (ms)", "Verdicts", title=title)
    for overhead in found["overheads"]:
        table.add_row(
            f"{overhead['rate_rps']:,}",
            f"{overhead['latency_p50_ms']:.3f}",
            f"{overhead['latency_p99_ms']:.3f}",
            ", ".join(overhead["verdicts"]),
        )
    return table


def _noise_table(found: JsonObject) -> Table:
    title = "Variation and minimum detectable difference"
    heads = ("Metric", "Of", "Variation", "Minimum difference", "Trials")
    table = Table(*heads, title=title)
    for noise in found["noise"]:
        if noise["metric"] in TERMINAL_METRICS:
            table.add_row(
                noise["metric"],
                f"{noise['framework']} {noise['profile']}",
                f"{noise['variation']:.1%}",
                f"{noise['smallest_ratio']:.3f}×",
                str(noise["trials"]),
            )
    return table


def _truth_table(found: JsonObject) -> Table:
    title = "Reported and true values; goal: within 2 % + 0.3 ms"
    table = Table("Latency", "True (ms)", "Reported (ms)", "", title=title)
    for check in found["truth"]:
        table.add_row(
            f"p{check['quantile'] * 100:g}",
            f"{check['expected_ms']:.3f}",
            f"{check['reported_ms']:.3f}",
            "[green]✓[/]" if check["is_within"] else "[red]✗[/]",
        )
    return table


def _disagreement_table(found: JsonObject) -> Table:
    title = "Disagreement of two load generators"
    heads = ("Metric", "Load", "Tacho", "Cross-check", "Disagreement", "Cross-check generator")
    table = Table(*heads, title=title)
    for item in found["disagreements"] or []:
        table.add_row(
            item["metric"],
            item["kind"],
            f"{item['ours']:,.3f}",
            f"{item['theirs']:,.3f}",
            f"{item['size']:.3f}×",
            item["generator"],
        )
    return table
