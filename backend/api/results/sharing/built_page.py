"""The page of a run as the build of the frontend wrote it (frontend/run-page.ts)."""

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_SCRIPT_INSIDE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


@dataclass(frozen=True)
class BuiltPage:
    """The files from which the page of a run is made.

    Attributes:
        page: the HTML without a run.
        chart_links: elements that load the code of charts early.
        scripts: digests of the scripts inside the page, for its content security policy.
    """

    page: str
    chart_links: str
    scripts: tuple[str, ...]


def read_built_page(folder: Path) -> BuiltPage:
    """Return the page in this folder, which is read again only after another build."""
    return _read(folder, (folder / "run-page.html").stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _read(folder: Path, _built_at: int) -> BuiltPage:
    page = (folder / "run-page.html").read_text()
    links = (folder / "first-chart-links.html").read_text().strip()
    return BuiltPage(
        page,
        links,
        scripts=tuple(_digest(script) for script in _SCRIPT_INSIDE.findall(page)),
    )


def _digest(script: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
