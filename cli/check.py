"""`tacho check`: build, start and load the service of this repository for a few seconds."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from backend.core.catalog.own.service_file import FILE_NAME, parse_service_file
from backend.core.control_characters import escape_lines
from backend.core.results.guard.document import ServiceVersion
from cli.console import fail, read_settings
from cli.own import (
    ConsoleDisplay,
    FolderOption,
    RuntimeOption,
    begin,
    end_on_failure,
    export_version,
    open_own_bench,
)
from cli.repository import WORKING_TREE, Repository
from worker.guard.checks import check_loads, explain_failure, make_catalogue, select_loads
from worker.guard.sources import open_scratch


def run(
    load: Annotated[
        list[str] | None, typer.Option("--load", help="Check only this load; may be repeated.")
    ] = None,
    runtime: RuntimeOption = None,
    folder: FolderOption = Path(),
) -> None:
    """Check tacho.toml: build and start the service, and send each load for 3 s.

    Nothing is measured or stored. Exit codes: 0 all loads work, 1 the service fails, 2 tacho.toml
    or a file of requests is wrong.
    """
    place = begin(folder)
    settings = read_settings()
    with end_on_failure():
        repository = Repository.find(place)
        file = parse_service_file(repository.folder / FILE_NAME)
        loads = select_loads(file, load)
        with open_scratch(settings.data) as scratch:
            bench = open_own_bench(settings, runtime, file)
            source = export_version(repository, ServiceVersion(name=WORKING_TREE), scratch)
            catalogue = make_catalogue(bench, source, file, source, scratch / "loads")
            with ConsoleDisplay(Console()) as display:
                checks = check_loads(bench, catalogue, loads, file.service.name, display)
            for name, check in checks.items():
                if not check.outcome.has_passed:
                    fail(escape_lines(explain_failure(check, name, catalogue, bench)))
    Console().print("Next: tacho guard --base origin/main", highlight=False)
