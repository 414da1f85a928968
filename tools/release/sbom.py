"""Bills of materials (SBOM) of a release, in the format CycloneDX."""

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tools.release.go_modules import list_go
from tools.release.image_packages import list_image_packages
from tools.release.source import ReleaseSource, run

_DEVELOPMENT = {"name": "cdx:npm:package:development", "value": "true"}


def write_sboms(source: ReleaseSource, tree: Path, folder: Path) -> list[Path]:
    """Write the bills of an installation's Python packages, npm packages and Go modules.

    Returns their paths.
    """
    return [
        _write(folder / f"{source.name}-python.cdx.json", _list_python(tree), source),
        _write(folder / f"{source.name}-npm.cdx.json", _list_npm(tree / "frontend"), source),
        _write(folder / f"{source.name}-go.cdx.json", list_go(tree), source),
    ]


def write_image_sbom(source: ReleaseSource, run_inside: Callable[..., str], folder: Path) -> Path:
    """Write the bill of what only the image contains, and return its path.

    Args:
        source: the commit.
        run_inside: runs a program of the image, and returns its output.
        folder: receives the file.
    """
    bill = list_image_packages(run_inside)
    return _write(folder / f"{source.name}-image.cdx.json", bill, source)


def normalise(document: dict[str, Any], version: str, epoch: int) -> dict[str, Any]:
    """Return a bill that depends on nothing but the commit: without a random serial number, and
    with the time of the commit and the version of Tacho."""
    bill = {key: value for key, value in document.items() if key != "serialNumber"}
    metadata = dict(bill["metadata"])
    metadata["timestamp"] = datetime.fromtimestamp(epoch, UTC).isoformat()
    metadata["component"] = metadata["component"] | {"version": version}
    return bill | {"metadata": metadata}


def _list_python(tree: Path) -> dict[str, Any]:
    """Return the bill of requirements.lock: what an installation on any machine may install."""
    program = Path(sys.executable).with_name("cyclonedx-py")
    options = ("--pyproject", "pyproject.toml", "--mc-type", "application", "--output-reproducible")
    bill: dict[str, Any] = json.loads(
        run(tree, program, "requirements", *options, "requirements.lock")
    )
    return bill


def _list_npm(frontend: Path) -> dict[str, Any]:
    """Return the bill of the npm packages that are in the built pages."""
    options = ("--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only")
    bill: dict[str, Any] = json.loads(
        run(frontend, sys.executable, "-m", "backend.platform.tools", "npm", "sbom", *options)
    )
    # With `--omit dev`, npm 11 also leaves out react, because packages for development use it too.
    components = [part for part in bill["components"] if _DEVELOPMENT not in part["properties"]]
    kept = {bill["metadata"]["component"]["bom-ref"], *(part["bom-ref"] for part in components)}
    dependencies = [
        node | {"dependsOn": [ref for ref in node["dependsOn"] if ref in kept]}
        for node in bill["dependencies"]
        if node["ref"] in kept
    ]
    return bill | {"components": components, "dependencies": dependencies}


def _write(path: Path, document: dict[str, Any], source: ReleaseSource) -> Path:
    bill = normalise(document, source.version, source.epoch)
    path.write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")
    return path
