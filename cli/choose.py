"""`tacho choose`: recommend a framework in a shell."""

from math import ceil
from typing import Annotated

import httpx
import typer
from rich.table import Table

from backend.core.documents import JsonObject
from backend.core.numbers import format_estimate, use_plain_spaces
from backend.core.results.choose.criteria import Criterion
from cli.cells import Url
from cli.client import ExitCode, ask, get_address, open_client
from cli.console import fail, read_settings
from cli.results import RequireUsable, Wait, make_console, wait_for


def run(
    scenario: Annotated[str, typer.Argument(help="Slug of the scenario: the kind of work.")],
    frameworks: Annotated[
        list[str] | None, typer.Argument(help="Slugs of at least two frameworks.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Instead of frameworks: all of a language.")
    ] = None,
    matters: Annotated[
        list[Criterion] | None,
        typer.Option(help="A criterion, the most important first; may be repeated."),
    ] = None,
    load: Annotated[
        list[str] | None,
        typer.Option(help="NAME=NUMBER that loads must have, such as rate_rps=500; repeatable."),
    ] = None,
    host: Annotated[str | None, typer.Option(help="Bench host with the results.")] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Queue the run of what is missing.")
    ] = False,
    wait: Wait = False,
    require_usable: RequireUsable = False,
    url: Url = None,
) -> None:
    """Recommend a framework from results that were measured under the same conditions.

    Exit codes: 0 printed, 1 Tacho does not answer, 2 refused; with --wait as `tacho run`.
    """
    if wait and not measure:
        fail("--wait needs --measure.", ExitCode.REFUSED)
    asked = {
        "scenario": scenario,
        "frameworks": ",".join(frameworks or []),
        "language": language,
        "criteria": ",".join(matters or []),
        "load": ",".join(value.replace("=", ":", 1) for value in load or []),
        "host": host,
    }
    console = make_console()
    with open_client(read_settings(), url) as client:
        query = httpx.QueryParams({name: value for name, value in asked.items() if value})
        found = ask(client, "GET", f"/api/v1/choice?{query}")
        console.print(use_plain_spaces(f"{found['headline']}."), soft_wrap=True)
        for sentence in (*found["sentences"], *found["against"], *found["missing"]):
            console.print(use_plain_spaces(sentence), soft_wrap=True)
        console.print(_make_table(found))
        planned = found["run"]
        if planned is None:
            return
        minutes = ceil(planned["seconds"] / 60)
        if not measure:
            text = f"{planned['label']} with --measure: at most {minutes} min, without builds."
            console.print(text, soft_wrap=True)
            return
        queued = ask(client, "POST", "/api/v1/runs", planned["plan"])
        console.print(f"{planned['label']}: {get_address(client, queued['permalink'])}")
        if wait:
            raise typer.Exit(wait_for(client, console, queued, require_usable=require_usable))


def _make_table(found: JsonObject) -> Table:
    table = Table("Framework", title=f"{found['scenario']['name']}, {found['host'] or 'no host'}")
    for column in found["columns"]:
        table.add_column(column["title"], justify="right")
    for row in found["rows"]:
        table.add_row(row["framework"]["name"], *(_show(cell) for cell in row["cells"]))
    return table


def _show(cell: JsonObject) -> str:
    own, words = cell["estimate"], cell["words"]
    if own is None:
        return str(words)
    figures = (own["estimate"], own["low"], own["high"], own["unit"], own["values"])
    text = use_plain_spaces(format_estimate(*figures, is_bound=own["is_bound"]))
    return f"{text} ({words})" if words else text
