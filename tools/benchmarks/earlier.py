"""Build the sender of an earlier commit, as a peer of the present sender."""

import io
import os
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from backend.core.config import ROOT

# The last commit whose sender sent one GET again and again and checked one response in a hundred.
COMMIT = "8f802767dd2edaf21e5e0d10ed411e79fbc6fd24"
_SOURCE = "worker/loadgen/k6"
_LIBRARY = "services/scenarios/lib"


@dataclass(frozen=True)
class EarlierSender:
    """A load generator of an earlier commit, with the library of its scripts."""

    k6: Path
    library: Path


def build_earlier(cache_dir: Path, go: str) -> EarlierSender | None:
    """Return the earlier sender, built once into the cache.

    Returns None if the history does not contain its commit, as in a shallow clone.
    """
    folder = cache_dir.resolve() / "earlier" / COMMIT
    found = EarlierSender(folder / "k6", folder / _LIBRARY)
    if found.k6.exists():
        return found
    archived = subprocess.run(
        ["git", "archive", "--format=tar", COMMIT, _SOURCE, _LIBRARY],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if archived.returncode != 0:
        return None
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        made = Path(scratch) / "made"
        with tarfile.open(fileobj=io.BytesIO(archived.stdout)) as archive:
            archive.extractall(made, filter="data")
        subprocess.run(
            [go, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", made / "k6", "."],
            cwd=made / _SOURCE,
            env=os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off"},
            check=True,
        )
        made.rename(folder)
    return found
