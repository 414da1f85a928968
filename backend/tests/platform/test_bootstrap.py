"""Creating the environment: reading lock files, and messages for an unsuitable Python."""

import importlib.util
import re
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from backend.platform import bootstrap

LOCK = """\
urllib3==2.8.0 \\
    --hash=sha256:aa
uv==0.13.8 \\
    --hash=sha256:bb \\
    --hash=sha256:cc
uv-build==0.13.6 \\
    --hash=sha256:dd
"""


def test_a_package_is_read_with_its_hashes() -> None:
    block = bootstrap.requirement_block(LOCK, "uv")
    assert block == "uv==0.13.8 \\\n    --hash=sha256:bb \\\n    --hash=sha256:cc\n"


def test_the_error_for_an_unlocked_package_contains_the_fix() -> None:
    with pytest.raises(bootstrap.BootstrapError, match="make lock"):
        bootstrap.requirement_block(LOCK, "ruff")


@pytest.mark.parametrize("lock", [bootstrap.LOCK, bootstrap.DEV_LOCK], ids=lambda path: path.name)
def test_lock_files_pin_and_hash_everything_and_name_no_host(lock: Path) -> None:
    text = lock.read_text()
    assert "://" not in text
    assert "index" not in text.lower()
    entries = re.split(r"\n(?=\S)", text.strip())
    assert len(entries) > 20
    for entry in entries:
        assert re.match(r"[a-z0-9._-]+==\S+", entry), entry
        assert "--hash=sha256:" in entry, entry


def test_both_lock_files_have_the_same_versions() -> None:
    def pins(text: str) -> dict[str, str]:
        return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", text, re.MULTILINE))

    run, dev = pins(bootstrap.LOCK.read_text()), pins(bootstrap.DEV_LOCK.read_text())
    assert {name: dev[name] for name in run.keys() & dev} == {
        name: run[name] for name in run.keys() & dev
    }


def test_a_stamp_of_other_lock_files_is_stale(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bootstrap, "VENV", tmp_path)
    assert not bootstrap.is_current(dev=False)
    (tmp_path / ".tacho-dev").write_text(bootstrap.stamp_digest(dev=True))
    assert not bootstrap.is_current(dev=True), "there is no Python in it"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    assert bootstrap.is_current(dev=True)
    assert bootstrap.is_current(dev=False)
    (tmp_path / "other.lock").write_text(LOCK)
    monkeypatch.setattr(bootstrap, "LOCK", tmp_path / "other.lock")
    assert not bootstrap.is_current(dev=False)


def test_the_error_for_a_python_without_venv_names_the_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find_spec = importlib.util.find_spec

    def without_ensurepip(name: str) -> ModuleSpec | None:
        return None if name == "ensurepip" else find_spec(name)

    monkeypatch.setattr(importlib.util, "find_spec", without_ensurepip)
    with pytest.raises(bootstrap.BootstrapError, match="apt-get install python3-venv"):
        bootstrap.check_python()


def test_an_old_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.version_info", (3, 9, 2, "final", 0))
    with pytest.raises(bootstrap.BootstrapError, match=r"3\.11 or newer.* 3\.9\.2"):
        bootstrap.check_python()
