"""The wheel with the load generator, which is a program for one platform.

`uv build` makes the wheel for all platforms. Its contents, and the load generator, make the wheel
for the platform of this machine.
"""

import base64
import csv
import hashlib
import io
import platform
import zipfile
from pathlib import Path

_ANY = "py3-none-any"
# The load generator is static, so it needs no C library of any version.
_PLATFORM = "py3-none-linux_{machine}"
_PREBUILT = "backend/assets/prebuilt/k6"
_EXECUTABLE = 0o100755 << 16
_TIME = (1980, 1, 1, 0, 0, 0)


def write_platform_wheel(wheel: Path, load_generator: Path) -> Path:
    """Write the wheel of this platform next to the wheel for all platforms; return its path.

    Args:
        wheel: for all platforms.
        load_generator: its folder is named by the digest of its source.
    """
    tag = _PLATFORM.format(machine=platform.machine())
    path = wheel.with_name(wheel.name.replace(_ANY, tag))
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(path, "w") as target:
        about = _find_about(source)
        changed = {
            f"{about}/WHEEL": _describe(source.read(f"{about}/WHEEL").decode(), tag),
            f"{_PREBUILT}/{load_generator.parent.name}/k6": load_generator.read_bytes(),
        }
        record = _change_record(source.read(f"{about}/RECORD").decode(), changed)
        for member in source.infolist():
            if member.filename not in {*changed, f"{about}/RECORD"}:
                target.writestr(member, source.read(member))
        for name, content in [*changed.items(), (f"{about}/RECORD", record)]:
            target.writestr(_make_member(name), content, zipfile.ZIP_DEFLATED)
    return path


def _find_about(wheel: zipfile.ZipFile) -> str:
    """Return the name of the folder `tacho-….dist-info`."""
    (name,) = {path.split("/")[0] for path in wheel.namelist() if ".dist-info/" in path}
    return name


def _describe(text: str, tag: str) -> bytes:
    """Return the file WHEEL for this tag."""
    changed = text.replace(f"Tag: {_ANY}", f"Tag: {tag}")
    return changed.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false").encode()


def _change_record(text: str, changed: dict[str, bytes]) -> bytes:
    """Return the file RECORD, with the digests of the changed members."""
    rows = [row for row in csv.reader(io.StringIO(text)) if row and row[0] not in changed]
    for name, content in changed.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        rows.append([name, f"sha256={digest}", str(len(content))])
    lines = [",".join(f'"{cell}"' if "," in cell else cell for cell in row) for row in sorted(rows)]
    return ("\n".join(lines) + "\n").encode()


def _make_member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _TIME)
    member.create_system = 3
    member.external_attr = _EXECUTABLE if name.endswith("/k6") else 0o100644 << 16
    return member
