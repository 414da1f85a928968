"""Build all files of a release into a folder."""

import hashlib
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

from tools.release.image import build_image, choose_base, run_inside
from tools.release.sbom import write_image_sbom, write_sboms
from tools.release.source import ReleaseSource, export, write_archive
from tools.release.wheel import build_wheels

_SUMS = "SHA256SUMS"


def build(
    source: ReleaseSource, folder: Path, *, with_image: bool, uses_cache: bool = True
) -> None:
    """Build wheels, requirements, source archive, SBOMs, and the image if wanted.

    Args:
        source: the commit.
        folder: receives the files, and a list of their digests. It is emptied first.
        with_image: whether to build the container image, which needs a Docker engine.
        uses_cache: whether the engine may reuse steps of earlier builds of the image.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="tacho-release-") as name:
        scratch = Path(name)
        write_archive(source, folder)
        tree = export(source, scratch)
        shutil.copy(tree / "requirements.lock", folder / f"{source.name}-requirements.txt")
        write_sboms(source, tree, folder)
        if with_image:
            # Before the wheels, which add files to the tree.
            print("  image", file=sys.stderr, flush=True)
            build_image(source, tree, folder, choose_base(tree), uses_cache=uses_cache)
            write_image_sbom(source, partial(run_inside, source), folder)
        build_wheels(tree, folder)
    _write_sums(folder)


def digest_files(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a release by name, without the list of digests."""
    files = sorted(path for path in folder.iterdir() if path.name != _SUMS)
    return {path.name: _digest(path) for path in files}


def _write_sums(folder: Path) -> None:
    """Write the digests as `sha256sum --check` reads them."""
    lines = [f"{digest}  {name}\n" for name, digest in digest_files(folder).items()]
    (folder / _SUMS).write_text("".join(lines), encoding="utf-8")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
