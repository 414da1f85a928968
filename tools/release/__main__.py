"""`make release`, `make release-check` and `make audit`."""

import argparse
import sys
from pathlib import Path

from backend.core.errors import TachoError
from tools.release.audit import audit
from tools.release.build import build
from tools.release.check import check
from tools.release.source import ROOT, ReleaseError, check_releasable, read_source


def main() -> int:
    """Return 0 if the command succeeded and found nothing wrong, otherwise 1."""
    options = _parse(sys.argv[1:])
    try:
        if options.command == "build":
            return _build(options)
        if options.command == "check":
            return 0 if check(read_source(ROOT), with_image=options.image) else 1
        return 0 if audit() else 1
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
    except TachoError as error:
        print(f"error: {error.detail}", file=sys.stderr)
    return 1


def _build(options: argparse.Namespace) -> int:
    source = read_source(ROOT)
    if not options.unreleased:
        check_releasable(source)
    folder = options.into or ROOT / "dist" / source.version
    build(
        source, folder, with_image=not options.without_image, uses_cache=not options.without_cache
    )
    print(f"{folder}: version {source.version}, commit {source.commit}")
    print((folder / "SHA256SUMS").read_text(), end="")
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build", help="build all files of a release")
    building.add_argument("--into", type=Path, help="folder for the files; dist/<version>")
    building.add_argument("--without-image", action="store_true", help="build no container image")
    building.add_argument("--without-cache", action="store_true", help="run all steps of the image")
    building.add_argument(
        "--unreleased", action="store_true", help="also without an entry in CHANGELOG.md"
    )
    checking = commands.add_parser("check", help="build twice, and compare")
    checking.add_argument("--image", action="store_true", help="also compare the container image")
    commands.add_parser("audit", help="look dependencies up in databases of vulnerabilities")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
