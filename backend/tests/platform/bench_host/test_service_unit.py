"""The systemd unit of a worker, as systemd itself reads it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from backend.platform.bench_host import service_unit

pytestmark = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd is not installed"
)


@pytest.mark.parametrize("name", ["tacho", "a clone with 100 % of it"])
def test_systemd_accepts_the_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    clone, data = tmp_path / name, tmp_path / name / "data"
    program = clone / ".venv" / "bin" / "tacho"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    data.mkdir()
    monkeypatch.chdir(clone)
    monkeypatch.setattr(service_unit, "PROGRAM", program)

    unit = service_unit.write_unit(data)

    assert verify(unit) == []


def test_a_unit_whose_program_is_missing_is_not_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check finds faults at all."""
    monkeypatch.setattr(service_unit, "PROGRAM", tmp_path / "nowhere" / "tacho")

    assert any("tacho" in line for line in verify(service_unit.write_unit(tmp_path)))


def verify(unit: Path) -> list[str]:
    """Return what systemd reports about a unit. Other units of this machine do not count."""
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(unit)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return [line for line in done.stderr.splitlines() if unit.name in line or str(unit) in line]
