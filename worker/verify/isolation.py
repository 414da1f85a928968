"""`python -m worker.verify.isolation` checks that every attack is contained.

`make verify-isolation` calls it. Each attack of `services/reference/hostile/` runs in each runtime,
as a service, as a build, or by the files of a service. After each attack an honest service must
start, and nothing of the attack may be left. At the end of each runtime, an honest framework passes
a whole trial.

The last line is a JSON object: `contained` is a number. `escaped`, `left_behind` and `disturbed`
list `<runtime>/<attack>`. The exit code is 1 if any of them is not empty. `build_networks` is what
builds reach in each runtime. With TACHO_BUILD_NETWORK=host, builds reach the host by the choice of
the operator: the attacks in `open_by_setting` do not run then.
"""

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from backend.core.config import get_settings
from backend.core.documents import JsonObject
from backend.core.errors import TachoError
from backend.core.units import BuildNetwork, RuntimeKind
from worker.bench.bench import Bench
from worker.verify.attempt import AttackOutcome, Attempt
from worker.verify.bait import plant
from worker.verify.cheats import survey
from worker.verify.hostile import Attack, read_hostile, sample_attacks
from worker.verify.trial import try_service

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

_HONEST = ("go-nethttp", "hello")
_SHOWN_CHARACTERS = 200
_WIDTH = 150
_REACH = {
    BuildNetwork.PROXY: "only the filtering proxy",
    BuildNetwork.FILTERED: "the Internet, but neither this host nor private networks",
    BuildNetwork.BRIDGE: "other machines, and this host at its addresses",
    BuildNetwork.HOST: "all that this host reaches",
}


@dataclass(frozen=True)
class AttackTrial:
    """An attack in a runtime, and its outcome."""

    runtime: RuntimeKind
    attack: Attack
    outcome: AttackOutcome

    @property
    def name(self) -> str:
        """Return runtime and attack."""
        return f"{self.runtime}/{self.attack.slug}"

    @property
    def is_contained(self) -> bool:
        """Return whether the attack gained nothing and ended as its manifest expects."""
        is_expected = self.outcome.containment is self.attack.manifest.expected
        return is_expected and not self.outcome.gained


@app.command()
def main(
    slugs: Annotated[
        list[str] | None, typer.Argument(help="Slugs of attacks. Default: all.")
    ] = None,
    runtime: Annotated[
        RuntimeKind | None, typer.Option(help="Default: every runtime that works here.")
    ] = None,
    count: Annotated[int | None, typer.Option(min=1, help="Draw this many attacks.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 1,
) -> None:
    """Run each attack, and compare what contains it with its manifest."""
    progress = Console(stderr=True, soft_wrap=True)  # not part of a recorded result
    trials: list[AttackTrial] = []
    networks: dict[str, str] = {}
    open_by_setting: list[str] = []
    failures: list[str] = []
    try:
        gallery = read_hostile(get_settings().services_dir)
        attacks = gallery.select(slugs or [])
        if count is not None:
            attacks = sample_attacks(attacks, count, seed)
        for bench in survey(progress, runtime):
            kind, network = bench.runtime.kind.value, bench.runtime.build_network
            networks[kind] = network.value
            chosen = [attack for attack in attacks if not _is_open_by_setting(attack)]
            open_by_setting += [
                f"{kind}/{attack.slug}" for attack in attacks if attack not in chosen
            ]
            _print_network(progress, kind, network)
            with tempfile.TemporaryDirectory(prefix="tacho-bait-") as folder:
                Path(folder).chmod(0o755)
                with plant(Path(folder)) as bait:
                    attempt = Attempt(bench, gallery, bait)
                    trials += [_try(progress, bench, attempt, attack) for attack in chosen]
            failures += _try_honest(progress, bench)
    except TachoError as error:
        progress.print(f"error: {error.detail}", highlight=False)
        raise typer.Exit(2) from error
    _print_table(Console(width=_WIDTH), trials)
    summary = summarise(trials, failures, networks, open_by_setting)
    typer.echo(json.dumps(summary))
    raise typer.Exit(0 if summary["met"] else 1)


def summarise(
    trials: Sequence[AttackTrial],
    failures: Sequence[str],
    networks: Mapping[str, str],
    open_by_setting: Sequence[str],
) -> JsonObject:
    """Return the JSON object of the last line.

    Args:
        trials: the attacks that ran.
        failures: honest frameworks that failed after all attacks, by runtime.
        networks: what builds reach, by runtime.
        open_by_setting: attacks that did not run, because the operator chose no protection.
    """
    escaped = [trial.name for trial in trials if not trial.is_contained]
    left = [trial.name for trial in trials if trial.outcome.left_behind]
    disturbed = [trial.name for trial in trials if trial.outcome.disturbed]
    return {
        "bench": "isolation",
        "contained": len(trials) - len(escaped),
        "escaped": escaped,
        "left_behind": left,
        "disturbed": [*disturbed, *failures],
        "open_by_setting": list(open_by_setting),
        "build_networks": dict(networks),
        "runtimes": sorted({trial.runtime.value for trial in trials}),
        "goals": {"escaped": 0, "left_behind": 0, "disturbed": 0},
        "met": bool(trials) and not escaped and not left and not disturbed and not failures,
    }


def _is_open_by_setting(attack: Attack) -> bool:
    return attack.manifest.needs_filter and get_settings().build_network == "host"


def _print_network(console: Console, runtime: str, network: BuildNetwork) -> None:
    console.print(f"{runtime}: builds reach {_REACH[network]}", highlight=False)
    if get_settings().build_network == "host":
        console.print(
            "TACHO_BUILD_NETWORK=host: attacks of builds on the network of the host do not run.",
            highlight=False,
        )


def _try(console: Console, bench: Bench, attempt: Attempt, attack: Attack) -> AttackTrial:
    begun = time.monotonic()
    trial = AttackTrial(bench.runtime.kind, attack, attempt.run(attack))
    outcome = trial.outcome
    is_right = trial.is_contained and not outcome.left_behind and not outcome.disturbed
    mark = "[green]ok[/]" if is_right else "[bold red]WRONG[/]"
    facts = [*outcome.gained, *outcome.left_behind, outcome.disturbed, outcome.reason]
    found = escape("; ".join(filter(None, facts))[:_SHOWN_CHARACTERS]) or "nothing gained"
    console.print(
        f"{mark} {trial.name} ({time.monotonic() - begun:.0f} s): {found}", highlight=False
    )
    return trial


def _try_honest(console: Console, bench: Bench) -> list[str]:
    """Run a whole trial of an honest framework; return its name if it fails."""
    outcome = try_service(bench, *_HONEST)
    name = f"{bench.runtime.kind}/{'/'.join(_HONEST)}"
    console.print(f"{name}: {escape(outcome.failure) or 'passed'}", highlight=False)
    return [] if outcome.has_passed else [name]


def _print_table(console: Console, trials: Sequence[AttackTrial]) -> None:
    table = Table(title="Attacks", title_justify="left")
    for heading in ("runtime", "stage", "attack", "expected", "contained by", "gained"):
        table.add_column(heading)
    for trial in trials:
        manifest, outcome = trial.attack.manifest, trial.outcome
        table.add_row(
            trial.runtime.value,
            manifest.stage.value,
            manifest.name,
            manifest.expected.value,
            outcome.containment.value if outcome.containment else "–",
            ", ".join([*outcome.gained, *outcome.left_behind])[:_SHOWN_CHARACTERS],
        )
    console.print(table)


if __name__ == "__main__":
    app()
