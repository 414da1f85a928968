"""Check that a release is reproducible, and that its wheel can be installed and started.

The wheel for this platform is installed, as a user would do it.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.release.build import digest_files
from tools.release.installed import check_digests, install, start
from tools.release.source import ReleaseError, ReleaseSource, run

_SHOWN = 10
# A promise to users: until the first page of a release.
_READY_GOAL_S = 30


@dataclass(frozen=True)
class Surroundings:
    """Where and how a build of the check runs."""

    folder: str
    variables: Mapping[str, str]
    umask: int


# A release must depend on none of these.
_FIRST = Surroundings("first", {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}, 0o022)
_SECOND = Surroundings(
    "second/with-a-longer-path",
    {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "2"},
    0o077,
)


def check(source: ReleaseSource, *, with_image: bool) -> bool:
    """Build a commit in two clones, print what differs, install and start the wheel, and return
    whether all files are equal."""
    with tempfile.TemporaryDirectory(prefix="tacho-release-check-") as name:
        scratch = Path(name)
        first = _build_in_clone(source, scratch, _FIRST, with_image=with_image)
        second = _build_in_clone(source, scratch, _SECOND, with_image=with_image)
        differences = compare(first, second)
        print("\n".join(differences), flush=True)
        check_digests(first)
        (wheel,) = first.glob("*-linux_*.whl")
        installed = scratch / "installed"
        shown = install(wheel, first / f"{source.name}-requirements.txt", installed)
        print(f"The installed wheel prints: {shown}", flush=True)
        if shown != f"tacho {source.version}":
            raise ReleaseError(f"The installed wheel is not version {source.version}.")
        seconds = start(installed, scratch)
    print(f"The installed wheel was ready in {seconds:.0f} s (goal {_READY_GOAL_S}), and stopped.")
    return all(line.endswith("identical") for line in differences)


def compare(first: Path, second: Path) -> list[str]:
    """Return a line for each file of two releases: its name, and whether it is identical.

    For archives that differ, the line names the members that differ.
    """
    one, other = digest_files(first), digest_files(second)
    lines = []
    for name in sorted(one.keys() | other.keys()):
        if name not in one or name not in other:
            lines.append(f"{name}: in one build only")
        elif one[name] == other[name]:
            lines.append(f"{name}: {one[name][:16]}, identical")
        else:
            members = _list_differing_members(first / name, second / name)
            lines.append(f"{name}: DIFFERENT {', '.join(members[:_SHOWN])}".rstrip())
    return lines


def _build_in_clone(
    source: ReleaseSource, scratch: Path, surroundings: Surroundings, *, with_image: bool
) -> Path:
    clone = scratch / surroundings.folder / "clone"
    folder = scratch / surroundings.folder / "release"
    clone.parent.mkdir(parents=True)
    run(scratch, "git", "clone", "--quiet", source.repository, clone)
    run(clone, "git", "checkout", "--quiet", "--detach", source.commit)
    print(f"Building {source.commit[:12]} in {clone}", file=sys.stderr, flush=True)
    # The same steps for both images would otherwise come from the cache of the engine.
    image = ("--without-cache",) if with_image else ("--without-image",)
    # In the clone, Python imports this program and Tacho from there.
    done = subprocess.run(
        [sys.executable, "-m", "tools.release", "build", "--unreleased", *image, "--into", folder],
        cwd=clone,
        env=os.environ | surroundings.variables,
        umask=surroundings.umask,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode != 0:
        raise ReleaseError(f"The build in {clone} failed. Its output above shows the reason.")
    return folder


def _list_differing_members(first: Path, second: Path) -> list[str]:
    """Return the names of the members whose content or description differs in two archives."""
    if first.suffix == ".whl":
        one, other = _read_zip(first), _read_zip(second)
    elif first.name.endswith(".tar.gz"):
        one, other = _read_tar(first), _read_tar(second)
    else:
        return []
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def _read_zip(path: Path) -> dict[str, object]:
    with zipfile.ZipFile(path) as archive:
        return {
            member.filename: (member.CRC, member.date_time, member.external_attr)
            for member in archive.infolist()
        }


def _read_tar(path: Path) -> dict[str, object]:
    with tarfile.open(path) as archive:
        return {
            member.name: (member.size, member.mtime, member.mode, member.chksum)
            for member in archive
        }
