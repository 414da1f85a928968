"""A snapshot shows what a fault left behind on the machine."""

from pathlib import Path

from backend.core.units import RuntimeKind
from backend.platform.layout import Layout
from tools.chaos.remains import MachineState, list_after_stop, list_excess
from tools.chaos.victims import TrialParts


def test_only_new_files_and_no_files_that_always_change_are_reported(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.make()
    (tmp_path / "sandbox").mkdir()
    parts = TrialParts(RuntimeKind.PROCESS, tmp_path)
    before = MachineState.read(layout, parts)

    (tmp_path / "sandbox" / "old").touch()
    (tmp_path / "core.17").touch()
    (layout.logs / "worker.log.1").touch()
    (tmp_path / "build").mkdir()

    later = MachineState.read(layout, parts)
    assert before.list_new(later) == ["file core.17", "file sandbox/old"]
    assert before.list_new(later, without={"file"}) == []
    assert later.list_new(later) == []
    assert MachineState({}).list_new(MachineState({"rule": frozenset({"c"})})) == ["rule c"]


def test_a_user_may_fill_a_pool_but_not_more() -> None:
    before = {"tacho_api": 3, "tacho_host": 20}

    assert list_excess(before, {"tacho_api": 15, "tacho_host": 20}) == []
    assert list_excess(before, {"tacho_api": 16, "tacho_owner": 1}) == [
        "16 connections of tacho_api, 3 before the first fault",
        "1 connections of tacho_owner, 0 before the first fault",
    ]


def test_a_stopped_installation_leaves_no_record_socket_or_trial(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.make()
    assert list_after_stop(layout) == []

    (layout.run / "api.json").touch()
    (tmp_path / "trials" / "one").mkdir(parents=True)

    assert list_after_stop(layout) == ["file run/api.json", "file trials/one"]
