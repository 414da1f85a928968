"""Every relative link in the repository's Markdown leads to a file, and its anchor to a heading."""

import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

from backend.core.config import ROOT

_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"\]\((?P<target>[^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


def _list_pages() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [path for name in listed.stdout.splitlines() if (path := ROOT / name).exists()]


def _without_code_blocks(page: Path) -> str:
    return _FENCE.sub("", page.read_text())


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, formed as GitHub forms them."""
    anchors: set[str] = set()
    seen: Counter[str] = Counter()
    for heading in _HEADING.findall(_without_code_blocks(page)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        anchors.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return anchors


def _find_broken_link(page: Path, target: str) -> str | None:
    path, _, anchor = unquote(target).partition("#")
    linked = (page.parent / path).resolve() if path else page
    if not linked.exists():
        return f"{target}: there is no such file"
    if anchor and linked.suffix == ".md" and anchor not in _anchors(linked):
        return f"{target}: there is no such heading"
    return None


def _list_broken_links(page: Path) -> list[str]:
    prose = _CODE.sub("", _without_code_blocks(page))
    targets = [target for target in _LINK.findall(prose) if not re.match(r"[a-z]+:", target)]
    return [fault for target in targets if (fault := _find_broken_link(page, target))]


def test_relative_links_and_anchors_resolve() -> None:
    broken = {page: _list_broken_links(page) for page in _list_pages()}

    assert len(broken) > 50
    assert {page: links for page, links in broken.items() if links} == {}


def test_a_missing_file_and_a_missing_heading_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n\n## What `it` says: all\n\n```sh\n# no heading\n```\n")

    assert _find_broken_link(page, "other.md") == "other.md: there is no such file"
    assert _find_broken_link(page, "page.md#no-heading")
    assert _find_broken_link(page, "#what-it-says-all") is None


# Files of `frontend/dist/` exist only after a build.
_NAMED_PATH = re.compile(
    r"`((?!frontend/dist/)(?:backend|cli|frontend|services|tools|worker)/[\w./-]+)`"
)


def test_files_that_contributors_are_sent_to_exist() -> None:
    guide = (ROOT / "docs/contributor-guide").glob("*.md")
    named = {path for page in guide for path in _NAMED_PATH.findall(page.read_text())}

    assert len(named) > 10
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_the_architecture_guide_has_the_chains_of_the_import_contracts() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    guide = " ".join((ROOT / "docs/contributor-guide/architecture.md").read_text().split())

    whole, core, *_ = [found["layers"] for found in contracts["contracts"] if "layers" in found]
    worker = next(
        found["layers"] for found in contracts["contracts"] if found.get("containers") == ["worker"]
    )
    # The ground floor of the core is a list of modules.
    for layers in (whole, core[:-1], worker):
        chain = re.sub(r"[()]|backend\.", "", " → ".join(layers))
        assert chain in guide
