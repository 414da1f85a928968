"""The `tacho` command. Each subcommand has a module of its own, or those of its noun."""

from typing import Annotated

import typer

from backend.version import VERSION
from cli import (
    backup,
    bisect,
    build,
    bundle,
    check,
    choose,
    clean,
    demo,
    doctor,
    guard,
    host,
    init,
    join,
    limits,
    login,
    measure,
    migrate,
    operator,
    retention,
    roles,
    run,
    runs,
    schedule,
    serve,
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
app.command("certificates")(roles.certificates)
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
app.command("show")(runs.show)
app.command("export")(runs.export)
app.command("choose")(choose.run)
app.command("init")(init.run)
app.command("check")(check.run)
app.command("guard")(guard.run)
app.command("bisect")(bisect.run)
app.command("measure")(measure.run)
app.command("rerun")(runs.rerun)
app.command("cancel")(runs.cancel)
app.command("archive")(runs.archive)
app.command("delete")(runs.delete)
app.command("retention")(retention.run)
app.command("clean")(clean.run)
app.command("join")(join.join)
app.command("leave")(join.leave)
app.add_typer(host.app, name="host")
app.add_typer(schedule.app, name="schedule")
app.add_typer(limits.app, name="limits")
app.add_typer(webhook.app, name="webhook")
