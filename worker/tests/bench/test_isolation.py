"""Installations that others use refuse to run services without isolation."""

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backend.core.config import ROOT, Settings
from backend.core.db import unit_of_work
from backend.core.units import BuildNetwork, Isolation
from backend.tests.accounts import add_user
from backend.tests.factories import add_host
from worker.bench.bench import survey_bench
from worker.bench.isolation import (
    check_build_network,
    check_isolation,
)
from worker.runtime import firewall
from worker.runtime.errors import RuntimeUnavailable
from worker.runtime.process import ProcessRuntime


def test_an_installation_with_accounts_refuses_to_run_without_isolation(database: Settings) -> None:
    # Not yet, with a single person.
    check_isolation(database, Isolation.NONE)
    with unit_of_work() as session:
        add_user(session, "ada@example.org")
    check_isolation(database, Isolation.NAMESPACES_FILTER)
    with pytest.raises(RuntimeUnavailable, match="TACHO_ALLOW_UNISOLATED=true"):
        check_isolation(database, Isolation.NONE)
    check_isolation(database.model_copy(update={"allow_unisolated": True}), Isolation.NONE)


def test_a_host_that_joined_refuses_to(database: Settings) -> None:
    with unit_of_work() as session:
        add_host(session, database.bench_host).joined_at = datetime.now(UTC)
    with pytest.raises(RuntimeUnavailable, match="bubblewrap"):
        check_isolation(database, Isolation.NONE)


@pytest.mark.parametrize("change", [{"token": "secret"}, {"host": "0.0.0.0"}])
def test_an_installation_that_others_reach_refuses_to(
    database: Settings, change: dict[str, str]
) -> None:
    with pytest.raises(RuntimeUnavailable, match="bubblewrap"):
        check_isolation(database.model_copy(update=change), Isolation.NONE)


def test_builds_in_the_network_of_the_host_are_refused_where_others_use_the_installation(
    database: Settings,
    process_runtime: ProcessRuntime,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    for name in ("bwrap", "setpriv", "nsenter"):
        (tmp_path / name).symlink_to(shutil.which(name) or f"no {name} on this machine")
    check_build_network(database, process_runtime.build_network)
    # As on a machine without slirp4netns.
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(firewall, "PROGRAM_PATH", str(tmp_path))
    network = process_runtime.build_network
    assert network is BuildNetwork.HOST

    check_build_network(database, network)
    with unit_of_work() as session:
        add_user(session, "ada@example.org")
    with pytest.raises(RuntimeUnavailable, match="Install slirp4netns"):
        check_build_network(database, network)
    for change in ({"build_network": "host"}, {"allow_unisolated": True}):
        check_build_network(database.model_copy(update=change), network)


def test_builds_are_refused_where_they_would_reach_more_than_the_proxy(database: Settings) -> None:
    proxied = database.model_copy(update={"build_proxy": "http://192.0.2.7:3128"})
    check_build_network(proxied, BuildNetwork.PROXY)
    with pytest.raises(RuntimeUnavailable, match="not only the proxy"):
        check_build_network(proxied, BuildNetwork.HOST)
    check_build_network(proxied.model_copy(update={"build_network": "host"}), BuildNetwork.HOST)


def test_a_host_without_a_sandbox_reports_that_it_refuses_load(
    k6: Path, database: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = database.model_copy(update={"runtime": "process", "data": ROOT / ".tacho/cache"})
    ready = survey_bench(settings)
    # All programs of this machine except bubblewrap.
    for folder in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in folder.iterdir() if folder.is_dir() else ():
            if program.name != "bwrap" and not (tmp_path / program.name).exists():
                (tmp_path / program.name).symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path))

    refusing = survey_bench(settings)
    allowed = survey_bench(settings.model_copy(update={"allow_unisolated": True}))

    assert "refuses_load" not in ready.fingerprint
    assert refusing.fingerprint["refuses_load"]
    assert "refuses_load" not in allowed.fingerprint
    assert refusing.fingerprint_digest == allowed.fingerprint_digest
