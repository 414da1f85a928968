"""Repositories of two versions of an example, both behind a proxy, for `make bench-guard`.

The proxy costs each request a given time (`planted_proxy/main.go`). Base and head differ only in
this cost, or in a file without any effect.
"""

import json
import re
import shutil
import subprocess
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from backend.core.catalog.own.own_catalogue import OwnCatalogue
from backend.core.catalog.own.service_file import FILE_NAME, ServiceFile, parse_service_file
from backend.core.catalog.profiles import find_profile
from backend.core.catalog.sources import IGNORED
from backend.core.config import ROOT
from backend.core.measurement.statistics.boundaries import FIRST_LOOK
from tools.benchmarks.programs import build_program
from worker.guard.measuring import expect_seconds

EXAMPLES = ROOT / "examples"
_SOURCE = Path(__file__).parent / "planted_proxy"
_PROXY = "planted-proxy"
_RUN = re.compile(r"^run = \[.*\]$", re.MULTILINE)


@dataclass(frozen=True)
class PlantedCost:
    """The additional cost of each request, in µs of CPU time and of waiting."""

    burn_us: int = 0
    sleep_us: int = 0

    def describe(self) -> str:
        """Return the cost in words."""
        if self.burn_us:
            return f"{self.burn_us} µs of CPU"
        return f"{self.sleep_us / 1000:g} ms of latency" if self.sleep_us else "none"


def read_example(name: str) -> ServiceFile:
    """Return the description of an example; raise ManifestInvalid."""
    return parse_service_file(EXAMPLES / name / FILE_NAME)


def plan_pairs(name: str, minutes: float) -> int:
    """Return the number of pairs that a guard of an example plans for these minutes."""
    example, folder = read_example(name), EXAMPLES / name
    with tempfile.TemporaryDirectory() as scripts:
        services = ROOT / "services"
        catalogue = OwnCatalogue(services, example, folder, example, folder, Path(scripts))
        profiles = [find_profile(scenario, None) for scenario, _ in catalogue.scenarios.values()]
    seconds = sum(2 * expect_seconds(profile) for profile in profiles if profile is not None)
    return max(FIRST_LOOK, int(minutes * 60 / seconds))


def build_proxy(go: str, folder: Path) -> Path:
    """Build the proxy in a folder, and return its path."""
    return build_program(go, _SOURCE, folder / _PROXY)


def wrap(text: str, cost: PlantedCost) -> str:
    """Return a `tacho.toml` whose service starts behind the proxy.

    Raises:
        ValueError: `[process]` has no command in one line.
    """
    run = tomllib.loads(text)["process"]["run"]
    words = [f"./{_PROXY}", "-burn-us", str(cost.burn_us), "-sleep-us", str(cost.sleep_us), "--"]
    line = f"run = {json.dumps([*words, *run])}"
    # A replacement that is a text would have its backslashes interpreted.
    wrapped, count = _RUN.subn(lambda _: line, text)
    if count != 1:
        raise ValueError(f"{FILE_NAME} needs exactly one line `run = […]`; {count} were found.")
    return wrapped


def write_repository(folder: Path, name: str, proxy: Path, cost: PlantedCost) -> None:
    """Write a new repository with an example as its base, and with a head that has this cost.

    Without a cost, the head has one more file that nothing reads.
    """
    ignored = shutil.ignore_patterns(*IGNORED, ".tacho")
    shutil.copytree(EXAMPLES / name, folder, ignore=ignored)
    shutil.copy2(proxy, folder / _PROXY)
    description = folder / FILE_NAME
    text = description.read_text(encoding="utf-8")
    description.write_text(wrap(text, PlantedCost()), encoding="utf-8")
    _git(folder, "init", "--quiet", "--initial-branch", "main")
    _commit(folder, "Start behind the proxy")
    if cost == PlantedCost():
        (folder / "NOTES.md").write_text("Nothing reads this file.\n", encoding="utf-8")
    else:
        description.write_text(wrap(text, cost), encoding="utf-8")
    _commit(folder, f"Plant a cost: {cost.describe()}")


def _commit(folder: Path, subject: str) -> None:
    _git(folder, "add", "--all")
    author = ("-c", "user.name=Benchmark", "-c", "user.email=benchmark@localhost")
    _git(folder, *author, "commit", "--quiet", "--message", subject)


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True)
