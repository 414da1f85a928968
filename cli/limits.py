"""`tacho limits`: manage the limits that results must meet, from a shell."""

from typing import Annotated

import typer
from rich.table import Table

from backend.core.documents import JsonObject
from backend.core.units import Metric
from cli.cells import Parameters, Url, read_parameters
from cli.client import call
from cli.results import describe_limit, make_console

_PATH = "/api/v1/slos"
_Which = Annotated[str, typer.Argument(metavar="LIMIT", help="Id of the limit.")]
_Value = Annotated[
    float,
    typer.Argument(
        help="In the unit of the metric: a maximum if lower is better, a minimum if higher is."
    ),
]

app = typer.Typer(
    help="Limits of metrics (SLOs). `tacho run --wait` exits with 4 if a result misses one.\n\n"
    "Exit codes: 0 done, 1 Tacho does not answer, 2 refused.",
    no_args_is_help=True,
)


@app.command("list")
def list_all(url: Url = None) -> None:
    """List all limits of the workspace."""
    found = call(url, "GET", _PATH)["items"]
    table = Table("Scenario", "Load", "Framework", "Limit", "Id")
    for limit in found:
        table.add_row(
            limit["scenario"],
            _describe_load(limit),
            limit["framework"] or "all",
            _describe(limit),
            limit["id"],
        )
    make_console().print(table if found else "No limits.")


@app.command("add")
def add(
    scenario: Annotated[str, typer.Argument(help="Slug of the scenario.")],
    metric: Annotated[Metric, typer.Argument(help="The metric, such as latency_p99_ms.")],
    value: _Value,
    framework: Annotated[
        str | None, typer.Option(help="Slug of the framework; default: all frameworks.")
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="Profile, such as rate-quick; default: all profiles.")
    ] = None,
    param: Parameters = None,
    url: Url = None,
) -> None:
    """Add a limit. It also applies to runs that have already ended."""
    body = {
        "scenario": scenario,
        "metric": metric,
        "limit": value,
        "framework": framework,
        "profile": profile,
        "parameters": read_parameters(param or []),
    }
    made = call(url, "POST", _PATH, body)
    print(f"{_describe(made)} on {made['scenario']}: {made['id']}")


@app.command("change")
def change(limit: _Which, value: _Value, url: Url = None) -> None:
    """Change the value of a limit."""
    changed = call(url, "PATCH", f"{_PATH}/{limit}", {"limit": value})
    print(f"{_describe(changed)} on {changed['scenario']}")


@app.command("remove")
def remove(limit: _Which, url: Url = None) -> None:
    """Remove a limit."""
    removed = call(url, "DELETE", f"{_PATH}/{limit}")
    print(f"{_describe(removed)} on {removed['scenario']} is removed.")


def _describe(limit: JsonObject) -> str:
    return f"{limit['metric']} {describe_limit(limit)}"


def _describe_load(limit: JsonObject) -> str:
    """Return the load: `rate-quick, rate_rps=400`, or `all`."""
    values = [f"{name}={value}" for name, value in limit["parameters"].items()]
    return ", ".join([*filter(None, [limit["profile"]]), *values]) or "all"
