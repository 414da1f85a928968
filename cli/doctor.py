"""`tacho doctor`: list what this machine can run, what is missing, and how to fix it."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from backend.core.catalog.folders import Catalogue
from backend.core.config import Settings
from backend.core.errors import TachoError
from backend.core.units import RuntimeKind
from backend.platform.diagnosis.checks import (
    Ability,
    CheckVerdict,
    SystemCheck,
    inspect_framework,
    inspect_machine,
)
from backend.platform.diagnosis.engine import NoEngine, probe_engine
from cli.calibrate import calibrate
from cli.client import ExitCode
from cli.console import fail, read_settings
from worker.runtime.build_limits import HOST_NETWORK_WARNING
from worker.runtime.choice import choose_runtime
from worker.runtime.cpus import plan_own_cpus, read_requested_cpus
from worker.runtime.errors import RuntimeUnavailable
from worker.runtime.process.groups import find_group_tree
from worker.runtime.process.network import explain_no_build_network
from worker.runtime.process.sandbox import find_sandbox
from worker.runtime.service_link import find_link_fault

_MARKS = {
    CheckVerdict.OK: "[green]✓[/]",
    CheckVerdict.LIMITED: "[yellow]![/]",
    CheckVerdict.MISSING: "[red]✗[/]",
}


def run(
    is_calibrating: Annotated[
        bool,
        typer.Option(
            "--calibrate",
            help="Calibrate a bench host through a running Tacho: measure the overhead of the load "
            "generator, the noise of the host, and known values.",
        ),
    ] = False,
    is_full: Annotated[
        bool, typer.Option("--full", help="With --calibrate: measure for 60 minutes instead of 7.")
    ] = False,
    host: Annotated[
        str | None, typer.Option(help="With --calibrate: bench host; default: this one.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(envvar="TACHO_URL", help="With --calibrate: address of Tacho.")
    ] = None,
) -> None:
    """List what this machine can run. The exit code is 0 if at least one runtime works."""
    settings = read_settings()
    if is_calibrating:
        calibrate(settings, url=url, host=host, is_full=is_full)
        return
    if is_full:
        fail("--full belongs to --calibrate.", ExitCode.REFUSED)
    console = Console(highlight=False)
    try:
        lacks_docker = show_machine(settings, console)
        catalogue = Catalogue(settings.services_dir)
        frameworks = catalogue.frameworks
    except TachoError as error:
        fail(error.detail)
    abilities = [
        inspect_framework(slug, catalogue.list_process_recipes(manifest), lacks_docker)
        for slug, (manifest, _) in frameworks.items()
    ]
    console.print(_framework_table(abilities))
    works = [
        *(["docker"] if not lacks_docker else []),
        *(["process"] if any(not ability.process for ability in abilities) else []),
    ]
    if not works:
        console.print("[bold red]No runtime works here.[/] Fix one of the lines above.")
        raise typer.Exit(1)
    console.print(f"Runtimes that work here: [bold]{', '.join(works)}[/]")


def show_machine(settings: Settings, console: Console) -> str:
    """Print the findings about this machine, and return what Docker lacks; empty if it works.

    Raises:
        ManifestInvalid: a manifest of a base image is wrong.
    """
    engine = probe_engine()
    findings = inspect_machine(settings, engine)
    if isinstance(engine, NoEngine):
        lacks_docker = engine.reason
    else:
        findings.append(bases := inspect_bases(settings))
        lacks_docker = "" if bases.verdict is CheckVerdict.OK else "no base images"
    findings += [
        inspect_cpus(settings),
        inspect_isolation(settings),
        inspect_memory_limits(settings),
    ]
    findings += inspect_remote_load(settings)
    console.print(_machine_table(findings))
    return lacks_docker


def inspect_bases(settings: Settings) -> SystemCheck:
    """Return the origin of base images on this machine. Raises ManifestInvalid."""
    wanted = settings.model_copy(update={"runtime": RuntimeKind.DOCKER.value})
    try:
        choice = choose_runtime(wanted)
    except RuntimeUnavailable as error:
        return SystemCheck("Base images", CheckVerdict.LIMITED, error.reason, error.fix)
    return SystemCheck("Base images", CheckVerdict.OK, f"{choice.flavour}. {choice.reason}")


def inspect_isolation(settings: Settings) -> SystemCheck:
    """Return how services that run as processes are isolated, and which network builds use."""
    name = "Isolation"
    with tempfile.TemporaryDirectory(prefix="tacho-doctor-") as folder:
        sandbox, reason = find_sandbox(Path(folder))
    if sandbox is None:
        return SystemCheck(name, CheckVerdict.LIMITED, "none for processes", reason)
    if settings.build_network == "host" or explain_no_build_network():
        return SystemCheck(name, CheckVerdict.LIMITED, "namespaces", HOST_NETWORK_WARNING)
    return SystemCheck(name, CheckVerdict.OK, "namespaces, and a filtered network for builds")


def inspect_memory_limits(settings: Settings) -> SystemCheck:
    """Return whether this user can limit the memory of services that run as processes."""
    name = "Memory limits"
    groups, fault = find_group_tree(settings.cgroup_root)
    if groups is None:
        fix = f"{fault[:1].upper()}{fault[1:]}. Run the worker as root, or use Docker."
        return SystemCheck(name, CheckVerdict.LIMITED, "none for processes", fix)
    return SystemCheck(name, CheckVerdict.OK, "control groups")


def inspect_remote_load(settings: Settings) -> list[SystemCheck]:
    """Return whether load hosts reach services in a network of their own; empty if none shall."""
    if not settings.service_address:
        return []
    name = "Load hosts"
    if fault := find_link_fault(settings.service_address):
        return [SystemCheck(name, CheckVerdict.LIMITED, "no link to services", fault)]
    return [SystemCheck(name, CheckVerdict.OK, f"reach services at {settings.service_address}")]


def inspect_cpus(settings: Settings) -> SystemCheck:
    """Return the CPUs and cores of each role, and what they do to the numbers."""
    try:
        plan = plan_own_cpus(read_requested_cpus(settings))
    except RuntimeUnavailable as error:
        return SystemCheck("CPU sets", CheckVerdict.MISSING, error.reason, error.fix)
    found = plan.describe()
    if not plan.notes:
        return SystemCheck("CPU sets", CheckVerdict.OK, found)
    fix = (
        "Use a machine with more cores. If TACHO_SERVICE_CPUS, TACHO_LOAD_CPUS or "
        "TACHO_BACKING_CPUS is set, set it to whole cores of its own, or leave it out."
    )
    return SystemCheck("CPU sets", CheckVerdict.LIMITED, " ".join([f"{found}.", *plan.notes]), fix)


def _machine_table(findings: list[SystemCheck]) -> Table:
    table = Table("", "What", "Found", "Fix", title="This machine", title_justify="left")
    for finding in findings:
        table.add_row(_MARKS[finding.verdict], finding.name, finding.found, finding.fix)
    return table


def _framework_table(abilities: list[Ability]) -> Table:
    table = Table("Framework", "Docker", "Process", title="Frameworks", title_justify="left")
    for ability in abilities:
        cells = (
            f"[yellow]{missing}[/]" if missing else "[green]✓[/]"
            for missing in (ability.docker, ability.process)
        )
        table.add_row(ability.framework, *cells)
    return table
