"""Cheats and honest services, each with the load of its trial and the checks that must catch it."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from backend.core.catalog.cheats import CatchingCheck, Cheat
from backend.core.catalog.folders import Catalogue
from backend.core.errors import NotFound
from worker.verify.trial import VerifyLoad

# Honest services of the repository. Gateways with a registry and chains are the most complex ones.
_HONEST = {
    "go-nethttp": ("hello", "slow-upstream", "cars-stream", "articles"),
    "micro": ("hello-gateway", "universities"),
    "chain-go-rest": ("chain",),
}
_PERIODS = {"warm_up_seconds": 1, "duration_seconds": 5}
# More connections than the 24 requests that verification sends at the same time.
_CROWD = {**_PERIODS, "connections": 50}
# The load that triggers the cheats of a scenario; a manifest may change it.
_LOADS: Mapping[str, VerifyLoad] = {
    "hello": VerifyLoad("saturate-quick", _CROWD),
    "slow-upstream": VerifyLoad("saturate-quick", {**_CROWD, "delay_ms": 100}),
    "cars-stream": VerifyLoad("saturate-large-quick", _CROWD),
    "articles": VerifyLoad("post-quick", {**_CROWD, "size_bytes": 10_000, "post_percent": 50}),
    "hello-gateway": VerifyLoad("saturate-quick", _CROWD),
    # A request takes so long that few are sent. Few connections make many of them forged.
    "universities": VerifyLoad(
        "saturate-quick", {"warm_up_seconds": 1, "duration_seconds": 12, "connections": 2}
    ),
    "chain": VerifyLoad("saturate-quick", _CROWD),
}


@dataclass(frozen=True)
class Suspect:
    """A service to try. `caught_by` is empty for an honest service."""

    framework: str
    scenario: str
    load: VerifyLoad
    caught_by: Sequence[CatchingCheck] = field(default=())

    @property
    def is_cheat(self) -> bool:
        """Return whether a check must catch this service."""
        return bool(self.caught_by)


def list_suspects(catalogue: Catalogue, slugs: Sequence[str]) -> list[Suspect]:
    """Return the cheats of these slugs; without slugs, all cheats and then the honest services.

    Raises:
        NotFound: there is no such cheat.
    """
    cheats = catalogue.gallery.cheats if catalogue.gallery else {}
    if unknown := set(slugs) - set(cheats):
        raise NotFound(f"There is no cheat {', '.join(sorted(unknown))}.")
    chosen = {slug: cheat for slug, cheat in cheats.items() if not slugs or slug in slugs}
    suspects = [_suspect(slug, cheat) for slug, cheat in chosen.items()]
    return suspects if slugs else [*suspects, *_list_honest(catalogue)]


def sample_suspects(suspects: Sequence[Suspect], count: int, seed: int) -> list[Suspect]:
    """Draw cheats with this seed, and a third as many honest services, at least one."""
    drawn = random.Random(seed)  # noqa: S311
    cheats = [suspect for suspect in suspects if suspect.is_cheat]
    honest = [suspect for suspect in suspects if not suspect.is_cheat]
    return [
        *drawn.sample(cheats, min(count, len(cheats))),
        *drawn.sample(honest, min(max(count // 3, 1), len(honest))),
    ]


def _suspect(slug: str, cheat: Cheat) -> Suspect:
    load = _LOADS[cheat.manifest.scenario]
    changed = VerifyLoad(load.profile, {**load.parameters, **cheat.manifest.parameters})
    return Suspect(slug, cheat.manifest.scenario, changed, cheat.manifest.caught_by)


def _list_honest(catalogue: Catalogue) -> list[Suspect]:
    """Return the gallery's program without a cheat, and services of the repository."""
    own = {catalogue.gallery.honest.slug: tuple(_LOADS)} if catalogue.gallery else {}
    return [
        Suspect(framework, scenario, _LOADS[scenario])
        for framework, scenarios in {**own, **_HONEST}.items()
        for scenario in scenarios
    ]
