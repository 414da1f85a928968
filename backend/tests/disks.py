"""Small disks for tests of full disks."""

import collections
import itertools
import os
import pwd
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a disk in memory at `folder` that PostgreSQL's user may write to. Skip the test if
    mounting is not possible."""
    folder.mkdir()
    owner = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    options = f"size={size},uid={owner.pw_uid},gid={owner.pw_gid},mode=700"
    mount = ["mount", "-t", "tmpfs", "-o", options, "tacho-test", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a disk in memory")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Fill the disk with a file, and return the file."""
    filler = disk / "filler"
    with (
        filler.open("wb", buffering=0) as file,
        pytest.raises(OSError, match="No space left"),
    ):
        collections.deque(map(file.write, itertools.repeat(bytes(4096))), maxlen=0)
    return filler
