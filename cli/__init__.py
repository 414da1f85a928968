"""The `tacho` command. Each subcommand has a module of its own."""

from typing import Annotated

import typer

from backend.version import VERSION
from cli import (
    archive,
    backup,
    bisect,
    build,
    bundle,
    cancel,
    certificates,
    check,
    choose,
    clean,
    delete,
    demo,
    doctor,
    export,
    guard,
    host,
    init,
    join,
    limits,
    login,
    migrate,
    operator,
    rerun,
    retention,
    roles,
    run,
    schedule,
    serve,
    show,
    up,
    upgrade,
    webhook,
)

app = typer.Typer(
    name="tacho",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"tacho {VERSION}")
        raise typer.Exit


@app.callback()
def _read_options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Benchmarks microservice frameworks on your own hardware."""


app.command("up")(up.run)
app.command("build")(build.run)
app.command("doctor")(doctor.run)
app.command("demo")(demo.run)
app.command("migrate")(migrate.run)
app.command("roles")(roles.run)
app.command("certificates")(certificates.run)
app.command("backup")(backup.backup)
app.command("restore")(backup.restore)
app.command("bundle")(bundle.bundle)
app.command("upgrade")(upgrade.run)
app.command("operator")(operator.run)
app.command("api")(serve.api)
app.command("worker")(serve.worker)
app.command("dispatcher")(serve.dispatcher)
app.command("backups")(serve.backups)
app.command("login")(login.login)
app.command("logout")(login.logout)
app.command("run")(run.run)
app.command("show")(show.run)
app.command("export")(export.run)
app.command("choose")(choose.run)
app.command("init")(init.run)
app.command("check")(check.run)
app.command("guard")(guard.run)
app.command("bisect")(bisect.run)
app.command("rerun")(rerun.run)
app.command("cancel")(cancel.run)
app.command("archive")(archive.run)
app.command("delete")(delete.run)
app.command("retention")(retention.run)
app.command("clean")(clean.run)
app.command("join")(join.join)
app.command("leave")(join.leave)
app.add_typer(host.app, name="host")
app.add_typer(schedule.app, name="schedule")
app.add_typer(limits.app, name="limits")
app.add_typer(webhook.app, name="webhook")
