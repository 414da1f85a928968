"""The wheel for one platform is made from the wheel for all."""

import hashlib
import os
import platform
import subprocess
import sys
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from tools.release.platform_wheel import write_platform_wheel

ABOUT = "tacho-0.1.0.dist-info"


def write_wheel(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "tacho-0.1.0-py3-none-any.whl"
    members = {
        "backend/__init__.py": b"",
        f"{ABOUT}/METADATA": b"Metadata-Version: 2.4\nName: tacho\nVersion: 0.1.0\n",
        f"{ABOUT}/WHEEL": b"Wheel-Version: 1.0\nGenerator: uv 0.13\nRoot-Is-Purelib: true\n"
        b"Tag: py3-none-any\n",
    }
    lines = [
        f"{name},sha256={urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')},"
        f"{len(content)}"
        for name, content in members.items()
    ]
    record = f"{ABOUT}/RECORD"
    with zipfile.ZipFile(path, "w") as wheel:
        members[record] = "\n".join([*lines, f"{record},,\n"]).encode()
        for name, content in members.items():
            wheel.writestr(zipfile.ZipInfo(name), content)
    return path


@pytest.fixture
def load_generator(tmp_path: Path) -> Path:
    path = tmp_path / "k6" / "0123" / "k6"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\necho k6\n")
    return path


def test_it_can_be_installed_with_the_load_generator(tmp_path: Path, load_generator: Path) -> None:
    wheel = write_platform_wheel(write_wheel(tmp_path / "release"), load_generator)
    assert wheel.name == f"tacho-0.1.0-py3-none-linux_{platform.machine()}.whl"

    installed = tmp_path / "installed"
    uv = Path(sys.executable).with_name("uv")
    options = ("--quiet", "--offline", "--no-deps", "--target", installed)
    subprocess.run([uv, "pip", "install", *options, wheel], check=True, env=os.environ)
    k6 = installed / "backend/assets/prebuilt/k6/0123/k6"
    assert subprocess.run([k6], capture_output=True, text=True, check=True).stdout == "k6\n"
    # Installers do not all check what RECORD lists.
    with zipfile.ZipFile(wheel) as archive:
        record = archive.read(f"{ABOUT}/RECORD").decode()
        assert sorted(line.split(",")[0] for line in record.splitlines()) == sorted(
            archive.namelist()
        )
        assert "Root-Is-Purelib: false" in archive.read(f"{ABOUT}/WHEEL").decode()


def test_the_same_files_give_the_same_bytes(tmp_path: Path, load_generator: Path) -> None:
    wheels = [
        write_platform_wheel(write_wheel(tmp_path / name), load_generator)
        for name in ("one", "two")
    ]
    assert wheels[0].read_bytes() == wheels[1].read_bytes()
