"""The check of isolation: attacks escape where nothing isolates them, so the check can fail."""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.manifest import ProcessRecipe
from backend.core.catalog.sources import SourceTree
from backend.core.config import ROOT
from backend.core.units import RuntimeKind
from backend.platform.tools import resolve_tools
from worker.runtime.process import ProcessRuntime
from worker.tests.stages.contexts import make_bench
from worker.verify import attempt
from worker.verify.attempt import AttackOutcome, Attempt
from worker.verify.bait import Bait, plant
from worker.verify.hostile import (
    Attack,
    AttackManifest,
    AttackStage,
    Containment,
    read_hostile,
    sample_attacks,
)
from worker.verify.isolation import AttackTrial, summarise

_GALLERY = read_hostile(ROOT / "services")
_MANIFEST = AttackManifest(
    name="A", description="B", stage=AttackStage.SERVICE, expected=Containment.NOTHING_GAINED
)


class QuickAttempt(Attempt):
    """Attacks after which no honest service starts."""

    def _try_honest(self) -> str:
        return ""


@pytest.fixture(scope="module")
def bait(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bait]:
    with plant(tmp_path_factory.mktemp("bait")) as planted:
        yield planted


@pytest.fixture(scope="module")
def unisolated(
    bait: Bait, go: str, k6: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Attempt]:
    """Attacks on services that run as plain processes of this user."""
    folder = tmp_path_factory.mktemp("hostile") / "source"
    _GALLERY.source.copy_to(folder)
    # With the cache of this user, which compiles faster than a build of Tacho.
    subprocess.run([go, "build", "-o", "service", "."], cwd=folder, check=True)
    recipe = ProcessRecipe(requires=(), run=("./service",))
    program = _GALLERY.program.model_copy(update={"process": recipe})
    gallery = replace(_GALLERY, program=program, source=SourceTree(folder))
    plain = ProcessRuntime(k6, tmp_path_factory.mktemp("data"), resolve_tools(), use_sandbox=False)
    with pytest.MonkeyPatch.context() as patch:
        # The attacks gain the same in a shorter time.
        patch.setattr(attempt, "_REMOVAL_S", 0.5)
        shorter = attempt._DESCRIPTION.replace("duration_seconds = 3", "duration_seconds = 1")
        patch.setattr(attempt, "_DESCRIPTION", shorter)
        yield QuickAttempt(make_bench(plain), gallery, bait)


@pytest.mark.parametrize(
    ("slug", "gained"),
    [
        ("read-env-file", "a planted secret"),
        ("read-worker-environment", "a planted secret"),
        ("call-api-loopback", "the API on a loopback address"),
        ("use-database-socket", "the socket of the database"),
        ("build-calls-api", "the API on a loopback address"),
        ("build-reaches-host", "the API on an address of the host"),
        ("own-script-reads-files", "a planted secret"),
        ("own-script-calls-api", "the API on a loopback address"),
    ],
)
def test_attacks_escape_without_isolation(unisolated: Attempt, slug: str, gained: str) -> None:
    [attack] = _GALLERY.select([slug])
    outcome = unisolated.run(attack)
    assert gained in outcome.gained
    assert not AttackTrial(RuntimeKind.PROCESS, attack, outcome).is_contained


def test_a_build_without_isolation_reaches_metadata(unisolated: Attempt) -> None:
    if os.geteuid() != 0:
        pytest.skip("a server on a link-local address needs root")
    [attack] = _GALLERY.select(["build-reaches-metadata"])
    gained = unisolated.run(attack).gained
    # The last one is the planted server, which every machine reaches.
    assert any(entry.startswith("a connection to 169.254.") for entry in gained)
    assert any(entry.endswith("/8080") for entry in gained)


def test_only_attacks_on_the_network_of_builds_are_open_by_a_setting() -> None:
    slugs = {attack.slug for attack in _GALLERY.attacks if attack.manifest.needs_filter}
    assert slugs == {"build-calls-api", "build-reaches-host", "build-reaches-metadata"}


def test_a_process_that_is_left_behind_is_found(unisolated: Attempt) -> None:
    [attack] = _GALLERY.select(["leave-processes"])
    left = unisolated.run(attack).left_behind
    pids = {int(entry.split()[-1]) for entry in left if entry.startswith("process")}
    assert pids
    for pid in pids:
        psutil.Process(pid).kill()


def _trial(outcome: AttackOutcome) -> AttackTrial:
    return AttackTrial(RuntimeKind.PROCESS, Attack("a", _MANIFEST), outcome)


def test_attacks_that_are_contained_meet_the_goals() -> None:
    contained = _trial(AttackOutcome(Containment.NOTHING_GAINED))
    summary = summarise([contained], [], {"process": "host"}, ["process/b"])
    assert (summary["contained"], summary["met"]) == (1, True)
    assert summary["build_networks"] == {"process": "host"}
    assert summary["open_by_setting"] == ["process/b"]
    # An honest framework failed afterwards.
    assert not summarise([contained], ["process/go-nethttp/hello"], {}, [])["met"]


@pytest.mark.parametrize(
    ("outcome", "list_name"),
    [
        (AttackOutcome(Containment.STOPPED), "escaped"),
        (AttackOutcome(None), "escaped"),
        (AttackOutcome(Containment.NOTHING_GAINED, gained=["a secret"]), "escaped"),
        (AttackOutcome(Containment.NOTHING_GAINED, left_behind=["process 7"]), "left_behind"),
        (AttackOutcome(Containment.NOTHING_GAINED, disturbed="it failed"), "disturbed"),
    ],
)
def test_other_outcomes_do_not(outcome: AttackOutcome, list_name: str) -> None:
    summary = summarise([_trial(outcome)], [], {}, [])
    assert summary[list_name] == ["process/a"]
    assert not summary["met"]


def test_a_sample_has_attacks_of_every_stage() -> None:
    drawn = sample_attacks(_GALLERY.attacks, 7, seed=1)
    stages = Counter(attack.manifest.stage for attack in drawn)
    assert len({attack.slug for attack in drawn}) == 7
    assert set(stages) == set(AttackStage)
    assert drawn == sample_attacks(_GALLERY.attacks, 7, seed=1)


def test_hostile_services_are_not_in_the_catalogue() -> None:
    assert len(_GALLERY.attacks) >= 20
    assert _GALLERY.program.slug not in Catalogue(ROOT / "services").frameworks


def test_manifests_name_no_path_outside_of_the_bait(bait: Bait) -> None:
    for attack in _GALLERY.attacks:
        if attack.manifest.link:
            assert attack.manifest.link.strip("{}") in bait.hints
