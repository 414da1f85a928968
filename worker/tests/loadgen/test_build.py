"""The load generator is built once for each state of its sources, and completely."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from backend.core.config import ROOT, get_settings
from worker.loadgen import build
from worker.loadgen.build import SOURCE, LoadGeneratorBuildFailed, ensure_k6, find_k6


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small Go program instead of k6."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "go.mod").write_text("module small\n\ngo 1.21\n")
    (folder / "go.sum").write_text("")
    (folder / "main.go").write_text('package main\n\nfunc main() { println("built") }\n')
    monkeypatch.setattr(build, "SOURCE", folder)
    return folder


def test_the_load_generator_is_static_and_has_its_commands(k6: Path) -> None:
    assert b"interp" not in _sections(k6)
    help_text = subprocess.run([k6, "run", "--help"], capture_output=True, text=True, check=True)
    assert "--summary-mode" in help_text.stdout


def _sections(binary: Path) -> bytes:
    """The ELF program's first page: a dynamic one names its interpreter there."""
    with binary.open("rb") as file:
        return file.read(4096)


def test_one_process_builds_and_the_others_wait(source: Path, tmp_path: Path, go: str) -> None:
    builders: set[int] = set()

    def build_it(number: int) -> Path:
        return ensure_k6(tmp_path / "cache", go, lambda _message: builders.add(number))

    with ThreadPoolExecutor(4) as pool:
        paths = set(pool.map(build_it, range(4)))

    assert len(builders) == 1
    assert len(paths) == 1
    done = subprocess.run([paths.pop()], capture_output=True, text=True, check=True)
    assert done.stderr == "built\n"


def test_changed_sources_give_another_binary(source: Path, tmp_path: Path, go: str) -> None:
    first = ensure_k6(tmp_path / "cache", go)
    (source / "main.go").write_text('package main\n\nfunc main() { println("changed") }\n')
    second = ensure_k6(tmp_path / "cache", go)
    (source / "main_test.go").write_text("package main\n")

    assert first != second
    assert ensure_k6(tmp_path / "cache", go) == second
    package = source / "internal" / "part"
    package.mkdir(parents=True)
    (package / "part.go").write_text("package part\n")
    assert ensure_k6(tmp_path / "cache", go) != second
    assert first.exists()


def test_the_binary_of_a_wheel_or_an_image_is_copied(
    source: Path, tmp_path: Path, go: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    prebuilt = tmp_path / "prebuilt"
    ensure_k6(prebuilt, go).chmod(0o644)  # some installers drop the permission
    monkeypatch.setattr(build, "_PREBUILT", prebuilt)
    cache = tmp_path / "cache"

    found = find_k6(cache)
    assert found is not None
    assert found.is_relative_to(cache)
    assert ensure_k6(cache, "no-go") == found
    done = subprocess.run([found], capture_output=True, text=True, check=True)
    assert done.stderr == "built\n"

    (source / "main.go").write_text('package main\n\nfunc main() { println("changed") }\n')
    assert find_k6(cache) is None


def test_progress_counts_all_packages_of_the_load_generator(go: str) -> None:
    listed = subprocess.run(
        [go, "list", "-deps", "."], cwd=SOURCE, capture_output=True, text=True, check=True
    )
    assert len(listed.stdout.splitlines()) == pytest.approx(build._PACKAGES, rel=0.05)


def test_a_failed_build_reports_the_errors_of_go_and_leaves_nothing(
    source: Path, tmp_path: Path, go: str
) -> None:
    (source / "main.go").write_text("package main\n\nfunc main() { undefinedName() }\n")

    with pytest.raises(LoadGeneratorBuildFailed, match="undefined: undefinedName"):
        ensure_k6(tmp_path / "cache", go)
    assert not list((tmp_path / "cache").rglob("k6/k6"))


def test_a_compiler_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho go: downloading\nsleep infinity\n")
    go.chmod(0o755)
    monkeypatch.setenv("TACHO_BUILD_SECONDS", "1")
    get_settings.cache_clear()
    try:
        with pytest.raises(LoadGeneratorBuildFailed, match=r"within 1 s .* TACHO_BUILD_SECONDS"):
            ensure_k6(tmp_path / "cache", str(go))
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()


def test_the_image_of_the_build_has_all_its_modules() -> None:
    code = (
        "import sys, worker.loadgen.build; "
        "print(*(module.__file__ for name, module in sys.modules.items() "
        "if name.startswith(('backend.core.', 'backend.platform.'))))"
    )
    files = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    needed = {str(Path(file).relative_to(ROOT)) for file in files}
    stage = (
        (ROOT / "Dockerfile").read_text().partition("AS load-generator")[2].partition("FROM ")[0]
    )

    assert needed <= set(stage.split())
