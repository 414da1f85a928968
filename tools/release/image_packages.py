"""The bill of the packages of an image that none of the other bills lists."""

import re
from collections.abc import Callable
from typing import Any

from packageurl import PackageURL

from tools.release.bill import make_bill

_DPKG = (
    "dpkg-query",
    "--show",
    "--showformat",
    "${Package}\t${Version}\t${Architecture}\t${source:Package}\n",
)
_RELEASE = ("cat", "/etc/os-release")
# The interpreter of an official image of Python does not come from Debian.
_PYTHON = ("python3", "-c", "import sys; print(sys.base_prefix, sys.version.split()[0])")
_OF_DEBIAN = "/usr"
_FIELD = re.compile(r'^(\w+)="?([^"\n]*)"?$', re.MULTILINE)


def list_image_packages(run_inside: Callable[..., str]) -> dict[str, Any]:
    """Return the bill of the Debian packages of an image, and of its Python interpreter.

    Args:
        run_inside: runs a program of the image, and returns its output.
    """
    release = dict(_FIELD.findall(run_inside(*_RELEASE)))
    distribution = release["ID"]
    qualifier = f"{distribution}-{release['VERSION_ID']}"
    components = [
        _describe_debian(distribution, qualifier, *line.split("\t"))
        for line in sorted(run_inside(*_DPKG).splitlines())
    ]
    prefix, version = run_inside(*_PYTHON).split()
    if prefix != _OF_DEBIAN:
        components.append(_describe_python(version))
    return make_bill("tacho-image", components)


def _describe_debian(
    distribution: str, qualifier: str, name: str, version: str, architecture: str, source: str
) -> dict[str, Any]:
    qualifiers = {"arch": architecture, "distro": qualifier}
    url = PackageURL("deb", distribution, name, version, qualifiers).to_string()
    # Advisories of Debian name the source package.
    properties = [{"name": "debian:source", "value": source}]
    return {
        "type": "library",
        "bom-ref": url,
        "name": name,
        "version": version,
        "purl": url,
        "properties": properties,
    }


def _describe_python(version: str) -> dict[str, Any]:
    url = PackageURL("generic", None, "python", version).to_string()
    return {
        "type": "application",
        "bom-ref": url,
        "name": "python",
        "version": version,
        "purl": url,
        "cpe": f"cpe:2.3:a:python:python:{version}:*:*:*:*:*:*:*",
    }
